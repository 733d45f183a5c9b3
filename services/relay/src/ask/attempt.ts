import type { AnyDialect, AnyRequest, JsonObject, Stamp, Target, UpstreamError } from '@tollgate/providers';
import { outgoing, RequestRefused } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall, Call } from '../call/call.ts';
import type { RelayRoute, SentRequest } from '../call/route.ts';
import { unknownFields } from '../money/priced-fields.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange, type StreamedBody, upstreamFailure } from './exchange.ts';
import { fileBody, formBody } from './form-out.ts';

/** What stays the same over all attempts of a call. */
export interface Forwarding {
  /** What the caller asks for, in the hub's words. */
  request: AnyRequest;
  /** The same as he sent it; undefined once no provider will be asked any more. */
  sent: SentRequest | undefined;
  /** The longest answer that the balance affords, when it is less than what was asked for. */
  outputLimit: number | undefined;
  choices: number;
}

const longestErrorBody = 64 * 1024;
const errorBodyMs = 10_000;

/**
 * Asks one channel. Resolves when it has begun to answer with status 200; the body is still to be read. A connection that was
 * kept from an earlier call may be closed by its other end just when it is used: then it is asked once more on a new one.
 * Throws: UpstreamError, AppError `egress_refused`, `invalid_request`.
 */
export async function ask(relay: Relay, call: AskedCall, attempt: Asking): Promise<Exchange> {
  const { channel } = attempt;
  let exchange = await answered(call, send(relay, call, attempt), channel);
  if (exchange.wasCutBeforeAnswer) exchange = await answered(call, send(relay, call, { ...attempt, isAgain: true }), channel);
  if (exchange.status === 200) return exchange;
  const body = await exchange.whole({ maxBytes: longestErrorBody, withinMs: errorBodyMs });
  const answer = { status: exchange.status, body: body.toString('utf8'), headers: exchange.headers, atMs: relay.wallet.time() };
  throw channel.provider.error(answer, channel.target.key);
}

interface Asking {
  forwarding: Forwarding;
  channel: RoutedChannel;
  route: RelayRoute;
  dialect: AnyDialect;
}

/** The exchange with its status, or one that may be asked again. */
async function answered(call: Call, exchange: Exchange, channel: RoutedChannel): Promise<Exchange> {
  call.whenGone(() => exchange.abort());
  try {
    await exchange.answered;
  } catch (error) {
    if (exchange.wasCutBeforeAnswer && !call.isGone) return exchange;
    if (error instanceof AppError && error.code === 'egress_refused')
      throw new AppError('egress_refused', { host: `of channel ${channel.id}` });
    throw error;
  }
  return exchange;
}

/** Another provider will not be asked: what was kept for it is let go of, a prompt may be long and an answer take minutes. */
export function letGoOfRequest(relay: Relay, call: Call, forwarding: Forwarding): void {
  const { model, stream, stream_options } = forwarding.request;
  forwarding.request = { model, stream, stream_options };
  forwarding.sent = undefined;
  relay.openCalls.letGo(call, call.bufferedBytes);
}

function send(relay: Relay, call: AskedCall, { channel, route, dialect, forwarding, isAgain }: Asking & { isAgain?: boolean }): Exchange {
  const { request, sent, outputLimit } = forwarding;
  if (sent === undefined) throw new Error('a request was let go of before its last question');
  const mapped = channel.modelMapping.get(request.model);
  const target: Target = {
    ...channel.target,
    model: mapped ?? request.model,
    isMapped: mapped !== undefined,
    query: call.query,
  };
  const isStream = request.stream === true;
  try {
    const without = unknownFields(call.checked, channel);
    const out = outgoing(dialect, { ...sent, speaks: route.dialect.name, request, target, includeUsage: isStream, outputLimit, without });
    call.upstreamModel = out.model;
    const body = bodyOf(dialect, out.body, sent);
    return new Exchange(isAgain ? relay.upstreamAnew : relay.upstream, {
      origin: channel.origin,
      path: pathOn(channel, out.url),
      headers: {
        ...channel.provider.headers(target),
        ...(dialect.speaks === route.dialect.name && passedHeaders(call)),
        'content-type': body.contentType,
        accept: isStream ? 'text/event-stream' : (route.rules.answersIn ?? 'application/json'),
        'accept-encoding': 'identity', // so that frames can be read, and nothing has to be unpacked
        'user-agent': 'tollgate',
      },
      body: body.body,
      firstByteMs: relay.limits.UPSTREAM_FIRST_BYTE_MS,
      silenceMs: relay.limits.UPSTREAM_SILENCE_MS,
    });
  } catch (error) {
    if (error instanceof RequestRefused) {
      throw new AppError('invalid_request', { reason: error.message }, { cause: error, param: error.param ?? undefined });
    }
    throw error;
  }
}

/** The body as the provider wants it: as JSON, as a form, or the one file of a form. */
function bodyOf(
  dialect: AnyDialect,
  json: Buffer,
  { form, long }: SentRequest,
): { contentType: string; body: readonly Buffer[] | StreamedBody } {
  if (form === undefined || dialect.sends === undefined) return { contentType: 'application/json', body: long?.whole(json) ?? [json] };
  const { contentType, ...body } =
    dialect.sends === 'file' ? fileBody(form) : formBody(JSON.parse(json.toString('utf8')) as JsonObject, form);
  return { contentType, body };
}

const longestHeader = 1000;

/** What a caller says in headers to a provider who speaks as he does, such as the version that he wants to be answered in. */
function passedHeaders({ dialect, request }: Call): Record<string, string> | undefined {
  const passed = dialect.passedHeaders?.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' && value.length <= longestHeader ? [[name, value] as const] : [];
  });
  return passed && Object.fromEntries(passed);
}

/** The path of a URL on its channel. The host is the channel's: one that a request led elsewhere is not called. */
function pathOn(channel: RoutedChannel, url: string): string {
  const { originText } = channel;
  const next = url[originText.length];
  if (!url.startsWith(originText) || (next !== '/' && next !== '?' && next !== undefined)) {
    throw upstreamFailure('server', 'upstream_unreachable');
  }
  const path = url.slice(originText.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** What an answer is signed with when it is translated. */
export function stampOf(call: Call): Stamp {
  return { id: call.dialect.answerId(call.id), createdSeconds: Math.floor(call.atMs / 1000), model: call.upstreamModel };
}

/** Whether an answer that was asked for as a stream is one. */
export function isEventStream(exchange: Exchange): boolean {
  return exchange.headers['content-type']?.toLowerCase().includes('text/event-stream') === true;
}

/** Whether a failure speaks against the channel. A request that every channel would refuse does not. */
export function isFaultOfChannel(error: UpstreamError): boolean {
  return error.kind !== 'request' && error.kind !== 'content_filter' && error.kind !== 'not_found';
}
