import { type ChatRequest, type JsonObject, RequestRefused, remoteFiles } from '@tollgate/providers';
import { expect } from 'chai';
import { dialectOf } from './four-corners.ts';
import { type CallerName, toldTo, type Upstream } from './next-turn.ts';

const claude: Upstream = { type: 14, model: 'claude-sonnet-4-20250514' };
const gemini: Upstream = { type: 24, model: 'gemini-2.0-flash' };
const mistral: Upstream = { type: 42, model: 'mistral-large-latest' };

type Turn = ['user' | 'assistant' | 'system', string];

/** A conversation of plain turns, as each caller says it. */
const saidBy: Record<CallerName, (turns: Turn[]) => JsonObject> = {
  openai: (turns) => ({ model: 'm', max_tokens: 9000, messages: turns.map(([role, content]) => ({ role, content })) }),
  anthropic: (turns) => ({ model: 'm', max_tokens: 9000, messages: turns.map(([role, content]) => ({ role, content })) }),
  responses: (turns) => ({ model: 'm', max_output_tokens: 9000, input: turns.map(([role, content]) => ({ role, content })) }),
  gemini: (turns) => ({
    contents: turns.map(([role, text]) => ({ role: role === 'assistant' ? 'model' : 'user', parts: text === '' ? [] : [{ text }] })),
    generationConfig: { maxOutputTokens: 9000 },
  }),
};
const told = (upstream: Upstream, caller: CallerName, question: JsonObject) =>
  JSON.parse(toldTo(upstream, caller, JSON.stringify(question))) as JsonObject;

const wordsOf = (content: unknown) =>
  Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('|') : String(content);

/** What a provider is told, as who says what. */
const heard: Record<'claude' | 'gemini' | 'mistral', (caller: CallerName, turns: Turn[]) => string[]> = {
  claude: (caller, turns) =>
    (told(claude, caller, saidBy[caller](turns)).messages as { role: string; content: string }[]).map(
      ({ role, content }) => `${role}: ${content}`,
    ),
  gemini: (caller, turns) =>
    (told(gemini, caller, saidBy[caller](turns)).contents as { role: string; parts: { text: string }[] }[]).map(
      ({ role, parts }) => `${role}: ${parts.map(({ text }) => text).join('|')}`,
    ),
  mistral: (caller, turns) =>
    (told(mistral, caller, saidBy[caller](turns)).messages as JsonObject[]).map(
      ({ role, content, prefix }) => `${String(role)}: ${wordsOf(content)}${prefix ? ' (to be gone on with)' : ''}`,
    ),
};

