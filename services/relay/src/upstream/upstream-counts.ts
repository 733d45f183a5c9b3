import { hash } from 'node:crypto';
import { type AnyDialect, type ChatTranslation, type JsonObject, outgoing, RequestRefused } from '@tollgate/providers';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Reading } from '../request/read-request.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange } from './exchange.ts';
import { lowerCased, passedHeaders, placeOf, targetAt } from './upstream-request.ts';

const answerMs = 5_000;
const mostAnswerBytes = 64 * 1024;
/** What a count needs of the call. */
interface Question {
  reading: Reading;
  channel: RoutedChannel;
  dialect: AnyDialect;
}

/** What the channel's provider counts, in tokens; undefined where it does not, not now, or nothing that can be true. */
export async function countOf(relay: Relay, call: Call, question: Question): Promise<number | undefined> {
  const { channel } = question;
  const { countMemory: memory } = relay;
  try {
    const asked = await askedOf(relay, call, question);
    if (asked === undefined) return undefined;
    const key = `${channel.id} ${hash('sha256', `${asked.url}\n${asked.body}`)}`;
    const known = memory.known(key);
    if (known !== undefined) return known;
    if (!memory.take(channel.id)) return undefined;
    const tokens = await counted(relay, { ...asked, channel });
    if (tokens !== undefined) memory.keep(key, tokens);
    return tokens;
  } catch (error) {
    if (error instanceof RequestRefused) return undefined; // what cannot be sent cannot be counted
    memory.failed(channel.id, error);
    relay.logger.info({ requestId: call.id, channelId: channel.id, err: error }, 'a provider did not count a prompt');
    return undefined;
  }
}

interface Asked {
  url: string;
  headers: Record<string, string>;
  body: string;
  tokensIn: NonNullable<ChatTranslation['counts']>['tokensIn'];
  target: ReturnType<typeof targetAt>;
}

async function askedOf(relay: Relay, call: Call, { reading, channel, dialect }: Question): Promise<Asked | undefined> {
  const { counts } = dialect as ChatTranslation;
  if (counts === undefined) return undefined;
  const { request, sent } = reading;
  const { provider } = channel;
  const target = targetAt(call, channel, request.model);
  if (provider.token !== undefined) target.token = await relay.accessTokens.of(provider.token, target, channel.proxy);
  const passed = dialect.speaks === call.dialect.name ? passedHeaders(call) : undefined;
  const out = outgoing(dialect, { ...sent, speaks: call.dialect.name, request, target });
  const body = counts.body(JSON.parse(out.body.toString('utf8')) as JsonObject, target);
  return {
    url: counts.url(target),
    headers: {
      ...provider.headers(target),
      ...passed,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
      ...lowerCased(channel.settings.header_override),
    },
    body: JSON.stringify(body),
    tokensIn: counts.tokensIn,
    target,
  };
}

/** Throws: UpstreamError, AppError `egress_refused`. */
async function counted(relay: Relay, { url, headers, body, tokensIn, target, channel }: Asked & { channel: RoutedChannel }) {
  const way = channel.proxy === undefined ? relay.egress : relay.egress.through(channel.proxy);
  const exchange = new Exchange(way.dispatcher, {
    ...placeOf(channel, { url, target }),
    headers,
    body: [Buffer.from(body)],
    firstByteMs: answerMs,
    silenceMs: answerMs,
  });
  await exchange.answered;
  const bytes = await exchange.whole({ maxBytes: mostAnswerBytes, withinMs: answerMs });
  const text = bytes.toString('utf8');
  if (exchange.status !== 200) throw channel.provider.error({ status: exchange.status, body: text, headers: exchange.headers }, target.key);
  return plausible(tokensIn(JSON.parse(text) as JsonObject));
}

function plausible(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
