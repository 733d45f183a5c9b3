import { channelTypeInfo, channelTypes } from '@tollgate/contracts';
import { expect } from 'chai';
import { type ChatRequest, outgoing, providerOf, providers, RequestRefused, type Target } from '../src/index.ts';
import { dialectOf, targetOf } from './corners.ts';

function sent(type: number, request: object, options: Partial<Target> & { includeUsage?: boolean; outputLimit?: number } = {}) {
  const bytes = Buffer.from(JSON.stringify(request));
  const model = (request as ChatRequest).model;
  const { includeUsage, outputLimit, ...target } = options;
  const asked = outgoing(dialectOf(type, 'chat'), {
    speaks: 'openai',
    bytes,
    request: JSON.parse(bytes.toString()) as ChatRequest,
    target: { ...targetOf(type, model), ...target },
    includeUsage,
    outputLimit,
  });
  return { ...asked, json: JSON.parse(asked.body.toString()) as Record<string, unknown>, bytes };
}

const messages = [{ role: 'user', content: 'Hi' }];

describe('what goes to a provider of the same dialect', () => {
  it('is the very buffer that came, when nothing has to change', () => {
    const asked = sent(1, { model: 'gpt-4o', messages, top_p: 0, seed: 0, metadata: { x: 1 } });
    expect(asked.body.equals(asked.bytes)).to.equal(true);
  });

  it('has the mapped model, with unknown fields and explicit zeros as they came', () => {
    const asked = sent(1, { model: 'gpt-4o', messages, top_p: 0, n: 1, logit_bias: { 1: 0 }, brand_new: [0] }, { model: 'other' });
    expect(asked.json).to.deep.equal({ model: 'other', messages, top_p: 0, n: 1, logit_bias: { 1: 0 }, brand_new: [0] });
    expect(asked.model).to.equal('other');
  });

  it('asks for the usage of a stream where it comes when asked, and only there', () => {
    const stream = { model: 'm', messages, stream: true };
    expect(sent(1, stream, { includeUsage: true }).json.stream_options).to.deep.equal({ include_usage: true });
    expect(
      sent(1, { ...stream, stream_options: { a: 1, include_usage: false } }, { includeUsage: true }).json.stream_options,
    ).to.deep.equal({
      a: 1,
      include_usage: true,
    });
    expect(sent(1, { ...stream, stream: false }, { includeUsage: true }).json).to.not.have.property('stream_options');
    expect(sent(25, stream, { includeUsage: true }).json).to.not.have.property('stream_options');
    expect(sent(19, { ...stream, stream_options: { include_usage: true } }, { includeUsage: true }).json).to.not.have.property(
      'stream_options',
    );
  });

  it('asks for no more output than the balance affords, in the field that the caller or the model uses', () => {
    const limited = (request: object, type = 1) => sent(type, { model: 'm', messages, ...request }, { outputLimit: 100 }).json;
    expect(limited({})).to.include({ max_tokens: 100 });
    expect(limited({ max_tokens: 5000 })).to.include({ max_tokens: 100 });
    expect(limited({ max_tokens: 50 })).to.include({ max_tokens: 50 });
    expect(limited({ max_completion_tokens: 5000 }))
      .to.include({ max_completion_tokens: 100 })
      .and.not.have.property('max_tokens');
    expect(limited({ model: 'o3' }))
      .to.include({ max_completion_tokens: 100 })
      .and.not.have.property('max_tokens');
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      for (const model of ['o3', 'o3-mini-high', 'gpt-5-mini']) {
        expect(limited({ model, [field]: 5000 }), `${model} ${field}`)
          .to.include({ max_completion_tokens: 100 })
          .and.not.have.property('max_tokens');
      }
      expect(limited({ [field]: 5000 }, 43), field)
        .to.include({ max_tokens: 100 })
        .and.not.have.property('max_completion_tokens');
      expect(limited({ [field]: 5000 }, 42), field)
        .to.include({ max_tokens: 100 })
        .and.not.have.property('max_completion_tokens');
      expect(limited({ model: 'grok-3-mini', [field]: 5000 }, 48), field).to.include({ max_completion_tokens: 100 });
    }
    expect(limited({ model: 'claude-x', max_tokens: 5000 }, 14)).to.include({ max_tokens: 100 });
    expect(limited({ model: 'gemini-2.0-flash' }, 24).generationConfig).to.deep.equal({ maxOutputTokens: 100 });
  });

  it('keeps what is thought below the cap, and leaves thinking off where there is no room for it', () => {
    const claude = (request: object, outputLimit: number) => {
      const { json } = sent(14, { model: 'claude-x', messages, ...request }, { outputLimit });
      return [json.max_tokens, (json.thinking as { budget_tokens?: number } | undefined)?.budget_tokens];
    };
    const own = { thinking: { type: 'enabled', budget_tokens: 10_000 } };
    expect(claude(own, 100_000), 'the budget and an answer beside it').to.deep.equal([14_096, 10_000]);
    expect(claude(own, 5000)).to.deep.equal([5000, 4000]);
    expect(claude({ ...own, max_tokens: 20_000 }, 5000)).to.deep.equal([5000, 4000]);
    expect(claude(own, 1200)).to.deep.equal([1200, undefined]);
    expect(claude({ reasoning_effort: 'high' }, 5000)).to.deep.equal([5000, 4000]);
    expect(claude({ model: 'claude-x-thinking' }, 2000)).to.deep.equal([2000, 1600]);
    expect(claude({ model: 'claude-x-thinking', max_tokens: 10 }, 500)).to.deep.equal([10, undefined]);
    expect(claude({}, 20_000), 'no more than without a cap').to.deep.equal([4096, undefined]);
    const qwen = (request: object) => sent(17, { model: 'qwen3-32b', messages, ...request }, { outputLimit: 1000 }).json;
    expect(qwen({})).to.include({ max_tokens: 200, thinking_budget: 800 });
    expect(qwen({ max_tokens: 500 }), 'which leaves its thoughts out').to.include({ max_tokens: 200, thinking_budget: 800 });
    expect(qwen({ enable_thinking: false }))
      .to.include({ max_tokens: 1000 })
      .and.not.have.property('thinking_budget');
    const gemini = (model: string, request: object = {}, outputLimit = 1000) =>
      sent(24, { model, messages, ...request }, { outputLimit }).json.generationConfig as Record<string, unknown>;
    expect(gemini('gemini-2.5-pro')).to.deep.equal({ maxOutputTokens: 1000, thinkingConfig: { thinkingBudget: 800 } });
    expect(gemini('gemini-2.5-pro', {}, 100).thinkingConfig).to.deep.equal({ thinkingBudget: 128 });
    expect(gemini('gemini-2.5-flash', { reasoning_effort: 'high' }).thinkingConfig).to.include({ thinkingBudget: 800 });
    expect(gemini('gemini-2.5-flash', { reasoning_effort: 'high', max_tokens: 500 }).thinkingConfig).to.include({ thinkingBudget: 24_576 });
    expect(gemini('gemini-2.5-flash-lite', { reasoning_effort: 'low' }, 500).thinkingConfig).to.deep.equal({ thinkingBudget: 0 });
    expect(gemini('gemini-3-pro-preview', { reasoning_effort: 'low' })).to.deep.include({ maxOutputTokens: 1000 });
    expect(gemini('gemini-2.0-flash')).to.deep.equal({ maxOutputTokens: 1000 });
  });

  it('speaks to reasoning models as they want it', () => {
    const asked = sent(1, {
      model: 'o3-mini-high',
      messages: [{ role: 'system', content: 'S' }, ...messages],
      max_tokens: 10,
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logprobs: true,
      keep: 0,
    });
    expect(asked.model).to.equal('o3-mini');
    expect(asked.json).to.deep.equal({
      model: 'o3-mini',
      messages: [{ role: 'developer', content: 'S' }, ...messages],
      max_completion_tokens: 10,
      reasoning_effort: 'high',
      keep: 0,
    });
    expect(sent(1, { model: 'o1-mini', messages: [{ role: 'system', content: 'S' }] }).json.messages).to.deep.equal([
      { role: 'user', content: 'S' },
    ]);
    for (const model of ['gpt-4o', 'gpt-5-chat-latest', 'gpt-5.1', 'o2', 'omni-1', 'gpt-50']) {
      expect(sent(1, { model, messages, temperature: 0 }).json, model).to.deep.equal({ model, messages, temperature: 0 });
    }
    for (const model of ['o1', 'o1-2024-12-17', 'o4-mini', 'gpt-5', 'gpt-5.5', 'gpt-6-astra', 'gpt-5-mini']) {
      expect(sent(1, { model, messages, temperature: 0 }).json, model).to.deep.equal({ model, messages });
    }
  });

  it('finds each provider at its own address', () => {
    const url = (type: number, model: string, target: Partial<Target> = {}) => sent(type, { model, messages }, target).url;
    expect(url(1, 'm', { query: 'key=callers' })).to.equal('https://up.example.com/v1/chat/completions');
    expect(url(1, 'm', { baseUrl: 'https://h.example.com/prefix/' })).to.equal('https://h.example.com/prefix/v1/chat/completions');
    expect(url(1, 'm', { baseUrl: 'https://gateway.ai.cloudflare.com/v1/acc/gw/openai' })).to.equal(
      'https://gateway.ai.cloudflare.com/v1/acc/gw/openai/chat/completions',
    );
    expect(url(8, 'a/b c', { baseUrl: 'https://h.example.com/x/{model}/y?z=1' })).to.equal('https://h.example.com/x/a/b%20c/y?z=1');
    expect(url(3, 'gpt-3.5-turbo')).to.include('/openai/deployments/gpt-35-turbo/chat/completions?api-version=2024-12-01-preview');
    expect(url(3, 'my.dep', { isMapped: true, other: '2024-06-01' })).to.include(
      '/deployments/my.dep/chat/completions?api-version=2024-06-01',
    );
    expect(url(3, 'm', { other: '2024-06-01', query: 'key=callers&api-version=2025-01-01' })).to.match(/\?api-version=2025-01-01$/);
    expect(url(3, 'm', { baseUrl: 'https://gateway.ai.cloudflare.com/v1/acc/gw/azure-openai/res' })).to.equal(
      'https://gateway.ai.cloudflare.com/v1/acc/gw/azure-openai/res/m/chat/completions?api-version=2024-12-01-preview',
    );
    const key = 'app|secret|key';
    for (const [type, other] of [
      [3, '2024-12-01-preview'],
      [18, 'v2.1'],
    ] as const) {
      expect(channelTypeInfo(type)?.needs.other?.default, 'what the editor says and what is called are one').to.equal(other);
      const model = type === 18 ? 'SparkDesk' : 'gpt-4o';
      expect(url(type, model, { key }))
        .to.contain(other)
        .and.equal(url(type, model, { key, other }));
    }
    expect(url(18, 'SparkDesk-v3.5', { key, other: 'v2.1' })).to.match(/\/v3\.5\/chat$/);
    expect(url(45, 'bot-1')).to.include('/api/v3/bots/chat/completions');
    expect(url(24, 'gemini-2.5-pro')).to.include('/v1beta/models/gemini-2.5-pro:generateContent');
    expect(url(24, 'models/x', { other: 'v1alpha' })).to.include('/v1alpha/models/x:generateContent');
  });

  it('keeps a prefix chat with DeepSeek on its beta route', () => {
    const prefix = { model: 'deepseek-chat', messages: [...messages, { role: 'assistant', content: 'a', prefix: true }] };
    expect(sent(43, prefix).url).to.equal('https://up.example.com/beta/chat/completions');
  });

  it('drops for Mistral what Mistral refuses, and renames what it renamed', () => {
    const asked = sent(42, {
      model: 'mistral-small',
      messages: [
        { role: 'developer', content: 'S', foo: 1 },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_of_another_vendor', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_of_another_vendor', content: 'r' },
      ],
      seed: 0,
      user: 'u',
      logit_bias: {},
      max_completion_tokens: 9,
    });
    const [system, call, result] = asked.json.messages as Record<string, unknown>[];
    expect(system).to.deep.equal({ role: 'system', content: 'S' });
    const [{ id } = { id: '' }] = (call?.tool_calls ?? []) as { id: string }[];
    expect(id).to.match(/^[a-zA-Z0-9]{9}$/);
    expect(result?.tool_call_id).to.equal(id);
    expect(asked.json).to.include({ max_tokens: 9, random_seed: 0 });
    expect(asked.json).to.not.have.any.keys('seed', 'user', 'logit_bias', 'max_completion_tokens');
  });

  it('carries an organisation for type 1, and a name for OpenRouter', () => {
    expect(providerOf(1)?.headers({ ...targetOf(1, 'm'), organization: 'org-1' })).to.deep.equal({
      authorization: 'Bearer test-key',
      'openai-organization': 'org-1',
    });
    expect(providerOf(20)?.headers(targetOf(20, 'm'))).to.have.property('x-title');
  });

  it('takes a body of 8 MB without parsing it', () => {
    const request: ChatRequest = { model: 'a', messages: [{ role: 'user', content: 'x'.repeat(8 * 1024 * 1024) }] };
    const bytes = Buffer.from(JSON.stringify(request));
    const parse = JSON.parse;
    let longest = 0;
    JSON.parse = (text: string, ...more: []) => {
      longest = Math.max(longest, text.length);
      return parse(text, ...more);
    };
    try {
      const target = targetOf(1, 'a');
      const asked = outgoing(dialectOf(1, 'chat'), {
        speaks: 'openai',
        bytes,
        request,
        target,
        includeUsage: true,
        outputLimit: undefined,
      });
      expect(asked.body.length).to.equal(bytes.length);
    } finally {
      JSON.parse = parse;
    }
    expect(longest).to.be.below(1024);
  });
});

