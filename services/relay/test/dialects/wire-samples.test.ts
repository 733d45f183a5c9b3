import { type JsonObject, providerOf, RequestRefused, spokenBy, UpstreamError } from '@tollgate/providers';
import { type WireSample, wireBytes, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';
import { askedOf, dialectOf, modelOf, playedBack, streamed, targetOf, wholeChat } from './four-corners.ts';

/** Why a case is not run yet; undefined when it is. */
function pendingReason(sample: WireSample, type: number): string | undefined {
  const provider = providerOf(type);
  if (provider === undefined) return `channel type ${type} is not built yet`;
  const mode = modeOf(sample);
  if (mode === undefined) return `no relay mode for ${sample.request.path} yet`;
  if (mode === 'token') return provider.token === undefined ? `channel type ${type} exchanges no key` : undefined;
  return spokenBy(provider, modelOf(sample))[mode] === undefined ? `channel type ${type} has no ${mode} yet` : undefined;
}

type AnswerMode = 'chat' | 'completions' | 'embeddings' | 'images' | 'transcription' | 'rerank';
type Mode = AnswerMode | 'models' | 'balance' | 'token';

function modeOf({ request: { path }, expect: wanted }: WireSample): Mode | undefined {
  if (wanted?.kind === 'models' || wanted?.kind === 'balance') return wanted.kind;
  if (path.includes('/billing/subscription')) return 'balance';
  if (/\/token\b/.test(path)) return 'token';
  if (wanted?.kind === 'transcription') return 'transcription';
  if (path.includes('/rerank')) return 'rerank';
  if (/\/(?:images|text2image|tasks)\b|:predict/.test(path)) return 'images';
  if (/embedd|mbedContent|\/embed$/.test(path)) return 'embeddings';
  if (/(?<!chat)\/completions|\/ai\/run\//.test(path)) return 'completions';
  return 'chat';
}

describe('recorded exchanges', () => {
  it('say whether they are invented or observed', () => {
    for (const { origin, note } of wireSamples()) {
      expect(origin).to.be.oneOf(['invented', 'observed']);
      if (origin === 'observed') expect(note).to.be.a('string');
    }
  });

  it('Cloudflare goes on with a text in pieces, and what its model cannot do is refused by name', () => {
    const pieces = [
      { response: ' red' },
      { response: '.' },
      { response: '', usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } },
    ];
    const bytes = Buffer.from(`${pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('')}data: [DONE]\n\n`);
    for (const size of [1, bytes.length]) {
      const answer = streamed(39, 'completions', { bytes, size });
      expect(answer.message).to.include({ content: ' red.', finishReason: 'stop' });
      expect(answer).to.deep.include({ source: 'upstream', isComplete: true });
      expect(answer.shownUsage).to.include({ prompt_tokens: 4, completion_tokens: 2 });
    }
    const asked = (more: object) => askedOf(39, 'completions', Buffer.from(JSON.stringify({ model: '@cf/m', prompt: 'Roses', ...more })));
    for (const [field, value] of Object.entries({ n: 2, best_of: 3, suffix: 'x', echo: true, logprobs: 1, prompt: ['a', 'b'] })) {
      expect(() => asked({ [field]: value }), field)
        .to.throw(RequestRefused)
        .with.property('param', field);
    }
  });

  for (const sample of wireSamples()) {
    for (const type of sample.channelTypes) {
      if (providerOf(type)?.tasks !== undefined) continue; // looked at in libs/providers/test/tasks.test.ts
      const title = `${sample.provider}/${sample.case} (type ${type})`;
      if (sample.unspoken !== undefined) {
        it(`${title}: is taken for no answer, for ${sample.unspoken}`, () => checkForeign(sample, type));
        continue;
      }
      if (sample.request.path === '/v1/files/upload') {
        it(`${title}: files are sent by address, bytes of one are refused by name`, () => checkUpload(type));
        continue;
      }
      const reason = pendingReason(sample, type);
      if (reason !== undefined) {
        it(`${title}: pending, ${reason}`);
        continue;
      }
      const mode = modeOf(sample) as Mode;
      if (mode === 'models' || mode === 'balance') {
        it(`${title}: reads the provider's ${mode}`, () => checkView(sample, type, mode));
        continue;
      }
      if (mode === 'token') {
        it(`${title}: reads what the key is exchanged for`, () => checkToken(sample, type));
        continue;
      }
      const isOurDialect = providerOf(type)?.[mode]?.speaks === 'openai';
      if (sample.client !== undefined || (sample.request.bodyFile !== undefined && isOurDialect)) {
        it(`${title}: sends what the provider must get`, () => checkRequest(sample, type, mode));
      }
      it(`${title}: gives the caller what he must get`, () => checkAnswer(sample, type, mode));
    }
  }
});

/** What another of the provider's APIs would answer must never pass for an answer of the one that is asked: it would be charged. */
function checkForeign(sample: WireSample, type: number): void {
  const bytes = wireBytes(sample.response.bodyFile);
  expect(thrownBy(() => playedBack(type, 'chat', bytes))).to.be.instanceOf(UpstreamError);
  for (const size of [1, 7, bytes.length]) {
    const answer = streamed(type, 'chat', { bytes, size });
    expect(answer).to.include({ isComplete: false, hasContent: false });
    expect(answer.text).to.include('error').and.not.include('[DONE]');
  }
}

/** Where bytes would have to be uploaded first the caller hears which field says it, and an address travels as it is. */
function checkUpload(type: number): void {
  const asked = (url: string) => {
    const content = [{ type: 'image_url', image_url: { url } }];
    return askedOf(type, 'chat', Buffer.from(JSON.stringify({ model: 'app', messages: [{ role: 'user', content }] })));
  };
  const url = 'https://pictures.example.com/a.png';
  expect(JSON.parse(asked(url).body.toString()).files).to.deep.equal([{ type: 'image', transfer_method: 'remote_url', url }]);
  expect(() => asked('data:image/png;base64,iVBORw0KGgo='))
    .to.throw(RequestRefused)
    .with.property('param', 'messages');
}

function checkToken(sample: WireSample, type: number): void {
  const { status, bodyFile } = sample.response;
  const read = () => providerOf(type)?.token?.read({ status, body: wireBytes(bodyFile).toString() }, 'test-key');
  const wanted = sample.expect as { kind: string; token?: string; expires_in?: number; messageContains?: string };
  if (wanted.kind === 'error') {
    const error = thrownBy(read);
    expect(error.message).to.include(wanted.messageContains);
    expect(error.disablesChannel).to.equal(true);
    return;
  }
  expect(read()?.token).to.equal(wanted.token);
  if (wanted.expires_in !== undefined) expect(read()?.lifetimeMs).to.equal(wanted.expires_in * 1000);
}

async function checkRequest(sample: WireSample, type: number, mode: AnswerMode): Promise<void> {
  const client = wireBytes(sample.client ?? (sample.request.bodyFile as string));
  const sent = askedOf(type, mode, client, { other: sample.other });
  const { path } = sample.request;
  const [wantedUrl, query = ''] = (path.startsWith('wss://') ? path : `https://up.example.com${path}`).split(/(?=\?authorization=\.\.\.)/);
  if (type === sample.channelTypes[0]) expect(sent.url).to.equal(wantedUrl);
  await checkProof({ sample, type, mode, query }, sent);
  if (sample.request.bodyFile !== undefined) {
    expect(JSON.parse(sent.body.toString())).to.deep.equal(JSON.parse(wireBytes(sample.request.bodyFile).toString()));
  }
}

/** What proves the key: headers that stand, and those that the call's own bytes and time make, in the form that was recorded. */
async function checkProof(
  asked: { sample: WireSample; type: number; mode: AnswerMode; query: string },
  { url, body }: { url: string; body: Buffer },
) {
  const { sample, type, mode, query } = asked;
  const provider = providerOf(type);
  const target = targetOf(type, modelOf(sample));
  const signed = await provider?.sign?.({ url, body, target, atMs: 1_741_000_000_000 });
  const accept = 'application/vnd.amazon.eventstream'; // what is asked for is the relay's to say
  const own = provider?.[mode]?.headers?.(target);
  const headers = { 'content-type': 'application/json', accept, ...provider?.headers(target), ...own, ...signed?.headers };
  for (const [name, value] of Object.entries(sample.request.headers ?? {})) {
    if (name === 'accept') continue;
    const wanted = value.replace(/\$\{key\}/, 'test-key').replace(/\$\{access_token\}/, target.token ?? '');
    const isOpen = /\.\.\.$|\$\{/.test(wanted) || name === 'x-amz-date';
    if (isOpen)
      expect(headers)
        .to.have.property(name)
        .that.matches(new RegExp(`^${wanted.split(/[.$0-9]/)[0]}`));
    else expect(headers).to.have.property(name, wanted);
  }
  for (const name of query.matchAll(/[?&](\w+)=/g)) expect(new URL(signed?.url ?? '').searchParams.get(name[1] ?? '')).to.not.equal(null);
}

function checkView(sample: WireSample, type: number, mode: 'models' | 'balance'): void {
  const provider = providerOf(type);
  const target = targetOf(type, '');
  const body: unknown = JSON.parse(wireBytes(sample.response.bodyFile).toString());
  if (mode === 'models') {
    expect(provider?.models?.url(target).split('?')[0]).to.equal(`https://up.example.com${sample.request.path}`);
    expect(provider?.models?.decode(body)).to.deep.equal(sample.expect?.ids);
    return;
  }
  const urls = provider?.balance?.urls(target, '2025-03-15');
  expect(urls).to.include(`https://up.example.com${sample.request.path}`);
  if (sample.expect?.cny !== undefined) {
    expect(provider?.balance?.decode([body])).to.deep.equal({ amount: sample.expect.cny, currency: 'CNY' });
  }
  if (sample.expect?.usd !== undefined) {
    const bodies = urls?.length === 2 ? [{ hard_limit_usd: 120 }, body] : [body];
    expect(provider?.balance?.decode(bodies)).to.deep.equal({ amount: sample.expect.usd, currency: 'USD' });
  }
}

function checkAnswer(sample: WireSample, type: number, mode: AnswerMode): void {
  const wanted = sample.expect;
  const bytes = wireBytes(sample.response.bodyFile);
  if (wanted?.kind === 'error') {
    checkError(sample, type, mode);
    return;
  }
  const isSocket = sample.response.contentType === 'websocket-text-frames';
  if (isSocket || /event-?stream/.test(sample.response.contentType)) {
    for (const size of [1, 7, 64, bytes.length]) checkStream(sample, { type, mode, bytes, size });
    const dialect = dialectOf(type, mode, modelOf(sample));
    const isWholeToo = dialect.speaks !== 'openai' && dialect.streamsOnly && wanted?.kind !== 'stream-error';
    if (!isWholeToo) return;
  }
  if (wanted === undefined && mode === 'images') {
    checkUndone(sample, type);
    return;
  }
  const answer = playedBack(type, mode, bytes, modelOf(sample));
  if (wanted?.kind === 'images') {
    expect(answer.json.data).to.have.length(wanted.count ?? 0);
    return;
  }
  if (wanted?.kind === 'transcription') {
    expect(answer.json.text).to.equal(wanted.text);
    return;
  }
  if (wanted?.kind === 'rerank') {
    expect((answer.json.results as { index: number }[]).map(({ index }) => index)).to.deep.equal(wanted.order);
    // What is counted in searches is no count of tokens, and billed by the mode.
    if (wanted.usage === undefined) return;
  } else if (wanted?.kind === 'embeddings') {
    const data = answer.json.data as { index: number; embedding: number[] }[];
    expect(data.map(({ index }) => index)).to.deep.equal(Array.from({ length: wanted.count ?? 0 }, (_, index) => index));
    expect(data[0]?.embedding).to.have.length(wanted.dims ?? 0);
    expect(answer.json).to.include({ object: 'list' });
  } else {
    checkMessage(sample, wholeChat(answer.json));
  }
  checkUsage(sample, answer);
}

function checkStream(
  sample: WireSample,
  { type, mode, bytes, size }: { type: number; mode: AnswerMode; bytes: Buffer; size: number },
): void {
  const wanted = sample.expect;
  const answer = streamed(type, mode, { bytes, size, model: modelOf(sample) });
  if (wanted?.kind === 'stream-error') {
    expect(answer.error?.message).to.include(wanted.messageContains);
    expect(answer.message.content).to.equal(wanted.contentSoFar);
    expect(answer.text).to.not.include('[DONE]');
    return;
  }
  expect(answer.error, 'no error').to.equal(undefined);
  expect(answer.isComplete).to.equal(true);
  expect(answer.text.endsWith('data: [DONE]\n\n')).to.equal(true);
  checkMessage(sample, answer.message);
  checkUsage(sample, answer);
}

/** A task that is not done yet: it is known where to ask again. */
function checkUndone(sample: WireSample, type: number): void {
  const answer = JSON.parse(wireBytes(sample.response.bodyFile).toString()) as JsonObject;
  const polls = providerOf(type)?.images?.polls;
  expect(polls?.isRunning(answer)).to.equal(true);
  expect(polls?.place(answer, targetOf(type, ''))).to.equal('https://up.example.com/api/v1/tasks/task-demo-1');
}

interface Told {
  content: string | null;
  reasoning: string;
  finishReason: string | null;
  toolCalls: { id: string; name: string; arguments: string }[];
}

function checkMessage(sample: WireSample, message: Told): void {
  const wanted = sample.expect;
  if (wanted?.kind === 'usage-decision') return;
  const content = wanted?.kind === 'completion' ? wanted.text : wanted?.content;
  if (wanted?.contentStartsWith !== undefined) expect(message.content?.startsWith(wanted.contentStartsWith)).to.equal(true);
  else expect(message.content ?? '').to.equal(content ?? '');
  expect(message.finishReason).to.equal(wanted?.finish_reason);
  if (wanted?.reasoning_content !== undefined) expect(message.reasoning).to.equal(wanted.reasoning_content);
  const calls = wanted?.tool_calls ?? [];
  expect(message.toolCalls.map(({ name }) => name)).to.deep.equal(calls.map(({ name }) => name));
  for (const [index, call] of calls.entries()) {
    const told = message.toolCalls[index];
    expect(JSON.parse(told?.arguments ?? '')).to.deep.equal(call.arguments);
    expect(told?.id).to.be.a('string').and.not.equal('');
    if (call.id !== '*') expect(told?.id).to.equal(call.id);
  }
  expect(new Set(message.toolCalls.map(({ id }) => id)).size).to.equal(message.toolCalls.length);
}

function checkUsage(sample: WireSample, answer: { source: string; shownUsage: JsonObject | undefined; counted: JsonObject }): void {
  const wanted = sample.expect;
  if (wanted?.usageSource === 'local-count') {
    expect(answer.source).to.equal('counted');
    expect(answer.shownUsage?.total_tokens).to.be.greaterThan(0);
    return;
  }
  if (wanted?.usageSource === 'raised') {
    expect(answer.source).to.equal('estimated');
    expect(answer.shownUsage?.completion_tokens).to.be.greaterThan(0);
    return;
  }
  if (wanted?.usage !== undefined) {
    expect(answer.source).to.equal('upstream');
    expect({ completion_tokens: 0, ...answer.shownUsage }).to.include(wanted.usage);
  }
  if (wanted?.cached_tokens !== undefined) expect(answer.counted.cachedInput).to.equal(wanted.cached_tokens);
  if (wanted?.cache_creation_tokens !== undefined) expect(answer.counted.cacheWrite5m).to.equal(wanted.cache_creation_tokens);
  if (wanted?.input_tokens !== undefined) expect(answer.counted.textInput).to.equal(wanted.input_tokens);
  if (wanted?.output_tokens !== undefined) expect(answer.counted.textOutput).to.equal(wanted.output_tokens);
  if (wanted?.reasoning_tokens !== undefined) expect(answer.counted.reasoningOutput).to.equal(wanted.reasoning_tokens);
}

function checkError(sample: WireSample, type: number, mode: AnswerMode): void {
  const wanted = sample.expect;
  const { status, headers } = sample.response;
  const body = wireBytes(sample.response.bodyFile);
  const error =
    status === 200
      ? thrownBy(() => playedBack(type, mode, body, modelOf(sample)))
      : providerOf(type)?.error({ status, headers, body: body.toString() }, 'test-key');
  expect(error?.message).to.include(wanted?.messageContains);
  if (typeof wanted?.status === 'number') expect(error?.status).to.equal(wanted.status);
  else expect(error?.status).to.be.at.least(400);
  if (wanted?.type !== undefined) expect(error?.type).to.equal(wanted.type);
  if (wanted?.code !== undefined) expect(error?.code).to.equal(wanted.code);
  if (wanted?.autoDisable !== undefined) expect(error?.disablesChannel).to.equal(wanted.autoDisable);
  if (wanted?.retry !== undefined) expect(error?.retryable).to.equal(wanted.retry);
  if (headers?.['retry-after'] !== undefined) expect(error?.retryAfterMs).to.equal(Number(headers['retry-after']) * 1000);
}

function thrownBy(work: () => unknown): UpstreamError {
  try {
    work();
  } catch (error) {
    return error as UpstreamError;
  }
  throw new Error('no error was told');
}
