import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { wireBytes } from '@tollgate/testing';
import { expect } from 'chai';
import { unsealedThinking } from '../src/dialects/opaque-state.ts';
import { framesOf } from './support/ask.ts';
import { citedAnswers } from './support/cited-answers.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** One channel of each kind: OpenAI's dialect, Gemini's own, and one that is translated twice. */
const models = ['test-model', 'gemini-x', 'claude-x'] as const;
const weather = {
  name: 'weather',
  description: 'Tells the weather',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('Callers who speak Gemini’s dialect', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { type: 1, models: ['test-model', 'embedding-model'] },
      { type: 24, models: ['gemini-x', 'gemini-2.5-flash', 'gemini-embedding'], key: 'gemini-key', setting: '{"account_resources":true}' },
      { type: 14, models: ['claude-x'] },
    ]);
    const priced = ['test-model', 'gemini-x', 'claude-x', 'gemini-2.5-flash', 'embedding-model', 'gemini-embedding'];
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(priced.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'claude-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const client = (apiVersion?: string, apiKey = `sk-${user.token.key}`) =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url, ...(apiVersion && { apiVersion }) } });
  const ask = (model: string, config: Record<string, unknown> = {}, contents: unknown = 'Hello there') =>
    client().models.generateContent({ model, contents: contents as string, config });
  const post = (path: string, body: unknown, headers: Record<string, string> = { 'x-goog-api-key': user.token.key }) =>
    gateway.post(path, body, headers);
  const sent = () => gateway.provider.lastCall().json as Record<string, unknown>;
  const bill = () => gateway.bill(user);
  const refusal = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  for (const model of models) {
    it(`get a whole answer of ${model}, and its bill`, async () => {
      gateway.provider.answers({ words: 6, promptTokens: 12 });
      const answer = await ask(model, { systemInstruction: 'Be brief', temperature: 0.5, maxOutputTokens: 100, stopSequences: ['END'] });
      expect(answer.text?.trim()).to.equal('w0 w1 w2 w3 w4 w5');
      expect(answer.candidates?.[0]).to.include({ finishReason: 'STOP' });
      expect(answer.usageMetadata).to.include({ promptTokenCount: 12, candidatesTokenCount: 6, totalTokenCount: 18 });
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', mode: 'chat', model });
    });

    it(`get a stream of ${model}, under both versions of the address, and its bill`, async () => {
      for (const version of ['v1', 'v1beta']) {
        user = await gateway.user();
        gateway.provider.answers({ words: 6, promptTokens: 12, chunkBytes: 60 });
        let text = '';
        let last: Awaited<ReturnType<typeof ask>> | undefined;
        for await (const piece of await client(version).models.generateContentStream({ model, contents: 'Hello there' })) {
          text += piece.text ?? '';
          last = piece;
        }
        expect(text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(last?.candidates?.[0]?.finishReason).to.equal('STOP');
        expect(last?.usageMetadata).to.include({ promptTokenCount: 12, candidatesTokenCount: 6 });
        expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', isStream: true });
      }
    });

    it(`get the stream of ${model} as a JSON array without alt=sse, and its end where it breaks off`, async () => {
      const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
      for (const breakAfter of [undefined, 4]) {
        gateway.provider.answers({ words: 6, promptTokens: 12, ...(breakAfter && { breakAfter, breakBy: 'destroy' as const }) });
        const answer = await post(`/v1beta/models/${model}:streamGenerateContent`, body);
        expect(answer.headers.get('content-type')).to.match(/^application\/json/);
        const events = (await answer.json()) as { candidates?: { content: { parts: { text?: string }[] } }[]; error?: unknown }[];
        const text = events.flatMap(({ candidates = [] }) =>
          candidates.flatMap(({ content }) => content.parts.map((part) => part.text ?? '')),
        );
        expect(text.join('')).to.match(breakAfter ? /^ ?w0/ : /^ ?w0 w1 w2 w3 w4 w5$/);
        expect(events.at(-1)).to.have.property(breakAfter ? 'error' : 'usageMetadata');
      }
    });

    it(`are told in the stream that ${model} has died, and pay what was delivered`, async () => {
      gateway.provider.answers({ words: 30, promptTokens: 12, breakAfter: 15, breakBy: 'destroy' });
      const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
      const answer = await post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, body);
      const last = (await framesOf(new Response((await answer.text()).replaceAll('\r\n', '\n')))).at(-1) ?? '';
      expect(JSON.parse(last.replace('data: ', ''))).to.have.nested.property('error.status', 'UNAVAILABLE');
      expect(await bill()).to.include({ usageSource: 'estimated', endReason: 'upstream_died' });
    });
  }

  it('go on with a conversation whose turns their client has streamed, whoever answers, and whether or not he states a bill', async () => {
    for (const model of models) {
      for (const usage of [undefined, null]) {
        gateway.provider.answers({ words: 2, usage });
        const chat = client().chats.create({ model });
        for await (const _ of await chat.sendMessageStream({ message: 'a' }));
        await chat.sendMessage({ message: 'b' });
        const said = chat.getHistory(true).map(({ role, parts }) => [role, (parts ?? []).map(({ text }) => text).join('')]);
        const words = said.filter(([role]) => role === 'model').map(([, text]) => text);
        expect(words.filter(Boolean).join('|'), `${model} with a bill of ${usage}`).to.equal(' w0| w1| w0 w1');
      }
    }
  });

  it('hear what an answer rests on, whole and in a stream', async () => {
    for (const { whole, streamed } of Object.values(citedAnswers)) {
      gateway.provider.answersNext(whole, streamed);
      const grounding = { groundingChunks: [{ web: { uri: 'https://a.example.com/', title: 'A' } }] };
      expect((await ask('test-model')).candidates?.[0]?.groundingMetadata).to.deep.equal(grounding);
      const told = [];
      for await (const piece of await client().models.generateContentStream({ model: 'test-model', contents: 'Hi' }))
        told.push(piece.candidates?.[0]?.groundingMetadata);
      expect(told.filter(Boolean)).to.deep.equal([grounding]);
    }
  });

  it('are passed on byte for byte to a channel that speaks as they do, and get its bytes back', async () => {
    gateway.provider.answers({ case: 'gemini/thinking-stream' });
    const body = `{ "contents":[{"role":"user","parts":[{"text":"a"},{"executable_code":{"code":"1"}}]}], "unheardOf": [1.0],
      "safety_settings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_LOW_AND_ABOVE"}] }`;
    const answer = await post('/v1beta/models/gemini-x:streamGenerateContent?alt=sse', body);
    expect(await answer.text()).to.equal(wireBytes('gemini/thinking-stream.response.sse').toString());
    const call = gateway.provider.lastCall();
    expect(call).to.include({ body, path: '/v1beta/models/gemini-x:streamGenerateContent?alt=sse' });
    expect(call.headers).to.include({ 'x-goog-api-key': 'gemini-key' });
    expect(await bill()).to.include({ usageSource: 'upstream' });
  });

  it('see what they are charged where a channel of their dialect says something else, streamed and whole', async () => {
    gateway.provider.answers({ words: 200, usage: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 } });
    expect((await ask('gemini-x')).usageMetadata?.candidatesTokenCount).to.be.greaterThan(100);
    let shown = 0;
    for await (const piece of await client().models.generateContentStream({ model: 'gemini-x', contents: 'Hi' })) {
      shown = piece.usageMetadata?.candidatesTokenCount ?? shown;
    }
    expect(shown).to.be.greaterThan(100);
    for (const event of await gateway.events(user)) expect(event).to.include({ usageSource: 'estimated' });
  });

  it('use tools of a model that speaks otherwise: asked for, called in a stream, answered', async () => {
    gateway.provider.answers({ case: 'dashscope/tool-call-stream' });
    const history: Content[] = [
      { role: 'user', parts: [{ text: 'Weather in Paris and Rome?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Two cities', thought: true, thoughtSignature: 'c2ln' },
          { text: 'I look.' },
          { functionCall: { name: 'weather', args: { city: 'Paris' } } },
          { functionCall: { id: 'own-id', name: 'weather', args: { city: 'Rome' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { output: 'rain' } } },
          { functionResponse: { id: 'own-id', name: 'weather', response: { output: 'sun' } } },
          { text: 'And?' },
          { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
        ],
      },
    ];
    const calls: unknown[] = [];
    const stream = await client().models.generateContentStream({
      model: 'test-model',
      contents: history,
      config: {
        tools: [{ functionDeclarations: [weather] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] } },
      },
    });
    for await (const piece of stream) calls.push(...(piece.functionCalls ?? []));
    expect(calls.length).to.be.greaterThan(0);
    expect(calls[0]).to.have.property('args').that.is.an('object').that.is.not.empty;
    expect(calls[0]).to.have.property('id').that.is.a('string').that.is.not.empty;

    expect(sent().tool_choice).to.deep.equal({ type: 'function', function: { name: 'weather' } });
    const declared = { name: 'weather', description: 'Tells the weather', parameters: weather.parametersJsonSchema };
    expect(sent().tools).to.deep.equal([{ type: 'function', function: declared }]);
    expect(sent().messages).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'Weather in Paris and Rome?' }] },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'own-id', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', name: 'weather', content: 'rain' },
      { role: 'tool', tool_call_id: 'own-id', name: 'weather', content: 'sun' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ],
      },
    ]);
  });

  it('get the thinking of a model that tells it otherwise as thoughts, with what they have to send back', async () => {
    gateway.provider.answers({ case: 'anthropic/thinking-stream' });
    let thought = '';
    let signature = '';
    for await (const piece of await client().models.generateContentStream({ model: 'claude-x', contents: 'Hi' })) {
      for (const part of piece.candidates?.[0]?.content?.parts ?? []) {
        if (part.thought) thought += part.text ?? '';
        signature ||= part.thoughtSignature ?? '';
      }
    }
    expect(thought).not.to.equal('');
    expect(signature).not.to.equal('');
    const replay = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [{ text: thought, thought: true }, { text: '', thought: true, thoughtSignature: signature }, { text: 'Hello' }],
      },
      { role: 'user', parts: [{ text: 'Go on' }] },
    ];
    gateway.provider.answers({});
    await ask('claude-x', {}, replay);
    const own = String(unsealedThinking(signature).signature); // sealed: Google would refuse it as its own
    expect(own).not.to.equal(signature);
    expect(sent())
      .to.have.nested.property('messages[1].content[0]')
      .that.deep.equals({ type: 'thinking', thinking: thought, signature: own });
  });

  it('send schemas, thinking, several candidates and files to those who speak otherwise', async () => {
    await ask(
      'test-model',
      {
        candidateCount: 2,
        topP: 0.5,
        seed: 7,
        presencePenalty: 0.1,
        thinkingConfig: { thinkingBudget: 4096 },
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { type: { type: 'STRING', nullable: true } }, propertyOrdering: ['type'] },
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      },
      [
        {
          role: 'user',
          parts: [
            { text: 'x' },
            { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } },
            { inlineData: { mimeType: 'audio/mpeg', data: 'QUJD' } },
          ],
        },
      ],
    );
    expect(sent()).to.include({ n: 2, top_p: 0.5, seed: 7, presence_penalty: 0.1, reasoning_effort: 'medium' });
    const schema = { type: 'object', properties: { type: { type: ['string', 'null'] } } };
    expect(sent()).to.have.nested.property('response_format.json_schema.schema').that.deep.equals(schema);
    expect(sent())
      .to.have.nested.property('messages[0].content')
      .that.deep.equals([
        { type: 'text', text: 'x' },
        { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,QUJD' } },
        { type: 'input_audio', input_audio: { data: 'QUJD', format: 'mp3' } },
      ]);
    await ask('test-model', {}, '');
    expect(sent().messages, 'no list of nothing, which OpenAI refuses').to.deep.equal([{ role: 'user', content: '' }]);
  });

  it('are refused by name what only a channel of their dialect could be told', async () => {
    const text = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const said: [body: Record<string, unknown>, named: RegExp][] = [
      [{ contents: text, labels: { trip: 'one' } }, /labels/],
      [{ contents: text, generation_config: { media_resolution: 'LOW' } }, /generationConfig\.mediaResolution/],
      [{ contents: text, safetySettings: [{ category: 'x', threshold: 'BLOCK_LOW_AND_ABOVE' }] }, /safetySettings\[0\]/],
      [
        { contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'gs://a/b', mimeType: 'video/mp4' } }] }] },
        /contents\[0\]\.parts\[0\]\.fileData/,
      ],
      [{ contents: [{ role: 'user', parts: [{ inlineData: { data: 'QUJD', mimeType: 'video/mp4' } }] }] }, /video\/mp4/],
    ];
    for (const [body, named] of said) {
      const refused = await post('/v1beta/models/test-model:generateContent', body);
      expect(refused.status).to.equal(400);
      expect(((await refused.json()) as { error: { message: string } }).error.message).to.match(named);
      expect((await post('/v1beta/models/gemini-x:generateContent', body)).status, String(named)).to.equal(200);
    }
    const search = await refusal(ask('gemini-x', { tools: [{ googleMaps: {} }] }));
    expect(search.message).to.match(/tools=googleMaps/);
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('are told what is wrong in their own words', async () => {
    const text = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const wrong: unknown[] = [
      {},
      { contents: [] },
      { contents: 5 },
      { contents: [{ role: 'wizard', parts: [{ text: 'x' }] }] },
      { contents: [{ role: 'user', parts: [{}] }] },
      { contents: [{ role: 'user', parts: [{ text: 5 }] }] },
      { contents: [{ role: 'user', parts: [{ inlineData: { data: 'x' } }] }] },
      { contents: [{ role: 'model', parts: [{ functionCall: {} }] }] },
      { contents: text, generationConfig: { maxOutputTokens: 0 } },
      { contents: text, generationConfig: { maxOutputTokens: 5, max_output_tokens: 50_000 } },
      { contents: text, generationConfig: { candidateCount: 1000 } },
      { contents: text, generationConfig: { temperature: 'hot' } },
      { contents: text, generationConfig: { stopSequences: 'x' } },
      { contents: text, tools: [{ functionDeclarations: [{}] }] },
      [],
    ];
    for (const body of wrong) {
      const refused = await post('/v1beta/models/gemini-x:generateContent', body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect(await refused.json()).to.have.nested.property('error.status', 'INVALID_ARGUMENT');
    }
    expect(gateway.provider.calls).to.have.length(0);
    expect((await refusal(client('v1beta', 'sk-unknown').models.generateContent({ model: 'gemini-x', contents: 'Hi' }))).status).to.equal(
      401,
    );
    expect((await refusal(ask('nobody-serves-it'))).status).to.equal(404);
    expect((await (await post('/v1beta/models/gemini-x:unheardOf', {})).json()) as object).to.have.nested.property(
      'error.status',
      'NOT_FOUND',
    );
  });

  it('come in with the key in the address, or as a bearer', async () => {
    const body = { contents: [{ parts: [{ text: 'Hi' }] }] };
    expect((await post(`/v1beta/models/gemini-x:generateContent?key=${user.token.key}`, body, {})).status).to.equal(200);
    expect(gateway.provider.lastCall().path).to.equal('/v1beta/models/gemini-x:generateContent');
    expect((await post('/v1/models/gemini-x:generateContent', body, { authorization: user.token.authorization })).status).to.equal(200);
  });

  it('embed texts, one or many, at channels of either dialect', async () => {
    for (const model of ['embedding-model', 'gemini-embedding']) {
      user = await gateway.user();
      const { embeddings } = await client().models.embedContent({ model, contents: ['a', 'b'], config: { outputDimensionality: 3 } });
      expect(
        embeddings?.map(({ values }) => values?.length),
        model,
      ).to.deep.equal([3, 3]);
      expect((await bill()).quota).to.be.greaterThan(0);
      const one = await client().models.embedContent({ model, contents: 'a' });
      expect(one.embeddings?.[0]?.values).to.have.length(3);
      const single = await post(`/v1beta/models/${model}:embedContent`, { content: { parts: [{ text: 'a' }] } });
      expect(((await single.json()) as { embedding: { values: number[] } }).embedding.values).to.have.length(3);
    }
    const typed = { content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY' };
    expect((await post('/v1beta/models/gemini-embedding:embedContent', typed)).status).to.equal(200);
    expect(sent()).to.deep.equal(typed);
    const refused = await post('/v1beta/models/embedding-model:embedContent', typed);
    expect(((await refused.json()) as { error: { message: string } }).error.message).to.match(/taskType/);
  });

  it('count a prompt for nothing, and list models', async () => {
    const short = await client().models.countTokens({ model: 'test-model', contents: 'Hi' });
    const long = await client().models.countTokens({ model: 'test-model', contents: 'word '.repeat(1000) });
    expect(short.totalTokens).to.be.within(1, 20);
    expect(long.totalTokens).to.be.within(900, 1300);
    expect(await gateway.openHolds(user)).to.equal(0);
    expect(gateway.provider.calls).to.have.length(0);
    const names: (string | undefined)[] = [];
    for await (const { name } of await client().models.list()) names.push(name);
    expect(names).to.include.members(models.map((model) => `models/${model}`));
    expect((await client('v1beta').models.get({ model: 'gemini-x' })).name).to.equal('models/gemini-x');
  });

  it('with a small wallet the cap goes out in the field that the channel keeps to, and thought stays below it', async () => {
    for (const model of ['test-model', 'claude-x', 'gemini-2.5-flash']) {
      user = await gateway.user({ balance: 3000 });
      gateway.provider.reset();
      await post(`/v1beta/models/${model}:generateContent`, {
        contents: [{ parts: [{ text: 'Hi' }] }],
        generation_config: { max_output_tokens: 20_000, temperature: 0.5 },
      });
      const { max_tokens: most, generationConfig, generation_config: other } = sent() as Record<string, Record<string, unknown>>;
      const cap = Number(generationConfig?.maxOutputTokens ?? most);
      expect(cap, model).to.be.within(16, 3000);
      expect(other).to.equal(undefined);
      if (model === 'gemini-2.5-flash') {
        expect(generationConfig).to.include({ temperature: 0.5 });
        expect(generationConfig).to.have.nested.property('thinkingConfig.thinkingBudget').that.is.below(cap);
      }
      expect((await bill()).uncollected).to.equal(0);
    }
  });

  it('are cut as if the answer had reached its longest when the balance carries no more', async () => {
    for (const model of ['gemini-x', 'test-model']) {
      user = await gateway.user({ balance: 400 });
      gateway.provider.answers({ words: 3000, promptTokens: 10, paceMs: 1 });
      let reason: string | undefined;
      for await (const piece of await client().models.generateContentStream({ model, contents: 'Hi', config: { maxOutputTokens: 300 } })) {
        reason = piece.candidates?.[0]?.finishReason ?? reason;
      }
      expect(reason, model).to.equal('MAX_TOKENS');
      expect(await bill()).to.include({ endReason: 'balance' });
    }
  });
});
