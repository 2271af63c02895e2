import { describe, expect, it } from 'vitest';
import type { Agent } from '../engine/agent.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useDataWriter } from '../engine/hooks/use-data-writer.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useInitialData } from '../engine/hooks/use-initial-data.ts';
import { useInstruction } from '../engine/hooks/use-instruction.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useSkill } from '../engine/hooks/use-skill.ts';
import { useSubagent } from '../engine/hooks/use-subagent.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { renderAgent } from './render-agent.ts';

const tester = { name: 'tester', description: 'Tests.', agent: () => 'Test.' };
const greet = () => {};

const ReleaseManager: Agent = ({ id }) => {
  useModel('offline/demo', { thinkingLevel: 'low', compaction: false });
  const [approved, setApproved] = usePersistentState('approved', false);
  useTool({ name: 'approve', description: 'd', run: () => setApproved(true) });
  if (approved) useTool({ name: 'publish', description: 'd', run: () => null });
  useDataWriter('progress');
  useSkill({ name: 'notes', description: 'Writes notes.', instructions: 'Be short.' });
  useSubagent(tester);
  useAgentStart(greet);
  useInstruction(`Release ${id}.`);
  return 'Prepare the release.';
};

describe('renderAgent', () => {
  it('shows what an agent declares, without a runtime (AGENT-16)', () => {
    const { tools, ...rest } = renderAgent(ReleaseManager, { id: 'r1' });
    expect(rest).toEqual({
      instructions: 'Prepare the release.\n\nRelease r1.',
      model: 'offline/demo',
      thinkingLevel: 'low',
      compaction: false,
      dataParts: ['progress'],
      skills: [{ name: 'notes', description: 'Writes notes.' }],
      subagents: [tester],
      eventHooks: { useAgentStart: [greet], useAgentFinish: [], useResponseStart: [], useResponseFinish: [] },
    });
    expect(tools.map(({ name }) => name)).toEqual(['approve']);
  });

  it('renders with given state, delivery and initial data (AGENT-16)', () => {
    const { tools } = renderAgent(ReleaseManager, { id: 'r1', state: { approved: true } });
    expect(tools.map(({ name }) => name)).toEqual(['approve', 'publish']);
    const echo: Agent = () => JSON.stringify([useDelivery(), useInitialData()]);
    const { instructions } = renderAgent(echo, { delivery: 'hi', initialData: { a: 1 } });
    expect(JSON.parse(instructions ?? '')).toEqual([{ kind: 'user', body: 'hi' }, { a: 1 }]);
  });

  it('throws where an agent reads what is not given (AGENT-15, DLV-05)', () => {
    expect(() => renderAgent(ReleaseManager)).toThrow('[flue] props.id');
    expect(() => renderAgent(() => void useDelivery())).toThrow('no delivery');
  });

  it('has no data for useInitialData by default (IDATA-02)', () => {
    expect(renderAgent(() => String(useInitialData())).instructions).toBe('undefined');
  });

  it('gives writers that throw (AGENT-16, HOOK-03)', async () => {
    const { tools } = renderAgent(ReleaseManager, { id: 'r1' });
    const context = { toolCallId: 'c1', log: { info() {}, warn() {}, error() {} } };
    expect(() => tools[0]!.run(context)).toThrow(
      '[flue] The setter of state "approved" has nowhere to write',
    );
  });

  it('needs no model, so that a delegate or a part can be looked at alone (AGENT-16)', () => {
    expect(renderAgent(() => 'x')).toMatchObject({
      instructions: 'x',
      model: undefined,
      compaction: undefined,
    });
  });

  it('refuses unknown options and what is no function', () => {
    expect(() => renderAgent(() => 'x', { states: {} } as never)).toThrow('has no option "states"');
    expect(() => renderAgent('x' as never)).toThrow('takes an agent function');
  });
});
