import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { rows } from '@tollgate/db';
import { AppError, askedBy } from '@tollgate/runtime';
import { request as send } from 'undici';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { answerHeaders } from '../response/respond.ts';

const longestMs = 60_000;
const mostBytes = 64 * 1024 * 1024;
const pictures = /^(?:image\/(?:png|jpeg|webp|gif|avif|bmp)|video\/mp4)\b/i;
/** What providers say who do not look at what they store. */
const unsupported = /^(?:application\/octet-stream|binary\/octet-stream)\b/i;

/**
 * Passes a task's picture on from where its provider keeps it, to whoever has a link that we signed. It shares its host with the
 * console: what is no picture goes out as none. Throws: AppError `image_link_invalid`, `image_unavailable`.
 */
export async function forwardImage(relay: Relay, call: Call, taskId: string): Promise<void> {
  if (!relay.images.isValid(taskId, new URLSearchParams(call.query), relay.wallet.time())) throw new AppError('image_link_invalid');
  const row = await rows.tasks().findOne({ _id: taskId }, { projection: { imageUrl: 1 } });
  const url = URL.parse(row?.imageUrl ?? '');
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new AppError('image_unavailable');
  const signal = AbortSignal.timeout(longestMs);
  const leave = new AbortController();
  call.whenGone(() => leave.abort());
  const ask = async () => {
    const { egressByOrigin: egress, settings } = relay;
    const asking = { egress, origin: 'channels', worker: settings.options } as const; // the provider named it
    const { by, address, headers, ...question } = await askedBy(asking, { address: url.href });
    return send(address, {
      ...question,
      dispatcher: by.dispatcher,
      headers: { 'user-agent': 'tollgate', 'accept-encoding': 'identity', ...headers },
      signal: AbortSignal.any([signal, leave.signal]),
    });
  };
  const answer = await ask().catch((cause: unknown) => {
    throw new AppError('image_unavailable', {}, { cause });
  });
  const stated = String(answer.headers['content-type'] ?? '');
  const type = pictures.exec(stated)?.[0] ?? (stated === '' || unsupported.test(stated) ? 'image/jpeg' : undefined);
  const length = Number(answer.headers['content-length'] ?? 0);
  if (answer.statusCode !== 200 || type === undefined || length > mostBytes) {
    answer.body.on('error', () => undefined).destroy();
    throw new AppError('image_unavailable');
  }
  call.response.writeHead(200, answerHeaders(call, { ...imageHeaders(type), ...(length > 0 && { 'content-length': String(length) }) }));
  await passOn(answer.body, call.response);
}

function imageHeaders(type: string) {
  return {
    'content-type': type,
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** Once bytes are out a picture that is too long, or breaks off, can only be cut. */
async function passOn(body: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  let passed = 0;
  async function* bounded(): AsyncIterable<Buffer> {
    for await (const piece of body) {
      passed += piece.length;
      if (passed > mostBytes) throw new Error('the picture is too long');
      yield piece;
    }
  }
  await pipeline(bounded, response).catch(() => response.destroy());
}
