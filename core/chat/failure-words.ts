/** Why a flow ended badly: an error code, or a Step Functions error name, and at most a sentence. */
export interface TurnFailure {
  readonly code: string;
  readonly message?: string | undefined;
}

/** Longest sentence about a failure that a chat keeps, in characters. */
const longest = 200;

/** What a person reads, by code; a service's own wording and an exception's text stay in the log (cases H003, H072). */
const sentences: Readonly<Record<string, string>> = {
  ContextOverflow: 'This conversation no longer fits what the model can read. Ask for less, or start a new chat.',
  Expired: 'Something that this turn needed is past its date.',
  NoAnswer: 'The run ended without an answer.',
  QuotaExceeded: 'A quota is used up: of tokens for this turn, or of storage.',
  ReasoningRefused: 'The model service refused to continue this conversation. Start a new chat.',
  RoleRevoked: 'Your roles no longer allow what this turn needed.',
  StorageUnavailable: 'The storage could not be reached. Try again later.',
  ToolUnavailable: 'A tool could not be reached. Try again later.',
  TurnLimit: 'The run reached its limit of turns before it had an answer.',
  'States.Timeout': 'This turn took too long.',
};

/** One short sentence, well-formed, without line ends; a text that looks like a program's own is not passed on. */
export function failureWords(failure: TurnFailure): string {
  const known = Object.hasOwn(sentences, failure.code) ? sentences[failure.code] : undefined;
  if (known !== undefined) return known;
  const words = (failure.message ?? '')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\s+/g, ' ')
    .trim();
  if (words === '' || /^[{[]|\bat \S+:\d+|Exception\b|Error:/.test(words)) return 'This turn did not finish.';
  return words.length > longest ? `${words.slice(0, longest - 1).replace(/\p{Surrogate}$/u, '')}…` : words;
}
