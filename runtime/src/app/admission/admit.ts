import { hash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { DeliveredMessage, StoredMessage } from '../../conversation/delivered-message.ts';
import { type ConversationRecord, encodeRecord } from '../../conversation/records/index.ts';
import { snapshotJson } from '../../engine/json-value.ts';
import { misuse } from '../../errors/flue-error.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import type { Admission, AdmitResult, AttachmentPut, FlueStore } from '../../ports/store.ts';
import type { OwnAdmissions } from '../../submissions/own-admissions.ts';
import { AgentInstanceExistsError, AgentInstanceNotFoundError, SubmissionConflictError } from '../errors.ts';
import { parseInitialData, type RegisteredAgent } from '../registry.ts';
import { type Admitted, instancePath, type Send } from '../runtime.ts';
import type { KnownInstances } from './known-instances.ts';
import { validateMessage } from './validate-message.ts';

export interface AdmissionPorts {
  readonly store: FlueStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly known: KnownInstances;
  readonly own: OwnAdmissions;
}

type Birth = NonNullable<Admission['create']>;

/**
 * Takes one delivery into an instance's queue: everything that can be wrong with it is refused first, then one store
 * transaction makes it durable, creating the instance when it is new (DSP-05, DSP-07, CND-06).
 */
export async function admitSend(
  ports: AdmissionPorts,
  agent: RegisteredAgent,
  send: Send,
): Promise<Admitted> {
  const acceptedAt = new Date(ports.clock.now()).toISOString();
  const delivery = validateSend(agent.identity, send);
  const submissionId = delivery.key ?? `sub_${ports.ids.ulid()}`;
  const { stored, puts } = separateAttachments(delivery.message, submissionId);

  const record = acceptedRecord(stored, submissionId, acceptedAt);
  const accepted = encodeRecord(record);
  const remember = (birth?: ConversationRecord, size = 0) => {
    // Of a key another delivery may have come before, and what a schema made is only as its JSON tells.
    if (delivery.key !== undefined || agent.initialData || delivery.initialData !== undefined) return;
    ports.own.expect(submissionId, { birth, accepted: record, size: accepted.length + size });
  };
  const admission: Admission = {
    path: delivery.path,
    submissionId,
    kind: send.kind,
    payload: JSON.stringify(stored),
    digest: digestOf(delivery.path, stored, delivery.initialData),
    acceptedAt,
    ...agent.durability,
    ...(delivery.uid !== undefined && { condition: delivery.uid }),
    accepted,
    ...(puts.length > 0 && { attachments: puts }),
  };
  remember();
  const birth = (initialData: JsonValue | undefined) => createWith(ports, acceptedAt, initialData, remember);

  const result = await admitOrCreate(ports, admission, agent, delivery, birth);
  return receipt(result, delivery, acceptedAt);
}

interface Delivery {
  readonly path: string;
  readonly id: string;
  readonly message: DeliveredMessage;
  readonly initialData: JsonValue | undefined;
  readonly uid: string | null | undefined;
  /** the submission id that an idempotency key names */
  readonly key: string | undefined;
}

function validateSend(identity: string, send: Send): Delivery {
  const id = validateInstanceId(send.id);
  const message = validateMessage(send.message);
  const { uid } = send;
  if (uid !== undefined && uid !== null && (typeof uid !== 'string' || uid === '')) {
    throw new InvalidRequestError({ field: 'uid', rule: 'must be a non-empty string or null' });
  }
  if (typeof uid === 'string' && send.initialData !== undefined) {
    const rule = 'cannot be combined with a string uid, which forbids creation';
    throw new InvalidRequestError({ field: 'initialData', rule, code: 'FLUE4003' });
  }
  const initialData = snapshot(send.initialData);
  const bytes = Buffer.byteLength(JSON.stringify([withoutBytes(message), initialData ?? null]));
  if (bytes > LIMITS.messageBytes) {
    const rule = `and initialData must take at most ${LIMITS.messageBytes} bytes as JSON; these take ${bytes}`;
    throw new InvalidRequestError({ field: 'message', rule });
  }
  const key = send.idempotencyKey === undefined ? undefined : keyedId(identity, id, send.idempotencyKey);
  return { path: instancePath(identity, id), id, message, initialData, uid, key };
}

/** A missing or blank id is a mistake in the caller's code (DSP-04); one that is too long is bad input (MSG-11). */
export function validateInstanceId(id: unknown): string {
  if (typeof id !== 'string' || id.trim() === '') {
    throw misuse('an instance id must be a non-empty string.', 'FLUE4002');
  }
  if (Buffer.byteLength(id) > LIMITS.instanceIdBytes) {
    throw new InvalidRequestError({
      field: 'id',
      rule: `must take at most ${LIMITS.instanceIdBytes} UTF-8 bytes`,
    });
  }
  return id;
}

function snapshot(initialData: unknown): JsonValue | undefined {
  if (initialData === undefined) return undefined;
  try {
    return snapshotJson(initialData, 'initialData');
  } catch (cause) {
    const rule = `must be JSON: ${(cause as Error).message}`;
    throw new InvalidRequestError({ field: 'initialData', rule, cause });
  }
}

function withoutBytes(message: DeliveredMessage): unknown {
  if (message.kind !== 'user' || !message.attachments) return message;
  return { ...message, attachments: message.attachments.map(({ data: _bytes, ...rest }) => rest) };
}

/** DSP-10: the key names the delivery, in the scope of one instance. */
function keyedId(identity: string, id: string, key: unknown): string {
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idempotencyKeyChars) {
    const rule = `must be a string of 1 to ${LIMITS.idempotencyKeyChars} characters`;
    throw new InvalidRequestError({ field: 'idempotencyKey', rule });
  }
  const digest = hash('sha256', `flue-submission-key\n${identity}\n${id}\n${key}`);
  return `sub_ik_${digest.slice(0, 32)}`;
}

