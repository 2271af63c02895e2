/** The persistence port, for those who write a store: its types, offsets and errors. */

export { ConversationRecordInvariantError } from './conversation/errors.ts';
export { formatOffset, ORIGIN, parseOffset } from './ports/offset.ts';
export type {
  Admission,
  AdmitResult,
  AttachmentPut,
  AttachmentRef,
  BeatResult,
  Checkpoint,
  Claim,
  ClaimOptions,
  Commit,
  CommitResult,
  Fence,
  FlueStore,
  InstanceRow,
  InstanceView,
  Offset,
  OwnerRecord,
  PersistenceAdapter,
  ReadOptions,
  ReadResult,
  RecordBody,
  RowChange,
  StoredAttachment,
  StoredBatch,
  StoredCheckpoint,
  StoredOwner,
  StoreFormat,
  SubmissionRow,
  WatchHint,
} from './ports/store.ts';
export { STORE_FORMAT } from './ports/store.ts';
export {
  AttachmentConflictError,
  AttachmentIntegrityError,
  ConversationStreamStoreError,
  OwnershipLostError,
  PersistedFormatVersionError,
  PersistenceError,
  RecordTooLargeError,
} from './ports/store-errors.ts';
