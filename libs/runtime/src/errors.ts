import { type ErrorCode, type ErrorEntry, errorCatalogue, errorMessage, type Language } from '@tollgate/contracts';

type Details = Readonly<Record<string, string | number>>;

/** An error for our callers to read: a code of the catalogue and the details of its message. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Details;
  /** Seconds after which trying again makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** The field of the request that is at fault. */
  readonly param: string | undefined;

  constructor(code: ErrorCode, details: Details = {}, options: { cause?: unknown; retryAfterSeconds?: number; param?: string } = {}) {
    super(errorMessage(code, details), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.param = options.param;
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
