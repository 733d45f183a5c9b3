import { cutText } from '@tollgate/contracts';

/** A provider's answer that is not 200, or that turned out to be an error. */
export interface FailedAnswer {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** When it came, in ms since 1970. */
  atMs?: number;
}

/** What kind of failure it was; decides whether another channel may be tried and whether this one is at fault. */
export type UpstreamErrorKind =
  | 'credentials' // our key is wrong or not allowed
  | 'balance' // our account there is empty or suspended
  | 'rate_limit'
  | 'request' // the caller's request is at fault; every channel would say the same
  | 'content_filter'
  | 'not_found' // this account does not have the model
  | 'overloaded'
  | 'timeout'
  | 'server'
  | 'unreadable' // the answer is none: HTML, half a JSON, a wrong shape
  | 'interrupted'; // the answer broke off

export interface UpstreamErrorFields {
  kind: UpstreamErrorKind;
  /** What the caller is answered, unless the channel maps it. Never 200. */
  status: number;
  message: string;
  type?: string;
  param?: string | null;
  code?: string | number | null;
  retryAfterMs?: number;
  /** What the model had written when its answer was refused: the caller's own, so that nothing is taken out of it. */
  failedGeneration?: string | undefined;
  /** All that the provider sent, without secrets: for operators. */
  whole?: string | undefined;
  /** The provider's message without keys: for operators. */
  forOperators?: string | undefined;
}

const longestGeneration = 64_000;

/** A provider's failure, in words that are safe to pass on: no key, no address, no account of ours stands in them. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly kind: UpstreamErrorKind;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
  readonly retryAfterMs: number | undefined;
  readonly #failedGeneration: string | undefined;
  readonly whole: string | undefined;
  readonly #forOperators: string | undefined;

  constructor(fields: UpstreamErrorFields) {
    super(fields.message);
    this.kind = fields.kind;
    this.status = fields.status;
    this.type = cutText(fields.type ?? 'upstream_error');
    this.param = typeof fields.param === 'string' ? cutText(fields.param) : null;
    this.code = typeof fields.code === 'string' ? cutText(fields.code) : (fields.code ?? null);
    this.retryAfterMs = fields.retryAfterMs;
    this.#failedGeneration = fields.failedGeneration === undefined ? undefined : cutText(fields.failedGeneration, longestGeneration);
    this.whole = fields.whole;
    this.#forOperators = fields.forOperators;
  }

  /** No property of its own, so that no log shows it: it is an answer. */
  get failedGeneration(): string | undefined {
    return this.#failedGeneration;
  }

  /** The provider's message with addresses, accounts and request ids, without keys. Never for callers, and in no log line. */
  get forOperators(): string {
    return this.#forOperators ?? this.whole ?? this.message;
  }

  /** Another channel may succeed. A timeout is not tried again: the provider may be at work on it, and the caller has waited. */
  get retryable(): boolean {
    return this.kind !== 'request' && this.kind !== 'content_filter' && this.kind !== 'timeout';
  }

  /** Nothing will succeed on this channel until a person acts: it may be disabled. */
  get disablesChannel(): boolean {
    return this.kind === 'credentials' || this.kind === 'balance';
  }
}

/** What came is none of an answer; no failure that the provider has told of. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UpstreamError && error.kind === 'unreadable';
}

/** The caller's request cannot be sent to this provider; `param` names the field at fault. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
  readonly param: string | null;

  constructor(message: string, param: string | null = null) {
    super(cutText(message));
    this.param = param === null ? null : cutText(param);
  }
}
