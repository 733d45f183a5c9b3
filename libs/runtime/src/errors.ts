import { cutText, type ErrorCode, type ErrorEntry, errorCatalogue, errorMessage, type Language } from '@tollgate/contracts';

type Details = Readonly<Record<string, string | number>>;

/** An error for our callers to read: a code of the catalogue and the details of its message, long texts among them cut. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Details;
  /** Seconds after which trying again makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** The field of the request that is at fault. */
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

  /** The code as programs read it. */
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
