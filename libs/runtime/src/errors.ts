import { cutText, type ErrorCode, type ErrorEntry, errorCatalogue, errorMessage, type Language } from '@tollgate/contracts';

type Details = Readonly<Record<string, string | number>>;

/** An error for callers: a code of the catalog and the details of its message. Long texts are truncated. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Details;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** The invalid field of the request. */
  readonly param: string | undefined;

  constructor(code: ErrorCode, details: Details = {}, options: { cause?: unknown; retryAfterSeconds?: number; param?: string } = {}) {
    const short = shortened(details);
    super(errorMessage(code, short), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = short;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.param = options.param === undefined ? undefined : cutText(options.param);
  }

  /** The machine-readable code. */
  get shownCode(): string {
    return (errorCatalogue[this.code] as ErrorEntry).code ?? this.code;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get type(): string {
    return (errorCatalogue[this.code] as ErrorEntry).type;
  }

  messageFor(language: Language): string {
    return errorMessage(this.code, this.details, language);
  }
}

function shortened(details: Details): Details {
  const short: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(details)) short[name] = typeof value === 'string' ? cutText(value) : value;
  return short;
}
