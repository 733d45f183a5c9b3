import type { IncomingMessage } from 'node:http';
import type { AnyDialect, JsonObject } from '@tollgate/providers';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { WebSocket } from 'ws';
import type { Relay } from '../context/relay.ts';
import { isObject } from '../dialects/fields.ts';
import { parseJson } from '../request/json-body.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { upstreamFailure } from '../upstream/upstream-failure.ts';
import { lowerCased, passedHeaders, placeOf, targetAt } from '../upstream/upstream-request.ts';
import { Line, type LineMemory } from './line.ts';
import type { SessionCall } from './round.ts';

interface LineWish {
  channel: RoutedChannel;
  dialect: AnyDialect;
  memory: LineMemory;
}

const longestRefusal = 64 * 1024;

/**
 * A line to a channel's provider on which he has said his first word: before that another channel may be asked.
 * Throws: UpstreamError, AppError `egress_refused`.
 */
export async function openLine(relay: Relay, call: SessionCall, { channel, dialect, memory }: LineWish): Promise<Line> {
  const { provider } = channel;
  const target = targetAt(call, channel, call.checked.model);
  const url = dialect.url({ model: target.model }, target);
  const { origin, path } = placeOf(channel, { url, target });
  call.upstreamModel = target.model;
  const socket = relay.dial(`${origin}${path}`, {
    proxy: channel.proxy,
    maxBytes: relay.limits.RELAY_REALTIME_MESSAGE_BYTES,
    headers: {
      ...provider.headers(target),
      ...dialect.headers?.(target),
      ...versionOf(call),
      ...passedHeaders(call),
      ...lowerCased(channel.settings.header_override),
    },
  });
  const line = new Line(socket, memory);
  call.whenGone(() => socket.terminate());
  try {
    const first = await firstWord(socket, { channel, withinMs: relay.limits.UPSTREAM_SILENCE_MS, atMs: relay.wallet.time() });
    const refused = first.type === 'error' ? dialect.errorIn(first) : undefined;
    if (refused !== undefined) throw refused;
    return line;
  } catch (error) {
    socket.terminate();
    line.start({ take: () => undefined, ended: () => undefined, failed: () => undefined }); // what has come is let go of
    throw error;
  } finally {
    call.whenGone(undefined);
  }
}

/** The beta's protocol, where a browser asks for it: it can set no header. */
function versionOf({ request }: SessionCall): Record<string, string> {
  return /\bopenai-beta\.realtime-v1\b/.test(request.headers['sec-websocket-protocol'] ?? '') ? { 'openai-beta': 'realtime=v1' } : {};
}

function firstWord(
  socket: WebSocket,
  { channel, withinMs, atMs }: { channel: RoutedChannel; withinMs: number; atMs: number },
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(upstreamFailure('timeout', 'upstream_timeout')), withinMs);
    const over = (tell: () => void) => {
      clearTimeout(timer);
      tell();
    };
    socket.once('message', (message) => over(() => resolve(wordIn(message as Buffer))));
    socket.once('error', (error: Error) => over(() => reject(failureOf(error))));
    socket.once('close', () => over(() => reject(upstreamFailure('interrupted', 'upstream_interrupted'))));
    socket.once('unexpected-response', (_request, answer: IncomingMessage) => {
      const { statusCode: status = 502, headers } = answer;
      readRefusal(answer).then(
        (body) => over(() => reject(channel.provider.error({ status, body, headers, atMs }, channel.target.key))),
        () => over(() => reject(upstreamFailure('server', 'upstream_unreachable'))),
      );
    });
  });
}

function wordIn(message: Buffer): JsonObject {
  try {
    const event = parseJson(message);
    return isObject(event) ? event : {};
  } catch {
    return {}; // whoever takes the message will say so
  }
}

function failureOf(error: Error): Error {
  if (error instanceof AppError || error instanceof UpstreamError) return error;
  const isSlow = error.message.includes('timed out');
  return isSlow ? upstreamFailure('timeout', 'upstream_timeout') : upstreamFailure('server', 'upstream_unreachable');
}

async function readRefusal(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > longestRefusal) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