describe('an earlier answer, told to another provider', () => {
  const after = (earlier: object) => [...messages, { role: 'assistant', ...earlier }, { role: 'user', content: 'Why?' }];

  it('that was a refusal is what was said, in the field and among the parts', () => {
    for (const type of [34, 42]) {
      const told = (earlier: object) => (sent(type, { model: 'm', messages: after(earlier) }).json.messages as object[])[1];
      expect(told({ content: null, refusal: 'I cannot' }), `type ${type}`).to.deep.equal({ role: 'assistant', content: 'I cannot' });
      expect(told({ content: [{ type: 'refusal', refusal: 'I cannot' }] }), `type ${type}`).to.deep.equal({
        role: 'assistant',
        content: [{ type: 'text', text: 'I cannot' }],
      });
    }
  });

  it('that is known by the id of its sound alone is refused by name, never left out', () => {
    const spoken = { model: 'm', messages: after({ audio: { id: 'audio_1' } }) };
    for (const type of [14, 24, 34, 42])
      expect(() => sent(type, spoken), `type ${type}`)
        .to.throw(RequestRefused)
        .with.property('param', 'messages');
    const written = { model: 'm', messages: after({ content: 'So', audio: { id: 'audio_1' } }) };
    for (const type of [14, 24, 34, 42]) expect(JSON.stringify(sent(type, written).json), `type ${type}`).to.contain('So');
  });
});

