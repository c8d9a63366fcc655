/** Every limit that core code is given; `lib/config.ts` is where an operator sets them. Sizes in bytes, times as named. */
export interface Settings {
  readonly hook: {
    /** Results up to this many UTF-8 bytes pass unchanged and are not stored. */
    readonly floorBytes: number;
  };
  readonly insert: {
    /** What one tool result may put into the model's context, data reference block included. */
    readonly maxBytes: number;
    /** Largest profile shown to the model; columns beyond it are counted, not shown (DESIGN 5.3). */
    readonly profileBytes: number;
  };
  readonly storage: {
    /** Above this nothing is stored: never a part as if it were the whole. */
    readonly maxBytes: number;
    readonly retentionDays: number;
    /** Longest that a function waits for one upload before it answers without a reference, in milliseconds. */
    readonly uploadTimeoutMs: number;
  };
  readonly transport: {
    readonly maxBytes: number /** What a foreign flow may pass through its state. */;
    readonly stateMaxBytes: number;
  };
  readonly read: { readonly maxBytes: number; readonly maxRecords: number };
  readonly list: { readonly maxBytes: number };
  readonly analysis: {
    readonly maxBytes: number;
    /** Largest answer that `keep` stores, and the largest picture of a chart. */
    readonly keepMaxBytes: number;
  };
  readonly run: {
    readonly maxTurns: number;
    readonly maxToolsPerTurn: number;
    readonly maxAgeSeconds: number;
    readonly maxMessageBytes: number;
    /** Times that `refresh: true` may execute the same oversize call again in one run. */
    readonly maxRefreshes: number;
    readonly parallelPerOwner: number;
    readonly maxTokens: number;
  };
  readonly retry: {
    /** Executions of one tool call, whatever the layer (DESIGN 9). */
    readonly maxAttempts: number;
    readonly baseDelayMs: number;
    readonly maxDelayMs: number;
  };
  readonly quota: {
    /** Stored for one owner, what has expired not counted. */
    readonly ownerBytes: number;
    /** Tokens that the model calls of one run may use together; the call that crosses the line is still answered. */
    readonly runTokens: number;
  };
  readonly guard: {
    /** Share of the limit at which the guard acts. */
    readonly triggerShare: number;
    /** Share of the limit that it shrinks down to. */
    readonly lowShare: number;
    /** Bytes of whole records kept in a replacement. */
    readonly replacementBytes: number;
  };
  readonly download: { readonly urlSeconds: number };
  readonly chat: { readonly retentionDays: number };
}

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** The defaults of DESIGN 5.7 and 8. */
export const defaultSettings: Settings = {
  hook: { floorBytes: 1 * KiB },
  insert: { maxBytes: 24 * KiB, profileBytes: 4 * KiB },
  storage: { maxBytes: 5 * GiB, retentionDays: 30, uploadTimeoutMs: 60_000 },
  transport: { maxBytes: 100 * KiB, stateMaxBytes: 200 * KiB },
  read: { maxBytes: 128 * KiB, maxRecords: 1000 },
  list: { maxBytes: 16 * KiB },
  analysis: { maxBytes: 16 * KiB, keepMaxBytes: 64 * MiB },
  run: {
    maxTurns: 12,
    maxToolsPerTurn: 16,
    maxAgeSeconds: 24 * 3600,
    maxMessageBytes: 64 * KiB,
    maxRefreshes: 3,
    parallelPerOwner: 20,
    maxTokens: 4096,
  },
  retry: { maxAttempts: 3, baseDelayMs: 200, maxDelayMs: 5_000 },
  quota: { ownerBytes: 100 * GiB, runTokens: 2_000_000 },
  guard: { triggerShare: 0.85, lowShare: 0.6, replacementBytes: 1 * KiB },
  download: { urlSeconds: 60 },
  chat: { retentionDays: 90 },
};
