import fc from 'fast-check';
import type { DecodedBatch } from './decoded-batch.ts';
import { batch } from './worked-example.fixture.ts';

/** Streams as an owner may write them: responses of some turns, with admissions and data between any two batches. */

type Loose = Parameters<typeof batch>[1];

interface Turn {
  /** blocks of text or thinking, each with the number of its drafts and whether they cover it */
  blocks: { kind: 'text' | 'thinking'; text: string; drafts: number; whole: boolean }[];
  calls: ('ok' | 'error')[];
  /** what comes before each batch of the turn: nothing, an admission, a data part, metadata */
  between: ('nothing' | 'admission' | 'data' | 'metadata')[];
  cut: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  blocks: fc.array(
    fc.record({
      kind: fc.constantFrom('text', 'thinking'),
      text: fc.string({ minLength: 1, maxLength: 12 }),
      drafts: fc.nat(3),
      whole: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  calls: fc.array(fc.constantFrom('ok', 'error'), { maxLength: 2 }),
  between: fc.array(fc.constantFrom('nothing', 'admission', 'data', 'metadata'), { maxLength: 12 }),
  cut: fc.boolean(),
});

export const randomStream: fc.Arbitrary<DecodedBatch[]> = fc
  .array(fc.array(turn, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map(writeStream);

const model = { provider: 'offline', id: 'm', api: 'offline' };
const at = (second: number) => `2026-07-17T10:00:${String(second % 60).padStart(2, '0')}.000Z`;

function writeStream(responses: Turn[][]): DecodedBatch[] {
  const batches: DecodedBatch[] = [];
  const write = (...records: Loose[]) => void batches.push(batch(batches.length + 1, ...records));
  let admitted = 0;
  const admit = (...before: Loose[]) => {
    admitted += 1;
    const acceptedAt = at(batches.length + 1);
    write(...before, { type: 'user_message', submissionId: `sub_${admitted}`, body: 'x', acceptedAt });
  };
  let next = 0;
  responses.forEach((turns, index) => {
    next += 1;
    if (admitted < next)
      admit(...(index === 0 ? [{ type: 'conversation_opened' as const, kind: 'root', uid: 'inst_U' }] : []));
    writeResponse(`sub_${next}`, turns, write, admit);
  });
  return batches;
}

function writeResponse(
  submissionId: string,
  turns: Turn[],
  write: (...records: Loose[]) => void,
  admit: () => void,
): void {
  const host = { submissionId };
  const places = new Map<string, number>();
  let part = 0;
  let stepped = false;
  write({ type: 'submission_moved', ...host, to: 'running', attempt: 1 });

  turns.forEach(({ blocks, calls, between, cut }, index) => {
    const number = index + 1;
    const events = [...between];
    const happen = () => {
      const event = events.shift();
      if (event === 'admission') admit();
      if (event === 'metadata')
        write({ type: 'metadata_merged', ...host, metadata: { [`k${events.length}`]: number } });
      if (event === 'data' && stepped) {
        const name = `d${events.length % 2}`;
        const place = places.get(name) ?? part++;
        places.set(name, place);
        write({ type: 'data_written', ...host, name, data: events.length, part: place });
      }
    };

    // Drafts cover a prefix of the message: whole blocks, then perhaps a part of one (RCD-57).
    let drafting = true;
    let opened = false;
    const begun = blocks.map(({ kind, text, drafts, whole }) => {
      drafting &&= drafts > 0;
      if (!drafting) return { type: kind, text };
      let place: number | undefined;
      const size = Math.ceil(text.length / (whole ? drafts : drafts + 1));
      const end = whole ? text.length : size * Math.floor((text.length - 1) / size);
      for (let from = 0; from < Math.max(end, 1); from += size) {
        happen();
        place ??= part++;
        const delta = text.slice(from, from + size);
        write({
          type: 'assistant_delta',
          ...host,
          turn: number,
          part: place,
          at: from,
          kind,
          delta,
          ...(!opened && { model }),
        });
        opened = true;
      }
      drafting = whole;
      return { type: kind, text, part: place };
    });
    happen();
    const content = begun.map((block) => ('part' in block ? block : { ...block, part: part++ }));
    const asked = cut
      ? []
      : calls.map((_, place) => ({
          type: 'call',
          id: `c${number}_${place}`,
          tool: 't',
          args: '{}',
          valid: true,
          part: part++,
        }));
    const stop = cut ? 'aborted' : asked.length > 0 ? 'toolUse' : 'stop';
    write({ type: 'assistant_message', ...host, turn: number, model, content: [...content, ...asked], stop });
    stepped ||= !cut;
    asked.forEach(({ id }, place) => {
      happen();
      const outcome = calls[place] === 'ok' ? { output: place } : { content: [{ type: 'text', text: 'no' }] };
      write({
        type: 'call_settled',
        ...host,
        turn: number,
        call: id,
        tool: 't',
        status: calls[place],
        ...outcome,
      });
    });
    happen();
  });
  write({ type: 'submission_settled', ...host, outcome: 'completed' });
}
