import { Channel } from '@tollgate/db';
import {
  type AnyRequest,
  type Dialect,
  type Outgoing,
  outgoing,
  type Provider,
  RequestRefused,
  readWhole,
  spokenBy,
  type Target,
  UpstreamError,
} from '@tollgate/providers';
import { AppError, type Egress } from '@tollgate/runtime';
import { noteTest } from './test-history.ts';
import { reasonOfSilence, signed, type Upstream, upstreamOf, withToken } from './upstream.ts';

const longestTestMs = 60_000;
const fallbackModel = 'gpt-4o-mini';

/** What a small call through a channel came to. A failure keeps the provider's error, which rules look at. */
export interface Probe {
  durationMs: number;
  failure: UpstreamError | AppError | undefined;
}

/**
 * Sends one small question through a channel and notes how long it took and why it failed. Nobody is charged. The model is the
 * one asked for, else the channel's test model, else its first.
 */
export async function probeChannel(egress: Egress, channelId: number, askedModel = ''): Promise<Probe> {
  const upstream = await upstreamOf(channelId);
  const { channel } = upstream;
  const model = askedModel || channel.testModel || channel.models[0] || fallbackModel;
  const begin = performance.now();
  const failure = await ask(egress, upstream, model);
  const durationMs = Math.round(performance.now() - begin);
  const [testedAt, testError] = [new Date(), failure?.message ?? ''];
  await Channel.updateOne({ id: channelId }, { $set: { responseTimeMs: durationMs, testedAt, testError } });
  await noteTest({ channelId, at: testedAt, model, durationMs, error: testError });
  return { durationMs, failure };
}

async function ask(egress: Egress, { channel, provider, target: asked }: Upstream, model: string): Promise<Probe['failure']> {
  const mapped = (JSON.parse(channel.modelMapping || '{}') as Record<string, string>)[model];
  const named: Target = { ...asked, model: mapped ?? model, isMapped: mapped !== undefined };
  try {
    const question = provider && questionFor(spokenBy(provider, named.model), model);
    if (!provider || !question) throw new AppError('channel_type_untestable');
    const target = await withToken(egress, provider, named);
    const { url: address, body } = question.to(target);
    const heads = { ...provider.headers(target), 'content-type': 'application/json', accept: 'application/json' };
    const { url, headers } = await signed(provider, target, { url: address, headers: heads, body });
    const answer = await egress.exchange(url, { method: 'POST', headers, body, timeoutMs: longestTestMs });
    if (answer.status !== 200) {
      throw provider.error({ status: answer.status, body: answer.body.toString('utf8'), headers: answer.headers }, target.key);
    }
    question.read(answer.body);
    return undefined;
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof AppError) return error;
    const reason = error instanceof RequestRefused ? error.message : reasonOfSilence(error);
    return new AppError('channel_test_failed', { reason }, { cause: error });
  }
}

interface Question {
  to(target: Target): Outgoing;
  /** Throws: UpstreamError when the body is no answer. */
  read(body: Buffer): void;
}

const embeddingName = /embedding|^m3e|bge-/i;
const reasoningName = /^o\d/;

function questionFor(provider: Provider, model: string): Question | undefined {
  if (provider.embeddings && (embeddingName.test(model) || !provider.chat)) return question(provider.embeddings, { model, input: 'hi' });
  if (!provider.chat || provider.chat.transport === 'websocket') return undefined;
  const limit = reasoningName.test(model) ? { max_completion_tokens: 10 } : { max_tokens: 10 };
  return question(provider.chat, { model, messages: [{ role: 'user', content: 'hi' }], ...limit });
}

function question<Request extends AnyRequest>(dialect: Dialect<Request, unknown>, request: Request): Question {
  const stamp = { id: 'test', createdSeconds: Math.floor(Date.now() / 1000), model: request.model };
  return {
    to: (target) => outgoing(dialect, { speaks: 'openai', bytes: Buffer.from(JSON.stringify(request)), request, target }),
    read: (body) => void readWhole(dialect, body, { stamp, speaks: 'openai' }),
  };
}
