import { type AnyDialect, type ChatRequest, mediaTypeOf, remoteFiles } from '@tollgate/providers';
import { AppError, askedBy } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import type { Forwarding } from './upstream-request.ts';

const mostFiles = 16;
const mostBytes = 20 << 20;
const mostBytesOfCall = 40 << 20;
const longestMs = 20_000;
/** What is fetched, and the same as text. */
const copies = 3;

/**
 * The images and files of a request that a provider can only be sent as bytes, by their addresses; undefined when there are none. They
 * are fetched once a call, all at the same time, however many channels are asked.
 * Throws: AppError `invalid_request` that says which one is not to be had; `service_unavailable` when all calls keep too much.
 */
export function filesFor(
  relay: Relay,
  call: Call,
  { forwarding, dialect }: { forwarding: Forwarding; dialect: AnyDialect },
): Promise<ReadonlyMap<string, string>> | undefined {
  const wanted = remoteFiles(forwarding.request as ChatRequest, dialect);
  if (wanted.length === 0) return undefined;
  if (wanted.length > mostFiles) throw refused(`a request may name at most ${mostFiles} files by address`);
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
    const { headers, body } = await fetched(relay, address, { maxBytes: Math.min(mostBytes, left), signal });
    left -= body.length;
    if (left < 0) throw refused('the files that it names by address are too large together');
    openCalls.buffer(call, body.length * copies);
    known.set(address, dataUrl(headers['content-type'] ?? '', body));
  });
  await Promise.all(all);
}

async function fetched({ fileEgress, settings }: Relay, named: string, limits: { maxBytes: number; signal: AbortSignal }) {
  const exchange = async () => {
    const { address, ...question } = await askedBy(fileEgress, settings.options, { address: named });
    return fileEgress.exchange(address, { ...question, ...limits, timeoutMs: longestMs });
  };
  const answer = await exchange().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'upstream_bad_answer') throw refused('a file that it names by address is too large');
    if (error instanceof AppError) throw refused(`a file that it names by address may not be fetched: ${error.message}`);
    throw refused('a file that it names by address could not be fetched');
  });
  if (answer.status !== 200) throw refused(`a file that it names by address is not to be had: status ${answer.status}`);
  return answer;
}

/** What is taken as it is called: no first bytes tell what it is. */
const asStated = /^(?:text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Many servers call everything a picture, the page on which they say that it is gone, too: the bytes decide. */
function dataUrl(contentType: string, body: Buffer): string {
  if (body.length === 0) throw refused('a file that it names by address is empty');
  const stated = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const found = mediaTypeOf(body);
  const mediaType = found === undefined || found === 'text/html' ? asStated.exec(stated)?.[0] : found;
  if (mediaType === undefined) throw refused('a file that it names by address is neither an image nor a document');
  return `data:${mediaType};base64,${body.toString('base64')}`;
}

function refused(reason: string): AppError {
  return new AppError('invalid_request', { reason }, { param: 'messages' });
}
