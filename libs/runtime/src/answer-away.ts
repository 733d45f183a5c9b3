import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Language } from '@tollgate/contracts';
import { AppError } from './errors.ts';

const retryAfterSeconds = '2';

interface Absence {
  language: Language;
  /** The datastores that do not answer; empty: unknown. */
  missing: Iterable<string>;
}

/** Answers 503 for the console: the envelope of its API, or for a browser a page that names what is missing and reloads itself. */
export function answerAway(request: IncomingMessage, response: ServerResponse, { language, missing }: Absence): void {
  const error = new AppError('service_unavailable');
  const message = error.messageFor(language);
  const wantsPage = isPageWanted(request);
  response.writeHead(error.status, {
    'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': retryAfterSeconds,
    'content-security-policy': "default-src 'none'",
  });
  response.end(wantsPage ? page(language, [message, waitingFor(language, [...missing])]) : envelope(message, error.code));
}

/** Whether a browser requests one of the console's pages, not an asset or the API. */
export function isPageWanted({ method, url = '', headers: { accept = '' } }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !/^\/api(?:[/?]|$)/.test(url) && accept.includes('text/html');
}

function waitingFor(language: Language, missing: string[]): string {
  if (language === 'zh') return missing.length > 0 ? `正在等待 ${missing.join('、')} 恢复，页面会自动刷新。` : '页面会自动刷新。';
  return missing.length > 0 ? `Waiting for ${missing.join(' and ')}. This page reloads by itself.` : 'This page reloads by itself.';
}

function page(language: Language, lines: string[]): string {
  const [title = '', detail = ''] = lines;
  return [
    `<!doctype html><html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><meta charset="utf-8"><title>Tollgate</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="refresh" content="${retryAfterSeconds}"><main><h1>${title}</h1><p>${detail}</p></main></html>`,
  ].join('');
}

function envelope(message: string, code: string): string {
  return JSON.stringify({ success: false, message, code });
}
