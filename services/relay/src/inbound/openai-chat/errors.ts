import type { Language } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';

/** An error in OpenAI's words. */
export interface OpenAiError {
  status: number;
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
  retryAfterSeconds: number | undefined;
}

/** What a caller is told of an error. What is neither ours nor a provider's is told as `internal_error` and nothing of it is shown. */
export function openAiError(error: unknown, call: { id: string; language: Language }): OpenAiError {
  const { message, ...rest } = wordsOf(error, call.language);
  return { ...rest, message: `${message} (request id: ${call.id})` };
}

export function openAiErrorBody({ message, type, param, code }: OpenAiError): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

/** The language that an `Accept-Language` header asks for first. */
export function languageOf(header: string | undefined): Language {
  return header !== undefined && /^\s*zh\b/i.test(header) ? 'zh' : 'en';
}

function wordsOf(error: unknown, language: Language): OpenAiError {
  if (error instanceof UpstreamError) {
    const { status, message, type, param, code, retryAfterMs } = error;
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    return { status, message, type, param, code, retryAfterSeconds };
  }
  const known = error instanceof AppError ? error : new AppError('internal_error');
  return {
    status: known.status,
    message: known.messageFor(language),
    type: known.type,
    param: known.param ?? null,
    code: known.code === 'invalid_request' ? null : known.code,
    retryAfterSeconds: known.retryAfterSeconds,
  };
}
