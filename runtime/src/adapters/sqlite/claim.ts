import type { Claim, ClaimOptions, PreviousOwner } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { prepareViewParts } from './load.ts';
import { decodeInstance, type InstanceColumns } from './rows.ts';
import { decodeText, encodeText } from './text.ts';

/** A live owner row counts for agent listing while its last beat is younger than this (BEA-02). */
const LISTED_MS = 90_000;

interface Candidate {
  readonly instance: number;
  readonly head_row: number;
  readonly caller: number;
  readonly previous_owner: string | null;
  readonly reason: PreviousOwner;
}

const LISTED = (list: string) => `(SELECT value FROM json_each(@${list}))`;

/** The part of CLM-01 about the agent, over `i` and its head `s`. */
const SERVABLE = `(
  i.agent IN ${LISTED('agents')}
  OR s.abort_requested_at IS NOT NULL
  OR (coalesce(s.first_claimed_at, unixepoch(s.accepted_at, 'subsec') * 1000) + s.timeout_ms <= @now
    AND NOT EXISTS (SELECT 1 FROM flue_owner l WHERE l.state = 'live' AND l.last_beat > @now - ${LISTED_MS}
      AND EXISTS (SELECT 1 FROM json_each(l.agents) WHERE value = i.agent))))`;

/** A retired or unknown caller has no row here, so it gets nothing (CLM-05). */
const CALLER = `WITH me AS (SELECT id FROM flue_owner WHERE owner_id = @me AND state = 'live')`;

const CANDIDATE = 'SELECT i.id AS instance, i.head_row, me.id AS caller';

/** A bound limit by itself would make the engine compile the statement anew at every call; a sum does not. */
const OLDEST_FIRST = 'ORDER BY head_row LIMIT @limit + 0';

/** Nobody's. */
const WAITING = `${CANDIDATE}, NULL AS previous_owner, 'none' AS reason
  FROM me CROSS JOIN flue_instance i JOIN flue_submission s ON s.id = i.head_row
  WHERE i.owner IS NULL AND i.head_row IS NOT NULL AND ${SERVABLE}`;

/** Another's who cannot go on. */
const ABANDONED = `${CANDIDATE}, o.owner_id AS previous_owner, CASE
    WHEN o.state = 'stopped' THEN 'stopped'
    WHEN o.owner_id IN ${LISTED('dead')} THEN 'dead'
    WHEN o.expires_at < @now AND o.owner_id NOT IN ${LISTED('alive')} THEN 'expired'
    ELSE 'hung' END AS reason
  FROM me CROSS JOIN flue_owner o
    CROSS JOIN flue_instance i ON i.owner = o.id AND i.head_row IS NOT NULL
    JOIN flue_submission s ON s.id = i.head_row
  WHERE (o.expires_at < @now OR o.last_beat <= @now - @hung OR o.owner_id IN ${LISTED('dead')})
    AND o.id <> me.id
    AND (o.state = 'stopped' OR o.last_beat <= @now - @hung OR o.owner_id IN ${LISTED('dead')}
      OR o.owner_id NOT IN ${LISTED('alive')})
    AND ${SERVABLE}`;

/** The caller's own, where it asks for a new epoch. */
const OWN = `${CALLER} ${CANDIDATE}, @me AS previous_owner, 'self' AS reason
  FROM me CROSS JOIN json_each(@paths) p CROSS JOIN flue_instance i ON i.path = p.value AND i.owner = me.id
    JOIN flue_submission s ON s.id = i.head_row
  WHERE ${SERVABLE}`;

type Taken = Omit<InstanceColumns, 'owner_id'> & { readonly path: string };

function byAge(a: Candidate, b: Candidate): number {
  return a.head_row - b.head_row;
}

/** CLM-01..CLM-05: the oldest eligible heads, each taken under a new epoch with one more attempt counted. */
export function prepareClaim(connection: Connection) {
  const { db, now } = connection;
  const findOthers = db.prepare<[Record<string, unknown>], Candidate>(
    `${CALLER} ${WAITING} UNION ALL ${ABANDONED} ${OLDEST_FIRST}`,
  );
  const findOwn = db.prepare<[Record<string, unknown>], Candidate>(OWN);
  const take = db.prepare<[number, string, number], Taken>(
    `UPDATE flue_instance SET owner = ?, epoch_owner = ?, epoch = epoch + 1, batch_seq = 0, batch_last = 0
     WHERE id = ? RETURNING id, path, uid, incarnation, created_at, epoch, head`,
  );
  const start = db.prepare(
    `UPDATE flue_submission SET status = 'running', attempts = attempts + 1,
       first_claimed_at = coalesce(first_claimed_at, ?) WHERE id = ?`,
  );
  const viewParts = prepareViewParts(connection);

  return (ownerId: string, o: ClaimOptions): Claim[] => {
    const at = now();
    const me = encodeText(ownerId);
    const scope = { me, now: at, limit: o.limit, agents: list(o.agents) };
    const own = o.paths && o.paths.length > 0 ? findOwn.all({ ...scope, paths: list(o.paths) }) : [];
    const lists = { hung: o.hungOwnerMs, dead: list(o.dead), alive: list(o.alive) };
    const oldest = findOthers.all(Object.assign(lists, scope));
    return [...own, ...oldest].sort(byAge).map((candidate) => {
      const taken = take.get(candidate.caller, me, candidate.instance) as Taken;
      start.run(at, candidate.head_row);
      return claimOf(ownerId, candidate, taken);
    });
  };

  function claimOf(ownerId: string, candidate: Candidate, taken: Taken): Claim {
    const path = decodeText(taken.path);
    const instance = { ownerId, ...decodeInstance(path, { owner_id: null, ...taken }) };
    const { checkpoint, rows } = viewParts(path, taken);
    const row = rows.find((r) => r.status === 'running');
    if (!row) throw new Error(`[flue] the head of "${path}" is not among its unsettled rows`);
    const previous =
      candidate.previous_owner === null
        ? { reason: candidate.reason }
        : { reason: candidate.reason, ownerId: decodeText(candidate.previous_owner) };
    const joined = rows.filter((r) => r.status === 'joined');
    return { path, epoch: taken.epoch, row, joined, view: { instance, checkpoint, rows }, previous };
  }
}

function list(values: readonly string[]): string {
  return JSON.stringify(values.map(encodeText));
}
