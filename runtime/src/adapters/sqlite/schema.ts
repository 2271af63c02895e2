/**
 * The tables of a store, and what each key is for.
 *
 * - `flue_batch.key` is `instance << 32 | batch`: one B-tree clustered by stream, with no second index to write. The
 *   long path stands once, in `flue_instance`.
 * - `flue_submission.id` ascends with admission over all instances, so it is both the order within an instance and the
 *   age of a head.
 * - `flue_instance.head_row` is the oldest unsettled, non-joined row. With `owner` it forms the index of runnable heads
 *   (`owner IS NULL`) and of an owner's work; an idle instance is not in it.
 * - `flue_instance.owner` names a row of `flue_owner` without a foreign key, whose check would need an index over idle
 *   instances too; an owner row goes only when it holds nothing.
 * - A payload above `INLINE_PAYLOAD` lives in `flue_payload`, because a status change rewrites its whole row (CMT-09).
 */
export const SCHEMA = `
CREATE TABLE flue_owner (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id TEXT NOT NULL UNIQUE,
  machine_id TEXT, boot_id TEXT, pid_namespace TEXT, pid INTEGER, process_start TEXT,
  runtime_start INTEGER NOT NULL,
  agents TEXT NOT NULL,
  state TEXT NOT NULL,
  last_beat INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX flue_owner_expiry ON flue_owner (expires_at);
CREATE INDEX flue_owner_beat ON flue_owner (last_beat);

CREATE TABLE flue_instance (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  uid TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  owner INTEGER,
  epoch_owner TEXT,
  batch_seq INTEGER NOT NULL,
  batch_last INTEGER NOT NULL,
  head INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  head_row INTEGER
) STRICT;
CREATE INDEX flue_instance_runnable ON flue_instance (owner, head_row) WHERE head_row IS NOT NULL;

CREATE TABLE flue_submission (
  id INTEGER PRIMARY KEY,
  submission_id TEXT NOT NULL UNIQUE,
  instance INTEGER NOT NULL REFERENCES flue_instance (id),
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  accepted_at TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  first_claimed_at INTEGER,
  abort_requested_at INTEGER,
  host TEXT,
  admitted INTEGER NOT NULL,
  input INTEGER,
  settled INTEGER,
  outcome TEXT,
  error TEXT,
  settled_at INTEGER
) STRICT;
CREATE INDEX flue_submission_rows ON flue_submission (instance, outcome);
CREATE TABLE flue_payload (submission INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;

CREATE TABLE flue_batch (
  key INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  draft INTEGER NOT NULL,
  records TEXT NOT NULL
) STRICT;

CREATE TABLE flue_checkpoint (
  instance INTEGER PRIMARY KEY REFERENCES flue_instance (id),
  batch INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  fold_format INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE flue_blob (
  instance INTEGER NOT NULL REFERENCES flue_instance (id),
  digest TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (instance, digest)
) STRICT;
CREATE TABLE flue_attachment (
  instance INTEGER NOT NULL REFERENCES flue_instance (id),
  attachment_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  filename TEXT,
  PRIMARY KEY (instance, attachment_id)
) STRICT, WITHOUT ROWID;
`;

/** Holds the stamp; created before any other table (VER-01). */
export const META_SCHEMA =
  'CREATE TABLE flue_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID';

/** Characters; a longer payload moves out of its row. */
export const INLINE_PAYLOAD = 4096;
