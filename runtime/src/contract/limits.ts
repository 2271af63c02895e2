const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits that the runtime enforces and the compiler reports ahead of time. Sizes are bytes unless named otherwise. */
export const LIMITS = {
  /** base64 characters of one delivered attachment (MSG-04) */
  attachmentBase64Chars: 14 * MiB,
  /** JSON of message plus `initialData`, without attachment bytes (MSG-11) */
  messageBytes: 8 * MiB,
  /** UTF-8 bytes of an instance id (MSG-11) */
  instanceIdBytes: 1024,
  /** characters of an idempotency key (DSP-10) */
  idempotencyKeyChars: 256,
  /** of a request to compact (HND-21) */
  compactionInstructionsChars: 4000,
  /** serialized records of one batch (STR-06) */
  batchBytes: 12 * MiB,
  /** one stored cell where a backend caps it (STR-06) */
  cellBytes: 512 * KiB,
  /** one `read` of a stream (QRY-05) */
  readBytes: 8 * MiB,
  /** batches of one `read` (QRY-04) */
  readBatchesDefault: 100,
  readBatchesMax: 1000,
  /** serialized settlement error (SET-06), and error `meta` on the wire (ENV-10) */
  settlementErrorBytes: 16 * KiB,
  errorMetaBytes: 16 * KiB,
  /** text of an error result that the model sees (CLS-03) */
  toolErrorBytes: 8 * KiB,
  /** of a step's value; from there on it is recorded with a warning (DTL-08) */
  stepValueWarnBytes: 256 * KiB,
  /** of one tool result, what reaches the model unless configured otherwise (STA-08, TCALL-18) */
  maxToolResultBytes: 256 * KiB,
  /** attributes of one log line (LOGE-03) */
  logAttributesBytes: 16 * KiB,
  /** from how many equal failures in a row of one call the model is told, and at how many the submission ends (TURN-18) */
  repeatedFailuresTold: 3,
  repeatedFailuresMost: 8,
  /** tool calls of one batch that run at once (TURN-05) */
  parallelToolCalls: 16,
  /** tasks and harness invocations below each other (DEPTH-01) */
  delegationDepth: 4,
  /** of a prompt for a result: messages that ask for one, and refused `finish` calls (RES-06) */
  resultFollowUps: 3,
  resultRejections: 5,
  /** times that finish hooks may continue one response (FIN-06) */
  finishCycles: 32,
  /** a tool name that every provider takes (FLUE3003); longer ones, up to the pattern's bound, some refuse */
  portableToolNameChars: 64,
  /** of one page of a file (TRD-01) */
  pageLines: 2000,
  pageBytes: 50 * KiB,
  /** content of one `write` (TWR-02) */
  writtenBytes: 5 * MiB,
  /** lines that the result of an `edit` quotes (TED-05) */
  quotedLines: 40,
  /** `bash`, seconds (TBS-03) */
  commandSeconds: 120,
  commandSecondsMost: 3600,
  /** results of `grep` and `glob` (TGR-02, TGB-02) */
  grepMatches: 100,
  grepLineChars: 500,
  globPaths: 1000,
  /** of one search (TGR-06) */
  searchMs: 10_000,
  searchEntries: 200_000,
  searchFileBytes: 5 * MiB,
  /** verb calls of one search at a time (SRCH-02) */
  searchCallsAtOnce: 16,
  /** an environment's start, and its end, milliseconds (SBX-05, SBX-06) */
  sandboxStartMs: 120_000,
  sandboxEndMs: 5000,
  /** file systems of `virtual({ scope: 'instance' })` that a process keeps, and bytes of all their files (VIRT-02) */
  keptEnvironments: 100,
  keptEnvironmentBytes: 256 * MiB,
  /** what the prompt tells of a workspace (WCTX-03, WCTX-04, WCTX-08) */
  contextFileBytes: 64 * KiB,
  listedNames: 200,
  discoveryCalls: 64,
  discoveryMs: 5000,
  skillNameChars: 64,
  skillDescriptionChars: 1024,
  skillCompatibilityChars: 500,
} as const;

/** Defaults of the `durability` static (STATIC-05). */
export const DURABILITY_DEFAULTS = { maxAttempts: 10, timeoutMs: 3_600_000 } as const;

/** Defaults and environment overrides of `execution` (STA-08). */
export const EXECUTION_FIELDS = {
  heartbeatMs: { default: 1000, variable: 'FLUE_HEARTBEAT_MS' },
  leaseMs: { default: 5000, variable: 'FLUE_LEASE_MS' },
  scanMs: { default: 500, variable: 'FLUE_SCAN_MS' },
  hungOwnerMs: { default: 30_000, variable: 'FLUE_HUNG_OWNER_MS' },
  settleGraceMs: { default: 5000, variable: 'FLUE_SETTLE_GRACE_MS' },
  shutdownMs: { default: 30_000, variable: 'FLUE_SHUTDOWN_MS' },
  concurrency: { default: 100, variable: 'FLUE_CONCURRENCY' },
  maxToolResultBytes: { default: LIMITS.maxToolResultBytes, variable: 'FLUE_MAX_TOOL_RESULT_BYTES' },
} as const;
export type ExecutionField = keyof typeof EXECUTION_FIELDS;
export type ExecutionSettings = { readonly [F in ExecutionField]: number };

/** Defaults and environment overrides of `model` (RETRY-06). */
export const MODEL_FIELDS = {
  retries: { default: 3, variable: 'FLUE_MODEL_RETRIES' },
  retryBaseMs: { default: 2000, variable: 'FLUE_MODEL_RETRY_BASE_MS' },
  idleTimeoutMs: { default: 300_000, variable: 'FLUE_MODEL_IDLE_TIMEOUT_MS' },
  requestTimeoutMs: { default: 600_000, variable: 'FLUE_MODEL_REQUEST_TIMEOUT_MS' },
} as const;
export type ModelField = keyof typeof MODEL_FIELDS;
export type ModelSettings = { readonly [F in ModelField]: number };

/** Defaults of `http` (http-and-client section 1). */
export const HTTP_DEFAULTS = {
  maxBodyBytes: 32 * MiB,
  maxControlBodyBytes: 64 * KiB,
  pageBatches: 100,
  pageBytes: 4 * MiB,
  longPollMs: 30_000,
  sseHeartbeatMs: 15_000,
  sseBufferBytes: 256 * KiB,
  sseStallMs: 60_000,
  sseMaxLifetimeMs: 0,
  maxLiveReaders: 10_000,
  maxLiveReadersPerInstance: 512,
  drainMs: 10_000,
} as const;
export type HttpSettings = { readonly [F in keyof typeof HTTP_DEFAULTS]: number };
