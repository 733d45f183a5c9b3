import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@tollgate/runtime';
import { languageOf } from '../auth/language.ts';

const retryAfterSeconds = '2';

/** The console does not answer: its envelope for who asked its API, a page that tries again by itself for who asked for one. */
export function answerConsoleAway(request: IncomingMessage, response: ServerResponse): void {
  const error = new AppError('service_unavailable');
  const message = error.messageFor(languageOf(request.headers['accept-language']));
  const wantsPage = !/^\/api(?:[/?]|$)/.test(request.url ?? '') && (request.headers.accept ?? '').includes('text/html');
  response.writeHead(error.status, {
    'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': retryAfterSeconds,
    'content-security-policy': "default-src 'none'",
  });
  response.end(wantsPage ? page(message) : JSON.stringify({ success: false, message, code: error.code }));
}

function page(message: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="${retryAfterSeconds}"><title>Tollgate</title><p>${message}`;
}
