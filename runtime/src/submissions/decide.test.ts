import { describe, expect, it } from 'vitest';
import {
  append,
  birth,
  call,
  delta,
  failed,
  finishSeam,
  joined,
  message,
  opened,
  request,
  result,
  type Story,
  startSeam,
  story,
  text,
  user,
} from '../conversation/fold/fixtures/stories.fixture.ts';
import type { SubmissionRow } from '../ports/store.ts';
import { type Action, decide, type InstanceView } from './decide.ts';

const NOW = 1_000_000;

function row(more: Partial<SubmissionRow> = {}): SubmissionRow {
  return {
    submissionId: 'sub_A',
    path: 'agents/Orders/7',
    seq: 1,
    kind: 'dispatch',
    payload: '{}',
    digest: 'd',
    status: 'running',
    acceptedAt: new Date(0).toISOString(),
    attempts: 2,
    maxAttempts: 3,
    timeoutMs: 5000,
    admittedOffset: '-1',
    ...more,
  };
}

interface Given extends Partial<Pick<InstanceView, 'aborted' | 'deadline'>> {
  readonly row?: Partial<SubmissionRow>;
  readonly registered?: boolean;
}

/** What an attempt does that claims the instance of this story. */
function action(told: Story, given: Given = {}): Action {
  const { row: more, registered = true, ...rest } = given;
  const agent = { identity: 'Orders', registered };
  return decide(
    { state: told.state, row: row(more), aborted: false, agent, deadline: NOW + 1, ...rest },
    NOW,
  );
}

const ready = () => story(...opened);
const calling = () => ready().tell(message(1, [call('c1', 0), call('c2', 1)]));
const stopped = () => ready().tell(message(1, [text('Hi', 0)]));
const terminated = () => calling().tell(result('c1', { terminate: true }), result('c2', { terminate: true }));
const accepted = () => story(opened[0]!);

const COMPLETED = { do: 'settle', outcome: 'completed' };
const from = (point: string) => ({ do: 'respond', from: point });
const settles = (outcome: string, type: string) => ({ do: 'settle', outcome, error: { type } });

const SPENT = { row: { attempts: 4 } };
const LATE = { deadline: NOW };

describe('within budget and deadline', () => {
  it('input that is not in the context yet is a fresh run (REC-08)', () => {
    expect(action(accepted())).toEqual(from('start'));
  });

  it('a response that the model ended goes on at the would-stop point (REC-08)', () => {
    expect(action(stopped())).toEqual(from('would-stop'));
    const cut = ready().tell(message(1, [text('Hi', 0)], { stop: 'length' }));
    expect(action(cut)).toEqual(from('would-stop'));
  });

  it('a finish continuation is owed a model call (REC-08, FIN-05)', () => {
    expect(action(stopped().tell(append(), finishSeam(1)))).toEqual(from('turn'));
  });

  it('a complete tool batch continues, and one that terminates is complete (REC-08)', () => {
    expect(action(calling().tell(result('c1', { terminate: true }), result('c2')))).toEqual(from('turn'));
    expect(action(terminated())).toEqual(COMPLETED);
  });

  it('a partial with content is continued, text as reasoning, converged or not (REC-05, REC-08)', () => {
    for (const kind of ['text', 'thinking']) {
      expect(action(ready().tell(delta(0, 0, 'I could', { kind })))).toEqual(from('continue'));
      const content = [{ type: kind, text: 'I could', part: 0 }];
      expect(action(ready().tell(message(1, content, { stop: 'aborted' })))).toEqual(from('continue'));
    }
  });

  it('a partial without usable content replays the turn (REC-08)', () => {
    expect(action(ready().tell(message(1, [], { stop: 'aborted' })))).toEqual(from('turn'));
  });

  it('calls without results are repaired on the way to the next turn (REC-08, TBR-01)', () => {
    expect(action(calling())).toEqual(from('turn'));
    expect(action(calling().tell(failed('c1')))).toEqual(from('turn'));
  });

  it('a retryable failure is tried again, any other settles (REC-08, REC-09)', () => {
    const fault = (kind: string) =>
      ready().tell(message(1, [], { stop: 'error', fault: { class: kind, message: 'no' } }));
    expect(action(fault('transient'))).toEqual(from('turn'));
    expect(action(fault('terminal'))).toMatchObject({
      ...settles('failed', 'operation_failed'),
      error: { meta: { category: 'provider' } },
    });
  });

  it('an overflow is recovered from, by whoever finds it (REC-08, OVER-02)', () => {
    const fault = { class: 'overflow', message: 'too long' };
    expect(action(ready().tell(message(1, [], { stop: 'error', fault })))).toEqual(from('turn'));
  });

  it('a request to compact whose turn it is has a turn of its own (RCD-45)', () => {
    expect(action(story([birth], [request('cmp_1')]))).toEqual({ do: 'compact' });
    expect(action(story([birth], [request('cmp_1')]), { aborted: true })).toMatchObject(
      settles('aborted', 'submission_aborted'),
    );
  });

  it('deliveries that have joined are not a conversation that moved on (REC-12)', () => {
    const told = stopped().tell(user('sub_B')).tell(joined('sub_B'), startSeam('sub_B'));
    expect(action(told)).toEqual(from('turn'));
  });
});

