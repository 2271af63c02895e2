import { StepFailed } from './run-step.mjs';

const REPLY_MS = 30_000;

/** Sends one message and follows the conversation until that message is settled. */
export async function ask(conversation, body) {
  const deadline = AbortSignal.timeout(REPLY_MS);
  const admission = await request(conversation, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'user', body }),
    signal: deadline,
  });
  const { streamUrl, submissionId, offset } = await admission.json();

  let from = offset;
  for (;;) {
    const page = await request(`${streamUrl}?view=updates&live=long-poll&offset=${from}`, {
      signal: deadline,
    });
    const settlement = settlementIn(await page.json(), submissionId);
    if (settlement?.outcome === 'completed') return settlement;
    if (settlement) {
      throw new StepFailed(
        `The message settled as ${settlement.outcome}: ${settlement.error?.message ?? 'no error was recorded'}`,
        conversation,
        'Read the agent in src/agents, and its tools in src/tools.',
      );
    }
    from = page.headers.get('stream-next-offset') ?? from;
  }
}

/** A settlement arrives as a chunk of its own, or inside the snapshot that replaces everything before it. */
function settlementIn(chunks, submissionId) {
  return chunks
    .flatMap((chunk) => {
      if (chunk.type === 'submission-settled') return [chunk];
      return chunk.type === 'conversation-reset' ? chunk.snapshot.settlements : [];
    })
    .find((settlement) => settlement.submissionId === submissionId);
}

export async function readTranscript(conversation) {
  const history = await request(`${conversation}?view=history`);
  return (await history.json()).messages;
}

async function request(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    const late = error.name === 'TimeoutError';
    throw new StepFailed(
      late
        ? `There was no reply within ${REPLY_MS / 1000} s.`
        : `The server could not be reached: ${error.message}`,
      url,
      'Start it by hand to see its log: FLUE_LOG=info node dist/server.mjs',
    );
  }
  if (response.ok) return response;
  const text = await response.text();
  throw new StepFailed(
    `The server answered ${response.status}: ${text}`,
    url,
    'The answer names what is wrong.',
  );
}
