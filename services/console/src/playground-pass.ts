import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, datastoreAway, type Logger, type PlaygroundPasses, playgroundHeader, playgroundPassPath } from '@tollgate/runtime';
import { callerBySession } from './auth/authenticate.ts';
import { refuseForeignOrigin } from './auth/request-origin.ts';
import type { Sessions } from './auth/sessions.ts';
import type { TrustedPeers } from './http/known-hosts.ts';

interface PassOptions {
  sessions: Sessions;
  passes: PlaygroundPasses;
  /** Redis's clock, in ms since 1970. */
  now(): Promise<number>;
  isTrusted: TrustedPeers;
  /** The option `ServerAddress`. */
  siteAddress(): string;
  log: Logger;
}

/** Answers what stands before us (see `playgroundPassPath`) who is signed in; false when the path is another. */
export type AnswerPass = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The playground is for people who are signed in by a browser of ours: no access tokens, no other sites. The relay believes the pass. */
export function playgroundPass({ sessions, passes, now, isTrusted, siteAddress, log }: PassOptions): AnswerPass {
  return (request, response) => {
    if (request.url !== playgroundPassPath) return false;
    void answer(request, response);
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const pass = passes.sign(await userOf(request), await now());
      response.writeHead(204, { [playgroundHeader]: pass, 'cache-control': 'no-store' }).end();
    } catch (error) {
      const known =
        error instanceof AppError
          ? error
          : new AppError(datastoreAway(error) !== undefined ? 'service_unavailable' : 'internal_error', {}, { cause: error });
      if (known.status >= 500) log.error({ err: error }, 'a pass for the playground could not be made');
      response.writeHead(known.status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify({ success: false, message: known.message, code: known.code }));
    }
  }

  async function userOf(request: IncomingMessage): Promise<number> {
    const { headers, socket } = request;
    const forwarded = isTrusted(socket.remoteAddress) ? headers['x-forwarded-host'] : undefined;
    refuseForeignOrigin({ headers, host: String(forwarded ?? headers.host ?? ''), siteAddress: siteAddress() });
    const caller = await callerBySession(request, sessions);
    if (!caller) throw new AppError('not_logged_in');
    if (request.headers['new-api-user'] !== String(caller.id)) throw new AppError('user_id_mismatch');
    return caller.id;
  }
}
