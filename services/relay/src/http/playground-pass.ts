import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { type ErrorCode, errorCatalogue } from '@tollgate/contracts';
import { type AddressList, AppError, type Logger, plainForwardedFor, playgroundHeader, playgroundPassPath } from '@tollgate/runtime';
import type { ConsoleAddress } from '../config.ts';

/** What a proxy says of the way that a request has come. */
const saidByProxies = ['forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-prefix'];

/**
 * Drops what only our own services may say (`x-tollgate-*`), and of what proxies say all that comes from a stranger; then names the
 * caller's address, after those of trusted proxies or instead of a stranger's claims.
 */
export function cleanHeaders({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustedProxies: AddressList): void {
  for (const name in headers) if (name.startsWith('x-tollgate-')) delete headers[name];
  const peer = socket.remoteAddress ?? '';
  const before = headers['x-forwarded-for'];
  const isTrusted = trustedProxies.has(peer);
  if (!isTrusted) for (const name of saidByProxies) delete headers[name as keyof IncomingHttpHeaders];
  headers['x-forwarded-for'] = isTrusted && before !== undefined ? `${plainForwardedFor(String(before))}, ${peer}` : peer;
}

const timeoutMs = 5_000;
/** All that the console needs to know of a call in the playground; its body stays here. */
const asked = ['cookie', 'host', 'origin', 'new-api-user', 'accept-language', 'user-agent', 'sec-fetch-site'];

/** The signed pass of who is signed in. Throws: the AppError with which the console refuses, or that it is away. */
export type AskPass = (request: IncomingMessage) => Promise<string>;

/** The console alone knows sessions: it turns the cookie of a call into a pass, which never leaves our machines. */
export function passFromConsole(
  console: ConsoleAddress,
  { agent, trustedProxies, logger }: { agent: Agent; trustedProxies: AddressList; logger: Logger },
): AskPass {
  return async ({ headers, socket }) => {
    const kept: IncomingHttpHeaders = { ...headers };
    cleanHeaders({ headers: kept, socket }, trustedProxies);
    for (const name in kept) if (!asked.includes(name) && !name.startsWith('x-forwarded-')) delete kept[name];
    const answer = await new Promise<{ pass: string | undefined; code: string }>((resolve, reject) => {
      const asking = send({ ...console, agent, path: playgroundPassPath, headers: kept, timeout: timeoutMs }, (response) => {
        const { [playgroundHeader]: pass } = response.headers;
        let body = '';
        response.on('data', (part: Buffer) => {
          body = (body + part.toString()).slice(0, 4_096);
        });
        response.once('error', reject);
        response.once('end', () => resolve({ pass: pass === undefined ? undefined : String(pass), code: codeIn(body) }));
      });
      asking.once('timeout', () => asking.destroy(new Error(`the console did not answer within ${timeoutMs} ms`)));
      asking.once('error', reject);
      asking.end();
    }).catch((error: Error) => {
      logger.warn({ err: error }, 'the console cannot be reached');
      throw new AppError('service_unavailable', {}, { cause: error, retryAfterSeconds: 1 });
    });
    if (answer.pass !== undefined) return answer.pass;
    throw new AppError(answer.code in errorCatalogue ? (answer.code as ErrorCode) : 'service_unavailable');
  };
}

function codeIn(body: string): string {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code);
  } catch {
    return '';
  }
}
