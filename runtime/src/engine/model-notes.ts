import type { ModelEnd, ModelInfo } from '../ports/model-gateway.ts';
import type { LogLine } from './logger.ts';

/** What a runtime tells about its models, each thing once for each model. */
export interface ModelNotes {
  /** A model is about to be used: what nobody declared of it is named (SPEC-08). */
  used(info: ModelInfo): LogLine | undefined;
  /** A call ended: one that reports no usage adds zeros (USAGE-04). */
  answered(info: ModelInfo, end: Pick<ModelEnd, 'usage' | 'fault'>): LogLine | undefined;
}

export function createModelNotes(): ModelNotes {
  const told = new Set<string>();

  function once(info: ModelInfo, topic: string, line: Omit<LogLine, 'level'>): LogLine | undefined {
    const key = `${topic} ${info.provider}/${info.id}`;
    if (told.has(key)) return undefined;
    told.add(key);
    return { level: 'warn', ...line };
  }

  return {
    used(info) {
      // Offline models say what they are.
      const unknown = info.source === 'offline' ? [] : unknownFields(info);
      if (unknown.length === 0) return undefined;
      return once(info, 'metadata', {
        message: `[flue:model] ${unknown.join(', ')} of this model ${unknown.length === 1 ? 'is' : 'are'} unknown; name them in registerProvider({ models }).`,
        attributes: { model: `${info.provider}/${info.id}`, unknown },
      });
    },
    answered(info, { usage, fault }) {
      if (info.source === 'offline' || fault || usage.totalTokens > 0) return undefined;
      return once(info, 'usage', {
        message: '[flue:model] This model reports no usage, so its calls count as zero tokens and no cost.',
        attributes: { model: `${info.provider}/${info.id}` },
      });
    },
  };
}

/** Without a window nothing is compacted by threshold. */
function unknownFields({ contextWindow, maxTokens }: ModelInfo): string[] {
  return [...(contextWindow > 0 ? [] : ['contextWindow']), ...(maxTokens > 0 ? [] : ['maxTokens'])];
}
