import type { BeatResult, OwnerRecord, StoredOwner } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { prepareStamp } from './stamp.ts';
import { decodeText, encodeText } from './text.ts';

/** Rows of owners that are gone and hold nothing stay this long (RET-03). */
const FORGET_MS = 3_600_000;

interface OwnerColumns {
  readonly owner_id: string;
  readonly machine_id: string | null;
  readonly boot_id: string | null;
  readonly pid_namespace: string | null;
  readonly pid: number | null;
  readonly process_start: string | null;
  readonly runtime_start: number;
  readonly agents: string;
  readonly state: 'live' | 'stopped';
  readonly last_beat: number;
  readonly lease_ms: number;
}

export interface BeatOptions {
  readonly leaseMs: number;
  readonly retire?: readonly { readonly ownerId: string; readonly lastBeat?: number }[];
}

/** BEA-01..BEA-03. Retirement comes first, so its guard sees the beat that the caller saw; it is never undone. */
export function prepareBeat(connection: Connection) {
  const { db, now } = connection;
  const retire = db.prepare(
    `UPDATE flue_owner SET state = 'stopped', expires_at = 0
     WHERE owner_id = ? AND last_beat = coalesce(?, last_beat) AND state = 'live'`,
  );
  const renew = db
    .prepare<[Record<string, unknown>], 'live' | 'stopped'>(
      `INSERT INTO flue_owner (owner_id, machine_id, boot_id, pid_namespace, pid, process_start, runtime_start, agents,
         state, last_beat, lease_ms, expires_at)
       VALUES (@ownerId, @machineId, @bootId, @pidNamespace, @pid, @processStart, @runtimeStart, @agents,
         @state, @now, @leaseMs, @now + @leaseMs)
       ON CONFLICT (owner_id) DO UPDATE SET last_beat = excluded.last_beat, lease_ms = excluded.lease_ms,
         agents = excluded.agents, expires_at = CASE state WHEN 'live' THEN excluded.expires_at ELSE 0 END
       RETURNING state`,
    )
    .pluck();
  const forget = db.prepare(
    `DELETE FROM flue_owner WHERE last_beat < ?
       AND NOT EXISTS (SELECT 1 FROM flue_instance i WHERE i.owner = flue_owner.id AND i.head_row IS NOT NULL)`,
  );
  const findPeers = db.prepare<[string], OwnerColumns>(
    `SELECT * FROM flue_owner o WHERE o.owner_id <> ?
       AND EXISTS (SELECT 1 FROM flue_instance i WHERE i.owner = o.id AND i.head_row IS NOT NULL)`,
  );
  const findAborts = db.prepare<
    [string],
    { path: string; submission_id: string; abort_requested_at: number }
  >(
    `SELECT i.path, s.submission_id, s.abort_requested_at
     FROM flue_owner o JOIN flue_instance i ON i.owner = o.id AND i.head_row IS NOT NULL
     JOIN flue_submission s ON s.id = i.head_row
     WHERE o.owner_id = ? AND s.status = 'running' AND s.abort_requested_at IS NOT NULL`,
  );

  const stamp = prepareStamp(db);

  return (self: OwnerRecord, o: BeatOptions): BeatResult => {
    const at = now();
    const ownerId = encodeText(self.ownerId);
    for (const owner of o.retire ?? []) retire.run(encodeText(owner.ownerId), owner.lastBeat ?? null);
    const retiresSelf = o.retire?.some((owner) => owner.ownerId === self.ownerId) ?? false;
    const state = renew.get({
      ...columnsOf(self),
      state: retiresSelf ? 'stopped' : 'live',
      now: at,
      leaseMs: o.leaseMs,
    });
    forget.run(at - FORGET_MS);
    const aborts = findAborts.all(ownerId).map((row) => ({
      path: decodeText(row.path),
      submissionId: decodeText(row.submission_id),
      requestedAt: row.abort_requested_at,
    }));
    return {
      now: at,
      self: state === 'live' ? 'live' : 'retired',
      peers: findPeers.all(ownerId).map(decodeOwner),
      aborts,
      format: stamp(),
    };
  };
}

function columnsOf(owner: OwnerRecord) {
  const text = (value: string | undefined) => (value === undefined ? null : encodeText(value));
  return {
    ownerId: encodeText(owner.ownerId),
    machineId: text(owner.machineId),
    bootId: text(owner.bootId),
    pidNamespace: text(owner.pidNamespace),
    pid: owner.pid ?? null,
    processStart: text(owner.processStart),
    runtimeStart: owner.runtimeStart,
    agents: JSON.stringify(owner.agents),
  };
}

function decodeOwner(c: OwnerColumns): StoredOwner {
  return {
    ownerId: decodeText(c.owner_id),
    ...(c.machine_id === null ? {} : { machineId: decodeText(c.machine_id) }),
    ...(c.boot_id === null ? {} : { bootId: decodeText(c.boot_id) }),
    ...(c.pid_namespace === null ? {} : { pidNamespace: decodeText(c.pid_namespace) }),
    ...(c.pid === null ? {} : { pid: c.pid }),
    ...(c.process_start === null ? {} : { processStart: decodeText(c.process_start) }),
    runtimeStart: c.runtime_start,
    agents: JSON.parse(c.agents) as string[],
    state: c.state,
    lastBeat: c.last_beat,
    leaseMs: c.lease_ms,
  };
}
