import { type ChannelTestView, testsKept } from '@tollgate/contracts';
import { Channel, ChannelTest, type ChannelTestDoc } from '@tollgate/db';
import { RequestRefused, spokenBy, type Target, UpstreamError } from '@tollgate/providers';
import { AppError, type Egress } from '@tollgate/runtime';
import { channelRow } from './change.ts';
import { questionFor } from './probe-questions.ts';
import { reasonOfSilence, signed, type Upstream, upstreamOf, withToken } from './upstream.ts';

const longestTestMs = 60_000;
/** A picture may come inside its answer. */
const longestAnswer = 32 << 20;
const fallbackModel = 'gpt-4o-mini';

/** What a small call through a channel came to. A failure keeps the provider's error, which rules look at. */
export interface Probe {
  durationMs: number;
  failure: UpstreamError | AppError | undefined;
}

/**
 * Sends one small question through a channel and notes how long it took and why it failed. Nobody is charged. The model is the
 * one asked for, else the channel's test model, else its first; the key the named one, else the first that is enabled.
 */
export async function probeChannel(
  egress: Egress,
  channelId: number,
  { model: askedModel = '', keyId }: { model?: string; keyId?: number | undefined } = {},
): Promise<Probe> {
  const upstream = await upstreamOf(channelId, keyId);
  const { channel } = upstream;
  const model = askedModel || channel.testModel || channel.models[0] || fallbackModel;
  const begin = performance.now();
  const failure = await ask(egress, upstream, model);
  const durationMs = Math.round(performance.now() - begin);
  if (keyId !== undefined) return { durationMs, failure }; // another key of the channel may do better
  const [testedAt, testError] = [new Date(), failure?.message ?? ''];
  await Channel.updateOne({ id: channelId }, { $set: { responseTimeMs: durationMs, testedAt, testError } });
  await noteTest({ channelId, at: testedAt, model, durationMs, error: testError });
  return { durationMs, failure };
}

async function ask(egress: Egress, upstream: Upstream, model: string): Promise<Probe['failure']> {
  const failure = await askOnce(egress, upstream, { model });
  return isForStreamsOnly(failure) ? askOnce(egress, upstream, { model, isStreamed: true }) : failure;
}

/** Some models refuse calls that are not streamed, and say so in their own words. */
function isForStreamsOnly(failure: Probe['failure']): boolean {
  return failure instanceof UpstreamError && failure.status === 400 && /\bstream/i.test(failure.message);
}

interface Asked {
  model: string;
  isStreamed?: boolean;
}

async function askOnce(
  egress: Egress,
  { channel, provider, proxy, target: reached }: Upstream,
  { model, isStreamed }: Asked,
): Promise<Probe['failure']> {
  const mapped = (JSON.parse(channel.modelMapping || '{}') as Record<string, string>)[model];
  const named: Target = { ...reached, model: mapped ?? model, isMapped: mapped !== undefined };
  try {
    const question = provider && questionFor(spokenBy(provider, named.model), { model, upstream: named.model, isStreamed });
    if (!provider || !question) throw new AppError('channel_type_untestable');
    const target = await withToken(egress, { provider, proxy }, named);
    const { url: address, body, contentType, headers: own } = await question.to(target);
    const heads = { ...provider.headers(target), ...own, 'content-type': contentType, accept: '*/*' };
    const { url, headers } = await signed(provider, target, { url: address, headers: heads, body });
    const asking = { headers, body, proxy, timeoutMs: longestTestMs, maxBytes: longestAnswer };
    const answer = await egress.exchange(url, { method: 'POST', ...asking });
    if (answer.status !== 200) {
      throw provider.error({ status: answer.status, body: answer.body.toString('utf8'), headers: answer.headers }, target.key);
    }
    question.read(answer.body, answer.headers['content-type'] ?? '');
    return undefined;
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof AppError) return error;
    const reason = error instanceof RequestRefused ? error.message : reasonOfSilence(error);
    return new AppError('channel_test_failed', { reason }, { cause: error });
  }
}

/** Notes a test, and forgets those of its channel that are older than the last ones. */
async function noteTest(test: ChannelTestDoc): Promise<void> {
  await ChannelTest.create(test);
  const { channelId } = test;
  const oldest = await ChannelTest.findOne({ channelId }).sort({ at: -1 }).skip(testsKept).select('at').lean();
  if (oldest) await ChannelTest.deleteMany({ channelId, at: { $lte: oldest.at } });
}

export async function testsOf(channelId: number): Promise<ChannelTestView[]> {
  await channelRow(channelId);
  const tests = await ChannelTest.find({ channelId }).sort({ at: -1 }).limit(testsKept).lean();
  return tests.map(({ at, model, durationMs, error }) => ({
    time: Math.floor(at.getTime() / 1000),
    model,
    response_time: durationMs,
    error,
  }));
}
