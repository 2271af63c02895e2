import { describe, expect, it } from 'vitest';
import { driftOf, emptyLock, type LockableAgent, parseLock, printLock, retire, withAgents } from './lock.ts';

function agent(identity: string, fields: Partial<LockableAgent> = {}): LockableAgent {
  return { identity, module: 'src/a.ts', export: identity, function: identity, ...fields };
}

describe('the lock file', () => {
  it('prints each identity on one line, in canonical order (LOCK-01)', () => {
    const triage = agent('issue-triage', { export: 'IssueTriage', module: 'src/agents/triage.ts' });
    const lock = retire(withAgents(emptyLock(), [agent('Legacy'), triage]), 'Legacy');
    expect(printLock(lock)).toBe(`{
  "agents": {
    "issue-triage": { "bindingName": "FLUE_ISSUE_TRIAGE_AGENT", "className": "FlueIssueTriageAgent", "export": "IssueTriage", "module": "src/agents/triage.ts" }
  },
  "lockVersion": 1,
  "retired": {
    "Legacy": { "className": "FlueLegacyAgent" }
  }
}
`);
  });

  it('reads any key order and gives the normal form back (LOCK-07)', () => {
    const text = printLock(withAgents(emptyLock(), [agent('A'), agent('B')]));
    const { agents, ...rest } = JSON.parse(text);
    const mixed = JSON.stringify({ ...rest, agents: { B: agents.B, A: agents.A } });
    expect(printLock(parseLock(mixed))).toBe(text);
  });

  it('keeps unknown keys at every level (LOCK-08)', () => {
    const text =
      '{ "owner": "team", "agents": { "A": { "module": "old.ts", "note": 1 } }, "lockVersion": 1 }';
    const lock = JSON.parse(printLock(withAgents(parseLock(text), [agent('A')])));
    expect(lock).toMatchObject({ owner: 'team', agents: { A: { module: 'src/a.ts', note: 1 } } });
  });

  it('names the lines of conflict markers (LOCK-07)', () => {
    const text = '{\n<<<<<<< ours\n  "a": 1,\n=======\n  "b": 1,\n>>>>>>> theirs\n}';
    expect(() => parseLock(text)).toThrow('conflict markers in lines 2, 4, 6.');
  });

  it('refuses what a newer flue wrote, what is no JSON and what is no lock (LOCK-08)', () => {
    expect(() => parseLock('{ "agents": {}, "lockVersion": 2 }')).toThrow('newer flue (lockVersion 2');
    expect(() => parseLock('{')).toThrow('is not JSON');
    expect(() => parseLock('{ "agents": [], "lockVersion": 1 }')).toThrow('agents');
  });
});

describe('drift', () => {
  const locked = withAgents(emptyLock(), [agent('Triage'), agent('Sales', { module: 'src/b.ts' })]);

  it('is none for a moved agent of the same identity (LOCK-04)', () => {
    const moved = agent('Triage', { module: 'src/new.ts', export: 'Main' });
    const drift = driftOf(locked, [moved, agent('Sales', { module: 'src/b.ts' })]);
    expect(drift).toEqual({ added: [], moved: [moved], missing: [], returned: [] });
  });

  it('names the likely rename: same place, else the only newcomer of module or project (FLUE1107)', () => {
    const sales = agent('Sales', { module: 'src/b.ts' });
    const likely = (...agents: LockableAgent[]) =>
      driftOf(locked, [sales, ...agents]).missing[0]?.likely?.identity;
    expect(likely(agent('triage-desk', { export: 'Triage' }), agent('Other'))).toBe('triage-desk');
    expect(likely(agent('Issue'), agent('Else', { module: 'src/c.ts' }))).toBe('Issue');
    expect(likely(agent('Else', { module: 'src/c.ts' }))).toBe('Else');
    expect(likely(agent('Issue'), agent('Bug'))).toBeUndefined();
    expect(likely()).toBeUndefined();
  });

  it('tells a retired identity that returns from a new one (LOCK-05)', () => {
    const lock = retire(locked, 'Sales');
    const drift = driftOf(lock, [agent('Triage'), agent('Sales'), agent('New')]);
    expect(drift.returned.map(({ identity }) => identity)).toEqual(['Sales']);
    expect(drift.added.map(({ identity }) => identity)).toEqual(['New']);
    expect(withAgents(lock, [agent('Sales')]).retired).toEqual({});
  });
});
