import type { ThinkingLevel } from '../../contract/names.ts';
import type { AgentFunction } from '../agent.ts';
import type { CompactionConfig } from '../compaction/compaction-config.ts';

/** A delegate, as `defineSubagent()` returns it and as `useSubagent()` takes it. */
export interface SubagentDefinition {
  /** by which the model chooses it for a task */
  readonly name: string;
  /** the catalog line: how the model decides when to hand a task over */
  readonly description: string;
  /** the delegate's whole world, rendered afresh for each task (DELEG-02) */
  readonly agent: AgentFunction;
  /** specifier; default the model of the conversation that delegates */
  readonly model?: string;
  /** default that of the conversation that delegates */
  readonly thinkingLevel?: ThinkingLevel;
  /** of the delegate's own conversation; default that of the conversation that delegates (DELEG-06) */
  readonly compaction?: false | CompactionConfig;
}
