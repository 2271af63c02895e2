import { createHash } from 'node:crypto';
import type {
  Admission,
  AttachmentPut,
  Claim,
  ClaimOptions,
  Commit,
  Fence,
  FlueStore,
  OwnerRecord,
} from '../../ports/store.ts';

export const PATH = 'agents/orders/42';

/** An admission with everything filled in; give what the scenario is about. */
export function admission(o: Partial<Admission> & { readonly submissionId: string }): Admission {
  const path = o.path ?? PATH;
  return {
    path,
    kind: 'dispatch',
    payload: JSON.stringify({ text: `payload of ${o.submissionId}` }),
    digest: `digest of ${o.submissionId}`,
    acceptedAt: '2026-01-01T00:00:00.000Z',
    maxAttempts: 10,
    timeoutMs: 3_600_000,
    create: { uid: `uid of ${path}`, incarnation: `inc_${path}`, birth: body('conversation_opened') },
    accepted: body('user_message', o.submissionId),
    ...o,
  };
}

/** A record body; the store never looks into it. */
export function body(type: string, note = ''): string {
  return JSON.stringify({ v: 1, type, note });
}

export function owner(ownerId: string, agents: readonly string[] = ['orders']): OwnerRecord {
  return { ownerId, runtimeStart: 1, agents };
}

export async function beat(store: FlueStore, ownerId: string, agents?: readonly string[]) {
  return store.beat(owner(ownerId, agents), { leaseMs: 5000 });
}

export function claimOptions(o: Partial<ClaimOptions> = {}): ClaimOptions {
  return { agents: ['orders'], limit: 100, dead: [], alive: [], hungOwnerMs: 30_000, ...o };
}

/** Admits one submission, makes `ownerId` live and claims it. */
export async function claimOne(store: FlueStore, ownerId: string, submissionId: string): Promise<Claim> {
  await store.admit(admission({ submissionId }));
  await beat(store, ownerId);
  return claimHead(store, ownerId);
}

/** The one claim that is expected; fails when there is none or more. */
export async function claimHead(
  store: FlueStore,
  ownerId: string,
  o?: Partial<ClaimOptions>,
): Promise<Claim> {
  const claims = await store.claim(ownerId, claimOptions(o));
  const [claim] = claims;
  if (!claim || claims.length > 1) throw new Error(`expected one claim for ${ownerId}, got ${claims.length}`);
  return claim;
}

export function fenceOf(claim: Claim, ownerId: string): Fence {
  return { path: claim.path, ownerId, epoch: claim.epoch };
}

export function commit(seq: number, o: Partial<Commit> = {}): Commit {
  return { seq, class: 'durable', records: [body('signal', `batch ${seq}`)], ...o };
}

export function attachment(id: string, bytes: Uint8Array, o: Partial<AttachmentPut> = {}): AttachmentPut {
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { id, mimeType: 'image/png', size: bytes.byteLength, digest, bytes, conversationId: 'conv_1', ...o };
}

/** Everything that the port shows of a path: two observations are equal exactly when nothing changed. */
export async function observe(store: FlueStore, submissionIds: readonly string[] = [], path = PATH) {
  return {
    view: await store.load(path),
    stream: await store.read(path, { limit: 1000 }),
    rows: await Promise.all(submissionIds.map((id) => store.submission(id))),
  };
}

/** What a call rejects with; fails when it resolves. */
export async function rejection(
  call: Promise<unknown>,
): Promise<{ type?: string; meta?: Record<string, unknown> }> {
  try {
    await call;
  } catch (error) {
    return error as { type?: string; meta?: Record<string, unknown> };
  }
  throw new Error('expected a rejection');
}
