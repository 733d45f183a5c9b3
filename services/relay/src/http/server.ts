import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, answerHealth, type HealthChecks, languageOf, longestUrl, targetOf } from '@tollgate/runtime';
import { authenticate, authenticatePlayground } from '../auth/authenticate.ts';
import { Call, newRequestId } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { responsesRoute } from '../dialects/responses/responses.ts';
import { countRouteAt, dialectAt, playgroundRoute, routeAt } from '../dialects/routes.ts';
import { countCall } from '../pipeline/count-call.ts';
import { estimateCall, estimatedRoute, estimatePath } from '../pipeline/estimate-call.ts';
import { type CallOptions, relayCall } from '../pipeline/relay-call.ts';
import { answerError, answerPreflight } from '../response/respond.ts';
import { correctedPath, isOwnPath, responsesPath, trimmed, wrongPathError } from './paths.ts';
import type { PortHandlers } from './ports.ts';

const playgroundPath = '/pg/chat/completions';
/** Drawings and music; which is loaded when the first such call comes. */
const taskPath = /^\/(?:(?:(?:mj-)?(?:fast|relax|turbo)\/)?mj|suno)\//;

type Handler = (request: IncomingMessage, response: ServerResponse, call: Call) => void;

/** What the relay answers on its ports once it has what it needs. `health` is asked on `/livez` and `/readyz`. */
export function relayHandlers(relay: Relay, health: HealthChecks): PortHandlers {
  let rest: Promise<Handler> | undefined;
  /** Everything else is rare: its framework is loaded when the first such call comes. */
  const others = () => (rest ??= import('./routes/rest.ts').then(({ restApp }) => restApp(relay)));
  const tasks = () => import('../tasks/answer-task.ts');

  /** Loaded when the first one is opened. */
  const sessions = () => import('../realtime/answer-upgrade.ts');

  const enterKey = (call: Call) => authenticate(relay, call);
  const enterPg = (call: Call) => authenticatePlayground(relay, call);
  const plainResponses: CallOptions = { route: responsesRoute, address: {}, enter: enterKey };
  const responses: CallOptions = {
    ...plainResponses,
    instead: (call, { reading }) =>
      reading.sent.json.background === true
        ? import('../responses/background.ts').then(({ runInBackground }) =>
            runInBackground(relay, call, { sent: reading.sent, options: plainResponses }),
          )
        : undefined,
  };

  const openCall = (request: IncomingMessage, response: ServerResponse, { dialect, query }: Pick<Call, 'dialect' | 'query'>) => {
    const atMs = relay.wallet.time();
    return new Call(newRequestId(atMs), {
      request,
      response,
      atMs,
      dialect,
      language: languageOf(request.headers['accept-language']),
      query,
    });
  };

  const estimate = (request: IncomingMessage, response: ServerResponse, query: string | undefined) => {
    const found = estimatedRoute(query, request.headers);
    const dialect = found?.route.dialect ?? dialectAt(estimatePath, request.headers);
    const call = openCall(request, response, { dialect, query });
    if (request.method !== 'POST') return void answerError(response, postOnly(request), call);
    if (found === undefined)
      return void answerError(response, new AppError('invalid_request', { reason: '`for` names no path of calls' }), call);
    void estimateCall(relay, call, found);
  };

  const answer: RequestListener = (request, response) => {
    const url = targetOf(request);
    request.url = url;
    if (url.length > longestUrl) {
      const language = languageOf(request.headers['accept-language']);
      const call = { id: newRequestId(relay.wallet.time()), language, dialect: dialectAt(url, request.headers) };
      return void answerError(response, new AppError('url_too_long', { limit: longestUrl }), call);
    }
    const mark = url.indexOf('?');
    const path = trimmed(mark < 0 ? url : url.slice(0, mark));
    if (answerHealth(request, response, health)) return;
    if (relay.front !== undefined && !isOwnPath(path)) return relay.front.passOn(request, response);
    if (request.method === 'OPTIONS') return answerPreflight(response);
    const query = mark < 0 ? undefined : url.slice(mark + 1) || undefined;
    const options = hotRoute(path, query);
    const counting = options === undefined ? countRouteAt(path) : undefined;
    if (path === estimatePath) return estimate(request, response, query);
    if ((options ?? counting) === undefined && request.method !== 'OPTIONS') {
      const corrected = correctedPath(path);
      if (corrected !== undefined) {
        request.url = mark < 0 ? corrected : corrected + url.slice(mark);
        return answer(request, response);
      }
    }
    const call = openCall(request, response, { dialect: options?.route.dialect ?? dialectAt(path, request.headers), query });
    if ((options ?? counting) !== undefined && request.method !== 'POST') {
      answerError(response, postOnly(request), call);
    } else if (counting !== undefined) void countCall(relay, call, counting);
    else if (taskPath.test(path)) {
      tasks().then(
        ({ taskRouteAt, answerTask }) => {
          const found = taskRouteAt(path);
          if (found !== undefined) return answerTask(relay, call, found);
          answerError(response, wrongPathError(call, request.method ?? '', path), call);
        },
        (error: unknown) => void answerError(response, error, call),
      );
    } else if (options === undefined) {
      others().then(
        (handler) => handler(request, response, call),
        (error: unknown) => void answerError(response, error, call),
      );
    } else void relayCall(relay, call, options);
  };
  return {
    request: answer,
    upgrade(request, socket, head) {
      const path = trimmed(targetOf(request).split('?', 1)[0] ?? '');
      const answering =
        path === responsesPath
          ? import('../responses/web-socket.ts').then((loaded) => loaded.answerResponsesUpgrade(relay, { request, socket, head }))
          : sessions().then(({ answerUpgrade }) => answerUpgrade(relay, { request, socket, head }));
      answering.catch(() => socket.destroy());
    },
  };

  /** Plain node:http: no framework between the socket and the call. */
  function hotRoute(path: string, query: string | undefined): CallOptions | undefined {
    if (path === playgroundPath) return { ...playgroundRoute, enter: enterPg };
    const found = routeAt(path, query);
    if (found?.route === responsesRoute) return responses;
    return found === undefined ? undefined : { route: found.route, address: found.address, enter: enterKey };
  }
}

function postOnly({ method = '' }: IncomingMessage): AppError {
  return new AppError('method_not_allowed', { method, allow: 'POST, OPTIONS' });
}
