import { expect } from 'chai';
import {
  type ChatRequest,
  type JsonObject,
  providerOf,
  RequestRefused,
  remoteFiles,
  UpstreamError,
  withInlineFiles,
} from '../src/index.ts';
import { askedOf, playedBack, streamed, targetOf } from './corners.ts';

const user = (content: unknown) => ({ role: 'user', content });

function asked(request: object, model = 'gemini-2.0-flash'): JsonObject {
  const chat = providerOf(24)?.chat;
  if (chat === undefined || chat.speaks === 'openai') throw new Error('type 24 is translated');
  const body = chat.encodeRequest({ model, messages: [user('Hi')], ...request } as ChatRequest, targetOf(24, model));
  return JSON.parse(JSON.stringify(body)) as JsonObject; // as it travels
}

describe('a chat request in Gemini words', () => {
  it('joins neighbours, skips empty texts, and says a lone system text as the user', () => {
    const messages = [
      user('A'),
      user([
        { type: 'text', text: '' },
        { type: 'text', text: 'B' },
      ]),
      { role: 'assistant', content: '' },
      user('C'),
    ];
    expect(asked({ messages }).contents).to.deep.equal([{ role: 'user', parts: [{ text: 'A' }, { text: 'B' }, { text: 'C' }] }]);
    const alone = asked({ messages: [{ role: 'system', content: 'S' }] });
    expect(alone.contents).to.deep.equal([{ role: 'user', parts: [{ text: 'S' }] }]);
    expect(alone).to.not.have.property('systemInstruction');
  });

  it('maps every knob it has, zeros too', () => {
    const config = asked({
      temperature: 0,
      top_p: 0,
      top_k: 0,
      max_completion_tokens: 5,
      stop: ['1', '', '2', '3', '4', '5'],
      n: 2,
      seed: 0,
      presence_penalty: 0,
      frequency_penalty: 0,
      response_format: { type: 'json_object' },
      modalities: ['text', 'image'],
    }).generationConfig;
    expect(config).to.deep.equal({
      temperature: 0,
      topP: 0,
      topK: 0,
      maxOutputTokens: 5,
      stopSequences: ['1', '2', '3', '4', '5'],
      candidateCount: 2,
      seed: 0,
      presencePenalty: 0,
      frequencyPenalty: 0,
      responseMimeType: 'application/json',
      responseModalities: ['TEXT', 'IMAGE'],
    });
  });

  it('refuses more texts to stop at than Gemini takes: an answer that goes on behind the sixth is another one', () => {
    expect(() => asked({ stop: ['1', '2', '3', '4', '5', '6'] }))
      .to.throw(RequestRefused)
      .with.property('param', 'stop');
  });

  it('cleans schemas: references, constants, unions, nulls, and words it does not know', () => {
    const schema = {
      $schema: 'x',
      title: 'T',
      type: 'object',
      additionalProperties: false,
      $defs: {
        city: { type: 'string', format: 'hostname', default: 'x' },
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
      },
      properties: {
        default: { type: ['string', 'null'], format: 'date-time' },
        city: { $ref: '#/$defs/city', description: 'where' },
        kind: { const: 'a' },
        either: { oneOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 1 }] },
        mixed: { type: ['string', 'number'] },
        list: { $ref: '#/$defs/node' },
      },
      required: ['city'],
    };
    const request = asked({ response_format: { type: 'json_schema', json_schema: { schema } } });
    expect((request.generationConfig as JsonObject).responseSchema).to.deep.equal({
      type: 'object',
      properties: {
        default: { type: 'string', format: 'date-time', nullable: true },
        city: { type: 'string', description: 'where' },
        kind: { type: 'string', enum: ['a'] },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        mixed: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        list: { type: 'object', properties: { next: { type: 'object' } } },
      },
      required: ['city'],
    });
  });

  it('refuses a schema that would grow without end, or refers to nothing', () => {
    const $defs: JsonObject = { l0: { type: 'string' } };
    for (let level = 1; level < 30; level += 1) {
      $defs[`l${level}`] = { type: 'object', properties: { a: { $ref: `#/$defs/l${level - 1}` }, b: { $ref: `#/$defs/l${level - 1}` } } };
    }
    const parameters = (value: object) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: value } }] });
    expect(() => asked(parameters({ $defs, type: 'object', properties: { x: { $ref: '#/$defs/l29' } } }))).to.throw(RequestRefused);
    expect(() => asked(parameters({ type: 'object', properties: { x: { $ref: '#/$defs/none' } } }))).to.throw(RequestRefused);
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 5000; level += 1) deep = { type: 'array', items: deep };
    expect(() => asked(parameters({ type: 'object', properties: { deep } }))).to.throw(RequestRefused);
  });

  it('gives its own tools entries of their own, and maps every tool choice', () => {
    const tools = ['googleSearch', 'f', 'codeExecution'].map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object' } },
    }));
    expect(asked({ tools }).tools).to.deep.equal([{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }, { codeExecution: {} }]);
    const choice = (tool_choice: unknown) => (asked({ tools, tool_choice }).toolConfig as JsonObject).functionCallingConfig;
    expect(choice('auto')).to.deep.equal({ mode: 'AUTO' });
    expect(choice('none')).to.deep.equal({ mode: 'NONE' });
    expect(choice({ type: 'function', function: { name: 'f' } })).to.deep.equal({ mode: 'ANY', allowedFunctionNames: ['f'] });
  });

  it('thinks in the terms of the family', () => {
    const thinking = (model: string, reasoning_effort: string) =>
      (asked({ reasoning_effort }, model).generationConfig as JsonObject | undefined)?.thinkingConfig;
    expect(thinking('gemini-2.5-flash', 'none')).to.deep.equal({ thinkingBudget: 0 });
    expect(thinking('gemini-2.5-pro', 'none')).to.deep.equal({ includeThoughts: true, thinkingBudget: 128 });
    expect(thinking('gemini-2.5-flash', 'high')).to.deep.equal({ includeThoughts: true, thinkingBudget: 24576 });
    for (const model of ['gemini-2.5-pro', 'gemini-3-pro-preview'])
      for (const most of ['xhigh', 'max']) expect(thinking(model, most), `${model} ${most}`).to.deep.equal(thinking(model, 'high'));
    expect(thinking('gemini-3-pro-preview', 'low')).to.deep.equal({ includeThoughts: true, thinkingLevel: 'low' });
    expect(thinking('gemini-2.0-flash', 'high')).to.equal(undefined);
    expect(thinking('gemini-2.5-flash', 'toString')).to.equal(undefined);
  });

  it('carries the signature of a call to the caller and back, and has a word for one that is lost', () => {
    const body = {
      candidates: [
        { content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }] }, finishReason: 'STOP' },
      ],
    };
    const [choice] = playedBack(24, 'chat', Buffer.from(JSON.stringify(body))).json.choices as { message: { tool_calls: JsonObject[] } }[];
    const loop = (call: JsonObject) => {
      const messages = [user('x'), { role: 'assistant', tool_calls: [call] }, { role: 'tool', tool_call_id: call.id, content: 'plain' }];
      return asked({ messages }, 'gemini-3-pro-preview').contents as { parts: JsonObject[] }[];
    };
    const [call = {}] = choice?.message.tool_calls ?? [];
    expect(loop(call)[1]?.parts[0]).to.deep.equal({ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' });
    expect(loop(call)[2]?.parts[0]).to.deep.equal({ functionResponse: { name: 'f', response: { output: 'plain' } } });
    const { extra_content: _lost, ...without } = call;
    expect(loop(without)[1]?.parts[0]).to.have.property('thoughtSignature', 'skip_thought_signature_validator');
  });

  it('takes images inside the request only; remote ones are for the relay to fetch', () => {
    const request = {
      model: 'm',
      messages: [
        user([
          { type: 'image_url', image_url: { url: 'https://h.example.com/a.png' } },
          { type: 'text', text: 'x' },
        ]),
      ],
    } as ChatRequest;
    expect(remoteFiles(request, { inlineImagesOnly: true })).to.deep.equal(['https://h.example.com/a.png']);
    expect(() => asked(request)).to.throw(RequestRefused);
    const inline = withInlineFiles(request, new Map([['https://h.example.com/a.png', 'data:image/png;base64,QUJD']]));
    expect((asked(inline).contents as { parts: JsonObject[] }[])[0]?.parts[0]).to.deep.equal({
      inlineData: { mimeType: 'image/png', data: 'QUJD' },
    });
    expect(remoteFiles(inline, { inlineImagesOnly: true })).to.deep.equal([]);
    const many = Array.from({ length: 17 }, () => ({ type: 'image_url', image_url: 'data:image/png;base64,QUJD' }));
    expect(() => asked({ messages: [user(many)] })).to.throw(RequestRefused);
  });
});

