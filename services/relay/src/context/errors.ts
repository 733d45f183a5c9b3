import { DatastoreAway, errorMessage, type Language } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';

/** What a caller is told of an error; in which shape is his dialect's to say. */
export interface ClientError {
  status: number;
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
  retryAfterSeconds: number | undefined;
  /** The methods of an address that was called by another one. */
  allow: string | undefined;
  /** What the model had written when its answer was refused. */
  failedGeneration?: string | undefined;
  requestId: string;
}

/** What is neither ours nor a provider's is told as `internal_error`, and nothing of it is shown. */
export function toClientError(error: unknown, call: { id: string; language: Language }): ClientError {
  const { message, ...rest } = wordsOf(error, call.language);
  return { ...rest, message: `${message} (request id: ${call.id})`, requestId: call.id };
}

function wordsOf(error: unknown, language: Language): Omit<ClientError, 'requestId'> {
  if (error instanceof UpstreamError) {
    const { status, message, type, param, code, retryAfterMs, failedGeneration } = error;
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    return { status, message, type, param, code, retryAfterSeconds, allow: undefined, failedGeneration };
  }
  const known = error instanceof AppError ? error : unforeseen(error);
  return {
    status: known.status,
    message: known.messageFor(language),
    type: known.type,
    param: known.param ?? null,
    code: known.code === 'invalid_request' ? null : known.shownCode,
    allow: known.details.allow === undefined ? undefined : String(known.details.allow),
    retryAfterSeconds: known.retryAfterSeconds,
  };
}

function unforeseen(error: unknown): AppError {
  return error instanceof DatastoreAway
    ? new AppError('service_unavailable', {}, { retryAfterSeconds: 2 })
    : new AppError('internal_error');
}

export function upstreamFailure(
  kind: UpstreamError['kind'],
  code: 'upstream_timeout' | 'upstream_interrupted' | 'upstream_unreachable' | 'upstream_bad_answer',
): UpstreamError {
  return new UpstreamError({ kind, status: kind === 'timeout' ? 504 : 502, message: errorMessage(code), code });
}

/** The caller left before the whole request arrived, so nothing is answered. */
export class CallerLeft extends Error {
  override name = 'CallerLeft';
}
