/**
 * The stable error codes of DESIGN 5.8, each with its one answer to "may the caller try again?".
 * `InvalidInput` and `Forbidden` are ours: a malformed event, and a caller who may not do this at all.
 */
export const errorCodes = {
  AnalysisFailed: false,
  AnalysisLimit: false,
  BadReference: false,
  ContextOverflow: false,
  Expired: false,
  Forbidden: false,
  InvalidInput: false,
  ModelRefused: false,
  ModelUnavailable: true,
  NotFound: false,
  OversizeResult: false,
  QuotaExceeded: false,
  ReasoningRefused: false,
  RoleRevoked: false,
  RolesUnavailable: true,
  SelectionTooLarge: false,
  StorageUnavailable: true,
  ToolFailed: false,
  ToolUnavailable: true,
  TurnLimit: false,
  UnknownField: false,
  UnknownTool: false,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Facts that a reader or a log line needs, never content and never another owner's data. */
export type ErrorFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An expected failure. `message` is fit for a model or a person; `facts` carry what was expected and found. */
export class ClaimcheckError extends Error {
  override readonly name = 'ClaimcheckError';
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.facts = facts;
  }

  get retryable(): boolean {
    return errorCodes[this.code];
  }
}

/** What a flow function answers for an expected failure, so that a Choice state can read it (DESIGN 5.8). */
export interface ErrorOutcome {
  readonly outcome: 'error';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly message: string;
}

export function errorOutcome(error: ClaimcheckError): ErrorOutcome {
  return { outcome: 'error', code: error.code, retryable: error.retryable, message: error.message };
}