describe('the registry', () => {
  it('serves every channel type whose protocol is OpenAI dialect, in the modes it lists', () => {
    for (const info of channelTypes.filter(({ protocol }) => protocol === 'openai')) {
      const provider = providerOf(info.type);
      expect(provider, `type ${info.type}`).to.not.equal(undefined);
      for (const mode of ['chat', 'completions', 'embeddings'] as const) {
        expect(provider?.[mode] !== undefined, `${info.type} ${mode}`).to.equal(info.modes.includes(mode));
      }
      expect(provider?.baseUrl).to.equal(info.defaultBaseUrl);
    }
  });

  it('tells what an account has left where the data of the type says so, and nowhere else', () => {
    for (const [type, provider] of providers) {
      expect(provider.balance !== undefined, `type ${type}`).to.equal(channelTypeInfo(type)?.tellsBalance);
    }
    const [yuan, dollars] = [
      { currency: 'CNY', total_balance: '0.00' },
      { currency: 'USD', total_balance: '3.50' },
    ];
    const ofDeepSeek = (...infos: object[]) => providerOf(43)?.balance?.decode([{ balance_infos: infos }]);
    expect(ofDeepSeek(yuan, dollars)).to.deep.equal({ amount: 3.5, currency: 'USD' });
    expect(ofDeepSeek(yuan)).to.deep.equal({ amount: 0, currency: 'CNY' });
    expect(ofDeepSeek()?.amount, 'what is not told is not nothing').to.deep.equal(Number.NaN);
  });

  it('has no provider for a type that is not built, and none for a number that is none', () => {
    const unbuilt = channelTypes.find(({ type }) => !providers.has(type));
    if (unbuilt !== undefined) expect(providerOf(unbuilt.type)).to.equal(undefined);
    expect(providerOf(999)).to.equal(undefined);
    expect(providers.size).to.be.greaterThan(38);
  });
});
