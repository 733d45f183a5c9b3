import { type AnyDialect, type ChatRequest, mediaTypeOf, remoteFiles } from '@tollgate/providers';
import { AppError, askedBy } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Forwarding } from './upstream-request.ts';

const mostFiles = 16;
const mostBytes = 20 << 20;
const mostBytesOfCall = 40 << 20;
const longestMs = 20_000;
/** The text of a file, and its copy in the body that is sent. */
const copies = 2;

/**
 * The images and files of a request that a provider can only be sent as bytes, by their URLs; undefined when there are none. They
 * are fetched once a call, all at the same time, however many channels are asked.
 * Throws: AppError `invalid_request` when one cannot be fetched; `service_unavailable` when all calls keep too much.
 */
export function filesFor(
  relay: Relay,
  call: Call,
  { forwarding, dialect }: { forwarding: Forwarding; dialect: AnyDialect },
): Promise<ReadonlyMap<string, string>> | undefined {
  const wanted = remoteFiles(forwarding.request as ChatRequest, dialect);
  if (wanted.length === 0) return undefined;
  if (wanted.length > mostFiles) throw refused(`a request may name at most ${mostFiles} files by URL`);
  forwarding.files ??= new Map();
  return withMissing(relay, call, { wanted, known: forwarding.files });
}

async function withMissing(
  relay: Relay,
  call: Call,
  { wanted, known }: { wanted: string[]; known: Map<string, string> },
): Promise<ReadonlyMap<string, string>> {
  const missing = wanted.filter((address) => !known.has(address));
  if (missing.length > 0) await fetchAll(relay, call, { addresses: missing, known });
  return known;
}

/** Only chats hold messages, and they alone name files. */
export function holdsAddresses(call: Call): boolean {
  return call.checked?.mode === 'chat';
}

async function fetchAll(
  relay: Relay,
  call: Call,
  { addresses, known }: { addresses: string[]; known: Map<string, string> },
): Promise<void> {
  const { openCalls } = relay;
  let left = mostBytesOfCall;
  const signal = AbortSignal.timeout(longestMs);
  const all = addresses.map(async (address) => {
    const url = await fetched(relay, call, { named: address, maxBytes: Math.min(mostBytes, left), signal });
    left -= (url.length * 3) / 4;
    if (left < 0) throw refused(`the files that it names by URL have more than ${mostBytesOfCall >> 20} MB together`);
    openCalls.buffer(call, url.length * copies);
    known.set(address, url);
  });
  await Promise.all(all);
}

type Limits = { maxBytes: number; signal: AbortSignal };

/** The file as a data URL. Every failure has one text: what lies behind an address is not for the caller to find out. */
async function fetched(relay: Relay, call: Call, { named, ...limits }: Limits & { named: string }): Promise<string> {
  const { egressByOrigin: egress, settings } = relay;
  try {
    const { by, address, ...question } = await askedBy({ egress, origin: 'users', worker: settings.options }, { address: named });
    const { status, headers, body } = await by.exchange(address, { ...question, ...limits, timeoutMs: longestMs });
    const url = status === 200 ? dataUrl(headers['content-type'] ?? '', body) : undefined;
    if (url !== undefined) return url;
    relay.logger.info({ requestId: call.id, status }, 'a file by URL was not usable');
  } catch (error) {
    relay.logger.info({ requestId: call.id, err: error }, 'a file by URL could not be fetched');
  }
  throw refused(unavailable);
}

const unavailable = `a file that it names by URL could not be fetched. It must be an image or a document of at most ${mostBytes >> 20} MB at a public address`;

/** What is taken as it is called: no first bytes tell what it is. */
const asStated = /^(?:text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Many servers call everything a picture, the page on which they say that it is gone, too: the bytes decide. */
function dataUrl(contentType: string, body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  const stated = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const found = mediaTypeOf(body);
  const mediaType = found === undefined || found === 'text/html' ? asStated.exec(stated)?.[0] : found;
  return mediaType === undefined ? undefined : `data:${mediaType};base64,${body.toString('base64')}`;
}

function refused(reason: string): AppError {
  return new AppError('invalid_request', { reason }, { param: 'messages' });
}