describe('past the budget of attempts', () => {
  it('settles as exhausted with the counts and the calls that were cut off (BUD-03, REC-04)', () => {
    expect(action(calling().tell(result('c1')), SPENT)).toMatchObject({
      ...settles('failed', 'submission_retry_exhausted'),
      error: { meta: { attemptCount: 3, maxAttempts: 3, interruptedTools: [{ name: 'look', id: 'c2' }] } },
    });
    expect(action(ready(), { row: { attempts: 3 } })).toEqual(from('turn'));
  });

  it('settles as interrupted where no input was ever placed (REC-08)', () => {
    expect(action(accepted(), SPENT)).toMatchObject({
      ...settles('failed', 'submission_interrupted'),
      error: { meta: { attemptCount: 3, maxAttempts: 3 } },
    });
  });

  it('settles a complete response as completed at once, without hooks (REC-08)', () => {
    for (const told of [stopped(), terminated()]) expect(action(told, SPENT)).toEqual(COMPLETED);
  });
});

describe('past the deadline', () => {
  it('settles as timed out from that millisecond on (BUD-05)', () => {
    expect(action(calling(), LATE)).toMatchObject({
      ...settles('failed', 'submission_timeout'),
      error: { meta: { timeoutMs: 5000, interruptedTools: [{ id: 'c1' }, { id: 'c2' }] } },
    });
    expect(action(calling(), { deadline: NOW + 1 })).toEqual(from('turn'));
    expect(action(stopped(), LATE)).toEqual(COMPLETED);
  });

  it('is told after a spent budget (REC-04)', () => {
    expect(action(ready(), { ...LATE, ...SPENT })).toMatchObject(
      settles('failed', 'submission_retry_exhausted'),
    );
  });
});

describe('asked to stop', () => {
  const STOP = { aborted: true };

  it('settles as aborted, before budget and deadline are looked at (ABT-04, REC-04)', () => {
    for (const told of [accepted(), calling(), ready().tell(delta(0, 0, 'I could'))]) {
      expect(action(told, { ...STOP, ...SPENT, ...LATE })).toMatchObject(
        settles('aborted', 'submission_aborted'),
      );
    }
    expect(action(calling(), STOP)).toMatchObject({
      error: {
        meta: {
          interruptedTools: [
            { name: 'look', id: 'c1' },
            { name: 'look', id: 'c2' },
          ],
        },
      },
    });
  });

  it('settles a complete response as completed (ABT-04, FLT-13)', () => {
    for (const told of [stopped(), terminated()]) expect(action(told, STOP)).toEqual(COMPLETED);
  });
});

describe('of an agent that this process does not serve', () => {
  it('settles as unavailable, even past its deadline, or as aborted (QUE-08)', () => {
    const gone = { registered: false };
    const unavailable = { ...settles('failed', 'agent_unavailable'), error: { meta: { agent: 'Orders' } } };
    expect(action(accepted(), gone)).toMatchObject(unavailable);
    expect(action(ready(), { ...gone, ...LATE })).toMatchObject(unavailable);
    expect(action(accepted(), { ...gone, aborted: true })).toMatchObject(
      settles('aborted', 'submission_aborted'),
    );
  });
});