describe('a conversation whose turns come as its provider does not take them', () => {
  for (const caller of ['openai', 'anthropic', 'responses'] as const) {
    it(`begins with the user at Gemini, of callers of ${caller}, also where what he said first is nothing`, () => {
      expect(
        heard.gemini(caller, [
          ['user', ''],
          ['assistant', 'Hi'],
          ['user', 'go'],
        ]),
      ).to.deep.equal(['user: ...', 'model: Hi', 'user: go']);
      expect(
        heard.gemini(caller, [
          ['assistant', 'Hi'],
          ['user', 'go'],
        ]),
      ).to.deep.equal(['user: ...', 'model: Hi', 'user: go']);
      expect(heard.gemini(caller, [['user', '']])).to.deep.equal(['user: ...']);
    });
  }

  for (const caller of ['openai', 'responses', 'gemini'] as const) {
    it(`begins with the user at Anthropic, of callers of ${caller}, and is not begun to be answered where nothing is`, () => {
      expect(
        heard.claude(caller, [
          ['assistant', 'Hi'],
          ['user', 'go'],
        ]),
      ).to.deep.equal(['user: ...', 'assistant: Hi', 'user: go']);
      expect(
        heard.claude(caller, [
          ['user', 'go'],
          ['assistant', ''],
        ]),
      ).to.deep.equal(['user: go']);
      expect(
        heard.claude(caller, [
          ['user', 'go'],
          ['assistant', ' \n'],
        ]),
      ).to.deep.equal(['user: go']);
      expect(
        heard.claude(caller, [
          ['assistant', 'Hi'],
          ['user', ''],
        ]),
      ).to.deep.equal(['user: ...', 'assistant: Hi', 'user: ...']);
      expect(
        heard.claude(caller, [
          ['user', 'go'],
          ['assistant', 'So:'],
        ]),
      ).to.deep.equal(['user: go', 'assistant: So:']);
    });
  }

  for (const caller of ['openai', 'anthropic', 'responses'] as const) {
    it(`of instructions alone is a question everywhere, of callers of ${caller}`, () => {
      const alone: Turn[] = [['system', 'Be brief.']];
      expect(heard.gemini(caller, alone)).to.deep.equal(['user: Be brief.']);
      expect(heard.mistral(caller, alone)).to.deep.equal(['system: Be brief.']);
      if (caller === 'anthropic') return; // his body travels as it came
      expect(told(claude, caller, saidBy[caller](alone))).to.deep.include({
        system: 'Be brief.',
        messages: [{ role: 'user', content: '...' }],
      });
    });
  }

  it('is not thought about at Anthropic where the answer is begun: both together are refused there', () => {
    const begun: JsonObject = {
      ...saidBy.openai([
        ['user', 'go'],
        ['assistant', 'So:'],
      ]),
      reasoning_effort: 'low',
    };
    expect(told(claude, 'openai', begun)).to.not.have.property('thinking');
    const [go, so] = begun.messages as JsonObject[];
    const paused = { ...so, thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }] };
    expect(told(claude, 'openai', { ...begun, messages: [go, paused] }), 'a turn that was paused').to.have.property('thinking');
    expect(told({ ...claude, model: `${claude.model}-thinking` }, 'openai', begun)).to.not.have.property('thinking');
    const asked = { ...saidBy.openai([['user', 'go']]), reasoning_effort: 'low' };
    expect(told(claude, 'openai', asked)).to.have.property('thinking');
  });

  for (const caller of ['openai', 'anthropic', 'responses', 'gemini'] as const) {
    it(`ends with the user at Mistral, or with words to be gone on with, of callers of ${caller}`, () => {
      expect(
        heard.mistral(caller, [
          ['user', 'go'],
          ['assistant', 'So:'],
        ]),
      ).to.deep.equal(['user: go', 'assistant: So: (to be gone on with)']);
      expect(
        heard.mistral(caller, [
          ['user', 'go'],
          ['assistant', ''],
        ]),
      ).to.deep.equal(['user: go']);
      expect(
        heard.mistral(caller, [
          ['user', 'go'],
          ['assistant', ''],
          ['user', 'now'],
        ]),
      ).to.deep.equal(['user: go', 'user: now']);
    });
  }

  it('has its instructions first at Mistral, which takes none behind an answer', () => {
    const turns: Turn[] = [
      ['user', 'go'],
      ['assistant', 'Where?'],
      ['system', 'Be brief.'],
      ['user', 'there'],
    ];
    for (const caller of ['openai', 'anthropic', 'responses'] as const)
      expect(heard.mistral(caller, turns)).to.deep.equal(['system: Be brief.', 'user: go', 'assistant: Where?', 'user: there']);
    expect(
      heard.mistral('openai', [
        ['user', 'go'],
        ['system', 'Be brief.'],
      ]),
      'behind a question it does',
    ).to.deep.equal(['user: go', 'system: Be brief.']);
  });

  it('has a turn of the model’s between a result and what the user says at Mistral', () => {
    const answered = {
      model: 'm',
      max_tokens: 900,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'rain' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    };
    const { messages } = told(mistral, 'anthropic', answered);
    expect((messages as JsonObject[]).map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect((messages as JsonObject[])[3]).to.deep.equal({ role: 'assistant', content: '...' });
  });
});

