import { createHash } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import { encodeRecord } from '../../conversation/records/index.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { AgentInstanceNotFoundError } from '../errors.ts';
import type { RegisteredAgent } from '../registry.ts';
import { instancePath } from '../runtime.ts';
import { type AdmissionPorts, validateInstanceId } from './admit.ts';

/** Takes one request to compact into an instance's queue; resolves with its id once it is durable (RCD-45, HND-21). */
export async function admitCompaction(
  { store, clock, ids }: Pick<AdmissionPorts, 'store' | 'clock' | 'ids'>,
  agent: RegisteredAgent,
  request: { readonly id: unknown; readonly instructions?: unknown },
): Promise<string> {
  const id = validateInstanceId(request.id);
  const instructions = validateInstructions(request.instructions);
  const path = instancePath(agent.identity, id);
  const view = await store.load(path);
  if (!view) throw new AgentInstanceNotFoundError({ id });
  const acceptedAt = new Date(clock.now()).toISOString();
  const submissionId = `cmp_${ids.ulid()}`;
  const payload = JSON.stringify({ kind: 'compact', ...(instructions !== undefined && { instructions }) });
  const result = await store.admit({
    path,
    submissionId,
    kind: 'compact',
    payload,
    digest: createHash('sha256').update(`${submissionId}\n${payload}`).digest('hex'),
    acceptedAt,
    ...agent.durability,
    // It creates nothing: without the instance there is nothing to compact.
    condition: view.instance.uid,
    accepted: encodeRecord({
      v: 1,
      ts: acceptedAt,
      type: 'compaction_requested',
      submissionId,
      acceptedAt,
      ...(instructions !== undefined && { instructions }),
    }),
  });
  if (result.kind !== 'admitted') throw new AgentInstanceNotFoundError({ id });
  return submissionId;
}

function validateInstructions(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const most = LIMITS.compactionInstructionsChars;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
  throw new InvalidRequestError({
    field: 'instructions',
    rule: `must be a text of at most ${most} characters`,
  });
}
