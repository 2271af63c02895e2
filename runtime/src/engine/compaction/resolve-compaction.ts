import type { ModelGateway, ModelInfo } from '../../ports/model-gateway.ts';
import type { ModelChoice } from '../hooks/frame.ts';
import type { ConversationCompaction } from '../turn-scope.ts';
import { compactionLimits } from './limits.ts';

/**
 * What the compactions of a conversation with this model go by (CMP-02, CMP-07). Another model for the summaries is
 * resolved now like the model itself, so that a typo fails early (MODEL-07).
 */
export async function resolveCompaction(
  gateway: ModelGateway,
  { specifier, compaction }: Pick<ModelChoice, 'specifier' | 'compaction'>,
  info: ModelInfo,
): Promise<ConversationCompaction> {
  const summarizer = compaction === false ? undefined : compaction.model;
  return {
    limits: compactionLimits(compaction, info),
    model:
      summarizer === undefined
        ? { specifier, info }
        : { specifier: summarizer, info: await gateway.resolve(summarizer) },
  };
}