describe('results of tools that come late, of callers of Responses, in whose items anything may stand between', () => {
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
  const output = (id: string, value: unknown) => ({ type: 'function_call_output', call_id: id, output: value });
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
  const rolesAt = (upstream: Upstream, input: object[]) => {
    const { messages } = told(upstream, 'responses', { model: 'm', input: [{ role: 'user', content: 'go' }, ...input] });
    return (messages as JsonObject[]).map(({ role, tool_call_id: id }) => (id === undefined ? role : `tool ${String(id)}`));
  };
  const openai: Upstream = { type: 1, model: 'gpt-4o' };

  it('stand behind the turn that calls for them, before what was said meanwhile', () => {
    const meanwhile = [call('a'), call('b'), { role: 'user', content: 'Well?' }, output('b', '2'), output('a', '1')];
    expect(rolesAt(openai, meanwhile)).to.deep.equal(['user', 'assistant', 'tool b', 'tool a', 'user']);
    const goneOn = [call('a'), { role: 'assistant', content: 'I look.' }, output('a', '1')];
    expect(rolesAt(openai, goneOn)).to.deep.equal(['user', 'assistant', 'tool a', 'assistant']);
    const twice = [call('a'), output('a', '1'), call('a'), output('a', '2'), { role: 'user', content: 'And?' }];
    const again = rolesAt(openai, twice); // the second call of one id gets an id of its own
    expect(again.map((role) => String(role).replace(/ call_\w+$/, ' other'))).to.deep.equal([
      ...['user', 'assistant', 'tool a', 'assistant', 'tool other', 'user'],
    ]);
  });

  it('stand together, and what one of them shows behind them', () => {
    const shown = [call('a'), call('b'), output('a', [{ type: 'input_text', text: '1' }, picture]), output('b', '2')];
    expect(rolesAt(openai, shown)).to.deep.equal(['user', 'assistant', 'tool a', 'tool b', 'user']);
  });

  it('are the first that the user’s turn says at Anthropic, also where a chat says otherwise', () => {
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'user', content: 'Well?' },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const [, , answering] = told(claude, 'openai', { model: 'm', messages }).messages as { content: JsonObject[] }[];
    expect(answering?.content.map(({ type }) => type)).to.deep.equal(['tool_result', 'text']);
  });
});

describe('a file, told to who speaks OpenAI’s dialect with words of his own for files', () => {
  const data = 'data:application/pdf;base64,JVBERi0xLjQK';
  const asked = (file: JsonObject) => ({ model: 'm', messages: [{ role: 'user', content: [{ type: 'file', file }] }] });
  const partTold = (upstream: Upstream, file: JsonObject) => {
    const [message] = told(upstream, 'openai', asked(file)).messages as { content: JsonObject[] }[];
    return message?.content[0];
  };
  const perplexity: Upstream = { type: 27, model: 'sonar' };

  it('is a document at Mistral, by its bytes or its address, and what Mistral keeps by its name there', () => {
    expect(partTold(mistral, { filename: 'a.pdf', file_data: data })).to.deep.equal({
      type: 'document_url',
      document_url: data,
      document_name: 'a.pdf',
    });
    expect(partTold(mistral, { file_id: 'f' })).to.deep.equal({ type: 'file', file_id: 'f' });
    expect(() => partTold(mistral, { file_data: 'JVBERi0xLjQK' })).to.throw(/base64 data URL/);
  });

  it('is an address at Zhipu, which takes no bytes', () => {
    const zhipu: Upstream = { type: 26, model: 'glm-4.6v' };
    const address = 'https://files.example.com/a.pdf';
    expect(partTold(zhipu, { filename: 'a.pdf', file_data: address })).to.deep.equal({ type: 'file_url', file_url: { url: address } });
    expect(partTold(zhipu, { file_id: 'f' })).to.deep.equal({ type: 'file', file: { file_id: 'f' } });
    expect(() => partTold(zhipu, { file_data: data }))
      .to.throw(RequestRefused, /by their http\(s\) addresses only/)
      .with.property('param', 'messages');
    const asIs = asked({ file_data: address }) as unknown as ChatRequest;
    expect(remoteFiles(asIs, dialectOf(26, 'chat'))).to.deep.equal([]);
    expect(remoteFiles(asIs, dialectOf(1, 'chat'))).to.deep.equal([address]);
  });

  for (const [who, upstream] of Object.entries({
    Moonshot: { type: 25, model: 'kimi-k2' },
    DeepSeek: { type: 43, model: 'deepseek-chat' },
    xAI: { type: 48, model: 'grok-4' },
  })) {
    it(`is refused for ${who}, which takes none in a chat`, () => {
      for (const file of [{ filename: 'a.pdf', file_data: data }, { file_data: 'https://files.example.com/a.pdf' }]) {
        expect(() => partTold(upstream, file))
          .to.throw(RequestRefused, /takes no files/)
          .with.property('param', 'messages');
        const messages = [
          { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://files.example.com/a.pdf' } }] },
        ];
        expect(() => told(upstream, 'anthropic', { model: 'm', max_tokens: 9, messages })).to.throw(RequestRefused);
      }
      expect(partTold(upstream, { file_id: 'f' })).to.deep.equal({ type: 'file', file: { file_id: 'f' } });
    });
  }

  it('is base64 alone at Perplexity', () => {
    expect(partTold(perplexity, { filename: 'a.pdf', file_data: data })).to.deep.equal({
      type: 'file_url',
      file_url: { url: 'JVBERi0xLjQK' },
      file_name: 'a.pdf',
    });
  });
});