describe('a Gemini answer in OpenAI words', () => {
  const told = (parts: object[], finishReason = 'STOP') => {
    const body = { candidates: [{ content: { parts }, finishReason }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } };
    const [choice] = playedBack(24, 'chat', Buffer.from(JSON.stringify(body))).json.choices as {
      message: JsonObject;
      finish_reason: string;
    }[];
    return choice;
  };

  it('joins texts without separator, and shows code and pictures as Markdown', () => {
    expect(told([{ text: 'a' }, { text: '\n' }, { text: 'b' }])?.message.content).to.equal('a\nb');
    const content = told([
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { output: '1' } },
      { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
    ])?.message.content;
    expect(content).to.equal('\n```python\nprint(1)\n```\n\n```output\n1\n```\n![image](data:image/png;base64,QUJD)');
  });

  it('takes the arguments of a call in pieces, and tells them at its end', () => {
    const pieces = [
      { name: 'plan', willContinue: true },
      { partialArgs: [{ jsonPath: '$.city', stringValue: 'Ber', willContinue: true }], willContinue: true },
      {
        partialArgs: [
          { jsonPath: '$.city', stringValue: 'lin' },
          { jsonPath: '$.stops[0].day', numberValue: 2 },
        ],
        willContinue: true,
      },
      {
        partialArgs: [
          { jsonPath: "$['open']", boolValue: false },
          { jsonPath: '$.note', nullValue: 'NULL_VALUE' },
        ],
        willContinue: true,
      },
      {},
      { name: 'look', args: { at: 1 } },
    ];
    const events = [...pieces.map((functionCall) => ({ parts: [{ functionCall }] })), { finishReason: 'STOP' }].map(
      ({ finishReason, ...content }: { finishReason?: string; parts?: object[] }) => ({ candidates: [{ content, finishReason }] }),
    );
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    const choices = streamed(24, 'chat', bytes).chunks.flatMap((chunk) => chunk.choices as JsonObject[]);
    const calls = choices.flatMap(({ delta }) => ((delta as JsonObject).tool_calls ?? []) as { index: number; function: JsonObject }[]);
    expect(calls.map(({ index, function: called }) => [index, called.name])).to.deep.equal([
      [0, 'plan'],
      [0, undefined],
      [1, 'look'],
    ]);
    const args = calls.filter(({ index }) => index === 0).map((one) => one.function.arguments);
    expect(args[0]).to.equal('');
    expect(JSON.parse(String(args[1]))).to.deep.equal({ city: 'Berlin', stops: [{ day: 2 }], open: false, note: null });
    expect(choices.at(-1)?.finish_reason).to.equal('tool_calls');
  });

  it('has a word for every reason to stop, and is none where nothing came of it', () => {
    const words = {
      stop: ['STOP', 'FINISH_REASON_UNSPECIFIED', 'NO_IMAGE', 'constructor'],
      length: [
        'MAX_TOKENS',
        'OTHER',
        'MALFORMED_FUNCTION_CALL',
        'UNEXPECTED_TOOL_CALL',
        'TOO_MANY_TOOL_CALLS',
        'MISSING_THOUGHT_SIGNATURE',
      ],
      content_filter: ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
    };
    for (const [word, reasons] of Object.entries(words)) {
      for (const reason of reasons) expect(told([{ text: 'a' }], reason)?.finish_reason, reason).to.equal(word);
    }
    for (const reason of ['STOP', 'FINISH_REASON_UNSPECIFIED', 'MAX_TOKENS', ...words.content_filter])
      expect(told([], reason)?.message.content).to.equal('');
    for (const reason of ['NO_IMAGE', 'constructor', ...words.length.slice(1)]) {
      expect(() => told([], reason), reason)
        .to.throw(UpstreamError)
        .with.property('status', 502);
    }
  });

  it('of two candidates stands though one was given up', () => {
    const given = { finishReason: 'OTHER' };
    const said = { index: 1, content: { parts: [{ text: 'a' }] } };
    const body = { candidates: [given, { ...said, finishReason: 'STOP' }] };
    const { choices } = playedBack(24, 'chat', Buffer.from(JSON.stringify(body))).json as { choices: JsonObject[] };
    expect(choices.map(({ finish_reason: reason }) => reason)).to.deep.equal(['length', 'stop']);
    for (const order of [
      [said, given],
      [given, said],
    ]) {
      const events = [...order, { index: 1, finishReason: 'STOP' }].map((one) => `data: ${JSON.stringify({ candidates: [one] })}\n\n`);
      const { chunks, error } = streamed(24, 'chat', Buffer.from(events.join('')), 2);
      expect(error).to.equal(undefined);
      const told = chunks.flatMap((chunk) => chunk.choices as JsonObject[]).map(({ finish_reason: reason }) => reason);
      expect(told.filter(Boolean)).to.deep.equal(['length', 'stop']);
    }
  });

  it('counts thoughts, cached tokens, tool prompts and modalities', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 10,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 15 },
        { modality: 'IMAGE', tokenCount: 25 },
        { modality: 'TEXT', tokenCount: 60 },
      ],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
    };
    const body = { candidates: [{ content: { parts: [] } }], usageMetadata };
    expect(playedBack(24, 'chat', Buffer.from(JSON.stringify(body))).counted).to.include({
      textInput: 30,
      cachedInput: 40,
      audioInput: 15,
      imageInput: 25,
      textOutput: 16,
      audioOutput: 4,
      reasoningOutput: 5,
    });
  });

  it('embeds at most 100 texts a call, and no tokens', () => {
    const embed = (input: unknown) => askedOf(24, 'embeddings', Buffer.from(JSON.stringify({ model: 'e', input })));
    expect(embed(['one']).url).to.match(/:embedContent$/);
    expect(embed(['one', 'two']).url).to.match(/:batchEmbedContents$/);
    for (const input of [[], Array.from({ length: 101 }, () => 'x'), [1, 2], [[1]]]) expect(() => embed(input)).to.throw(RequestRefused);
  });
});