/** Stored messages hold references; the bytes go beside them into the same transaction (ATT-02, ATT-04, ATT-05). */
function separateAttachments(
  message: DeliveredMessage,
  submissionId: string,
): { stored: StoredMessage; puts: AttachmentPut[] } {
  if (message.kind === 'signal' || !message.attachments)
    return { stored: message as StoredMessage, puts: [] };
  const puts = message.attachments.map(({ data, mimeType, filename }, index): AttachmentPut => {
    const bytes = Buffer.from(data, 'base64');
    return {
      id: `att_${submissionId}_${index}`,
      mimeType,
      size: bytes.byteLength,
      digest: hash('sha256', bytes),
      ...(filename !== undefined && { filename }),
      bytes,
      conversationId: 'root',
    };
  });
  const attachments = puts.map(({ bytes: _bytes, conversationId: _conversation, ...ref }) => ref);
  return { stored: { kind: 'user', body: message.body, attachments }, puts };
}

/** ADM-02: what makes two deliveries the same one; times, transport and trace data do not count. */
function digestOf(path: string, message: StoredMessage, initialData: JsonValue | undefined): string {
  const identity = { path, message: withoutIds(message), initialData };
  return hash('sha256', canonicalJson(identity));
}

function withoutIds(message: StoredMessage): unknown {
  if (message.kind === 'signal' || !message.attachments) return message;
  return { ...message, attachments: message.attachments.map(({ id: _id, ...rest }) => rest) };
}

function acceptedRecord(
  message: StoredMessage,
  submissionId: string,
  acceptedAt: string,
): ConversationRecord {
  const envelope = { v: 1 as const, ts: acceptedAt, submissionId, acceptedAt };
  if (message.kind === 'user') {
    const { body, attachments } = message;
    return { type: 'user_message', body, ...envelope, ...(attachments && { attachments }) };
  }
  const { kind: _kind, type, ...content } = message;
  return { type: 'signal', signalType: type, ...envelope, ...content };
}

function createWith(
  ports: AdmissionPorts,
  ts: string,
  initialData: JsonValue | undefined,
  remember: (birth: ConversationRecord, size: number) => void,
): Birth {
  const uid = `inst_${ports.ids.ulid()}`;
  const birth: ConversationRecord = {
    v: 1,
    ts,
    type: 'conversation_opened',
    kind: 'root',
    uid,
    ...(initialData !== undefined && { initialData }),
  };
  const text = encodeRecord(birth);
  remember(birth, text.length);
  return { uid, incarnation: `inc_${ports.ids.ulid()}`, birth: text };
}

/**
 * Creation data is validated only by the send that creates (DSP-05, DSP-06). Without a schema there is nothing to
 * validate and one call does both; with one, the schema runs only once the store has said that there is no instance. An
 * instance that is known to be there needs no birth, whose ids and record cost a tenth of a send.
 */
async function admitOrCreate(
  { store, known }: AdmissionPorts,
  admission: Admission,
  agent: RegisteredAgent,
  delivery: Delivery,
  birth: (initialData: JsonValue | undefined) => Birth,
): Promise<AdmitResult> {
  if (typeof admission.condition === 'string') return store.admit(admission);
  if (agent.initialData || known.has(admission.path)) {
    const continued = await store.admit(admission);
    if (continued.kind !== 'missing') return continued;
  }
  const create = birth(
    agent.initialData ? parseInitialData(agent, delivery.initialData) : delivery.initialData,
  );
  const result = await store.admit({ create, ...admission });
  known.add(admission.path);
  return result;
}

function receipt(result: AdmitResult, delivery: Delivery, acceptedAt: string): Admitted {
  switch (result.kind) {
    case 'conflict':
      throw new SubmissionConflictError({ submissionId: result.submissionId });
    case 'missing':
      throw new AgentInstanceNotFoundError({ id: delivery.id });
    case 'exists':
      throw new AgentInstanceExistsError({ uid: result.uid });
    default:
      return {
        submissionId: result.submission.submissionId,
        acceptedAt: result.kind === 'replayed' ? result.submission.acceptedAt : acceptedAt,
        uid: result.uid,
        offset: result.admittedOffset,
        ...(result.kind === 'replayed' && { deduplicated: true as const }),
      };
  }
}
