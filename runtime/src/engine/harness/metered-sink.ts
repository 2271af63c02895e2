import { addUsage, NO_USAGE } from '../../conversation/add-usage.ts';
import type { PromptUsage } from '../../ports/model-shapes.ts';
import type { BatchBuilder, Sink } from '../sink.ts';

/**
 * The same sink, and the sum of what became durable through it: every model call of an operation is recorded through its
 * own sink, those of the tasks and harnesses below it included (USAGE-02).
 */
export function meterUsage(sink: Sink): { readonly sink: Sink; readonly usage: () => PromptUsage } {
  let sum = NO_USAGE;
  const metered: Sink = {
    get state() {
      return sink.state;
    },
    async write(build, o) {
      let written: PromptUsage[] = [];
      await sink.write((batch) => {
        written = [];
        build(counting(batch, (usage) => written.push(usage)));
      }, o);
      for (const usage of written) sum = addUsage(sum, usage);
    },
  };
  return { sink: metered, usage: () => sum };
}

function counting(batch: BatchBuilder, count: (usage: PromptUsage) => void): BatchBuilder {
  return {
    add(records, rows) {
      batch.add(records, rows);
      for (const record of records) {
        if (record.type !== 'assistant_message' && record.type !== 'compaction') continue;
        if (record.usage) count(record.usage);
      }
    },
    attach: (attachments) => batch.attach(attachments),
    release: () => batch.release(),
  };
}
