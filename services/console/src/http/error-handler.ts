import { errorMessage, type Language } from '@tollgate/contracts';
import { NotUnsealable } from '@tollgate/db';
import { AppError, datastoreAway, type Logger } from '@tollgate/runtime';
import type { ErrorRequestHandler, Request } from 'express';
import { z } from 'zod';
import { languageOf, Refusal } from './answer.ts';
import { issueWords, plainIssues } from './issue-words.ts';
import { chineseReason } from './reasons.ts';

/** Answers whatever went wrong in the envelope, in the caller's language, and logs it once. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (res.writableEnded) return; // answered while a datastore was away
    const language = languageOf(req);
    const known = appErrorOf(error, language);
    const status = consoleStatus(known);
    const facts = { code: known.code, status, method: req.method, path: req.path, requestId: res.locals.requestId };
    if (status >= 500) log.error({ ...facts, err: error }, 'request failed');
    else log.info(facts, 'request refused');
    if (res.headersSent) return void res.destroy();
    if (known.retryAfterSeconds !== undefined) res.setHeader('retry-after', known.retryAfterSeconds);
    const sentAlong = known instanceof Refusal ? { data: known.data } : {};
    res.status(status).json({ success: false, message: messageOf(known, language), code: known.code, ...sentAlong });
  };
}

/** The error's words in a language, those of its reason among them. */
export function messageOf(error: AppError, language: Language): string {
  const { reason } = error.details;
  if (language === 'en' || typeof reason !== 'string') return error.messageFor(language);
  // A parser's words are nobody's to translate, and the whole message says it already.
  const inChinese = error.code === 'invalid_json' ? '语法错误' : chineseReason(reason);
  return errorMessage(error.code, { ...error.details, reason: inChinese }, 'zh');
}

/** The last route: nobody answers this path. The family's shape, which is OpenAI's. */
export function unknownPath(req: Request): { error: Record<string, string> } {
  const error = new AppError('not_found', { method: req.method, path: req.path, right: '/api (/api/openapi.json)' });
  return { error: { message: error.messageFor(languageOf(req)), type: error.type, param: '', code: '' } };
}

/** Clients of the product family take 401 for "sign in again" and show the message of a 200; a bare 403 or 404 they do not understand. */
function consoleStatus(error: AppError): number {
  return error.status === 403 || error.status === 404 ? 200 : error.status;
}

function appErrorOf(error: unknown, language: Language): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof z.ZodError) return new AppError('invalid_parameter', { reason: reasonOf(error, language) }, { cause: error });
  if (error instanceof NotUnsealable) return new AppError('sealed_with_another_key', {}, { cause: error });
  if (datastoreAway(error) !== undefined) return new AppError('service_unavailable', {}, { cause: error, retryAfterSeconds: 2 });
  if (error instanceof Error && 'code' in error && error.code === timeExceeded)
    return new AppError('query_too_broad', {}, { cause: error });
  return bodyErrorOf(error) ?? new AppError('internal_error', {}, { cause: error });
}

/** MongoDB's code for a query that ran longer than its `maxTimeMS`. */
const timeExceeded = 50;

/** What the router could not read of the address, or the body parser of the body. */
function bodyErrorOf(error: unknown): AppError | undefined {
  if (error instanceof URIError)
    return new AppError('invalid_request', { reason: 'the address has a % sign that stands for nothing' }, { cause: error });
  if (!(error instanceof Error) || !('type' in error)) return undefined;
  switch (error.type) {
    case 'entity.parse.failed':
      return new AppError('invalid_json', { reason: error.message }, { cause: error });
    case 'encoding.unsupported':
      return new AppError('content_encoding_refused', { accepted: 'identity' }, { cause: error });
    case 'entity.too.large':
      return new AppError('body_too_large', { limit: Number('limit' in error ? error.limit : 0) }, { cause: error });
    case 'charset.unsupported':
      return new AppError('invalid_request', { reason: 'the body must be in UTF-8' }, { cause: error });
    case 'request.aborted':
    case 'request.size.invalid':
      return new AppError('invalid_request', { reason: 'the body did not come whole' }, { cause: error });
  }
}

/** What is wrong with which field, in one line. */
export function reasonOf(error: z.ZodError, language: Language): string {
  return plainIssues(error.issues)
    .slice(0, 3)
    .map((issue) => withPath(issue, issueWords(issue, language)))
    .join('; ');
}

function withPath({ path }: z.core.$ZodIssue, message: string): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}
