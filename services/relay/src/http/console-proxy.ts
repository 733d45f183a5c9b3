import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type AddressList, answerAway, type Logger, languageOf } from '@tollgate/runtime';
import type { ConsoleAddress } from '../config.ts';
import { type AskPass, cleanHeaders, passFromConsole } from './playground-pass.ts';

/** What the relay does for the console when it owns the public port of one machine. */
export interface Front {
  /** Passes a request that is not the relay's own on to the console, and its answer back. */
  passOn(request: IncomingMessage, response: ServerResponse): void;
  /** Asks the console who is signed in. */
  askPass: AskPass;
  /** Requests on their way through. */
  readonly passing: number;
  close(): void;
}

const mostPassing = 2_000;
/** A request that waits longer has us look whether the console lives: an answer may take its time, a console that hangs gives none. */
const patienceMs = 500;
/** The console answers this without its datastores, whatever else it does. */
const livenessPath = '/livez';
const livesWithinMs = 400;

type Forward = (request: IncomingMessage, response: ServerResponse) => void;

/** Bytes flow both ways as they come; each side waits for the other, and when one leaves the other is ended. */
export function openFront(console: ConsoleAddress, { trustedProxies, logger }: { trustedProxies: AddressList; logger: Logger }): Front {
  // What waits here is bounded by `mostPassing`; an agent that bounds it too would let the rest wait unseen.
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 64, scheduling: 'lifo' });
  /** With the request to the console for each. */
  const passing = new Map<ServerResponse, ClientRequest | undefined>();
  const lives = livenessOf(console);
  let forward: Promise<Forward> | undefined;

  async function makeForward(): Promise<Forward> {
    const { createProxyMiddleware } = await import('http-proxy-middleware'); // pages are rare: loaded with the first one
    const proxy = createProxyMiddleware({
      target: console,
      agent,
      // The default plugins log and format for every request; what is left of them is the handler of errors.
      ejectPlugins: true,
      plugins: [
        (events) => {
          events.on('error', (error, request, response) => failed(error, request as IncomingMessage, response as ServerResponse));
          events.on('econnreset', () => {}); // the caller left; the console's side has been ended
          // Whether a line stays open is each line's own affair: closed ones of the console would cost its refusals of bodies still on their way.
          events.on('proxyReq', (asked, _request, response) => {
            asked.setHeader('connection', 'keep-alive');
            if (passing.has(response as ServerResponse)) passing.set(response as ServerResponse, asked);
          });
          events.on('proxyRes', (answer, _request, response) => {
            delete answer.headers.connection;
            // Headers are set right after this event; a stream's must not wait for its first byte.
            process.nextTick(() => response.flushHeaders());
          });
        },
      ],
    });
    return (request, response) => void proxy(request, response, () => {});
  }

  function failed(error: Error, request: IncomingMessage, response: ServerResponse): void {
    if (response.writableEnded) return; // refused below
    if (response.headersSent || response.destroyed) return void response.destroy();
    logger.warn({ err: error }, 'the console cannot be reached');
    answerConsoleAway(request, response);
  }

  /** Refuses a request that waits for a console that hangs. */
  function watchOver(request: IncomingMessage, response: ServerResponse): void {
    let timer: NodeJS.Timeout;
    const look = async () => {
      const isWaiting = () => !response.headersSent && !response.destroyed;
      if (!isWaiting()) return;
      const doesLive = await lives();
      if (!isWaiting()) return;
      if (doesLive) {
        timer = setTimeout(look, patienceMs);
        return;
      }
      logger.warn({ withinMs: livesWithinMs }, 'the console hangs');
      answerConsoleAway(request, response);
      passing.get(response)?.destroy();
    };
    timer = setTimeout(look, patienceMs);
    response.once('close', () => clearTimeout(timer));
  }

  return {
    passOn(request, response) {
      if (passing.size >= mostPassing) return answerConsoleAway(request, response);
      cleanHeaders(request, trustedProxies);
      passing.set(response, undefined);
      response.once('close', () => passing.delete(response));
      watchOver(request, response);
      forward ??= makeForward();
      forward.then(
        (pass) => pass(request, response),
        (error: Error) => failed(error, request, response),
      );
    },
    askPass: passFromConsole(console, { agent, trustedProxies, logger }),
    get passing() {
      return passing.size;
    },
    close: () => agent.destroy(),
  };
}

/** Resolves to whether the console answers at all. Callers at the same time share one request. */
function livenessOf(console: ConsoleAddress): () => Promise<boolean> {
  let looking: Promise<boolean> | undefined;
  const look = () =>
    new Promise<boolean>((resolve) => {
      const asked = send({ ...console, agent: false, path: livenessPath, signal: AbortSignal.timeout(livesWithinMs) }, (answer) => {
        answer.resume();
        resolve(true);
      });
      asked.once('error', () => resolve(false)).end();
    });
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

/** The console itself cannot be reached; a datastore that it waits for it names itself. */
function answerConsoleAway(request: IncomingMessage, response: ServerResponse): void {
  answerAway(request, response, { language: languageOf(request.headers['accept-language']), missing: [] });
}
