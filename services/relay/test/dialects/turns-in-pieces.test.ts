import type { JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { toldTo, type Upstream } from './next-turn.ts';

describe('a turn of the model’s that a caller tells in pieces', () => {
  const openai: Upstream = { type: 1, model: 'gpt-4o' };
  const claude: Upstream = { type: 14, model: 'claude-sonnet-4-20250514' };
  const asked = (caller: 'anthropic' | 'gemini', question: JsonObject) =>
    ((JSON.parse(toldTo(openai, caller, JSON.stringify(question))) as JsonObject).messages as JsonObject[]).map(
      ({ role, content, tool_calls: calls, tool_call_id: id }) => ({
        role,
        said: Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('|') : content,
        ...(calls !== undefined && { calls: (calls as { id: string }[]).map((call) => call.id) }),
        ...(id !== undefined && { id }),
      }),
    );
  const from = (role: string, ...parts: object[]) => ({ role, parts });
  const say = (role: string, ...content: object[]) => ({ role, content });

  it('is one turn, and nothing where nothing is said in it: Google’s clients keep a stream event by event, the last one empty', () => {
    const contents = [
      ...[from('user', { text: 'go' }), from('model', { text: 'So' }), from('model', { text: ' it' }), from('model', { text: '' })],
      ...[from('user', { text: 'on' }), from('model', { text: '' }), from('user', { text: 'and on' })],
    ];
    expect(asked('gemini', { contents })).to.deep.equal([
      ...[
        { role: 'user', said: 'go' },
        { role: 'assistant', said: 'So it' },
      ],
      ...[
        { role: 'user', said: 'on' },
        { role: 'user', said: 'and on' },
      ],
    ]);
  });

  it('has all its calls before their results', () => {
    const expected = [
      { role: 'user', said: 'go' },
      { role: 'assistant', said: null, calls: ['a', 'b'] },
      { role: 'tool', said: 'rain', id: 'a' },
      { role: 'tool', said: 'sun', id: 'b' },
    ];
    const contents = [
      ...[
        from('user', { text: 'go' }),
        from('model', { functionCall: { id: 'a', name: 'f' } }),
        from('model', { functionCall: { id: 'b', name: 'f' } }),
      ],
      from(
        'user',
        { functionResponse: { id: 'a', name: 'f', response: { output: 'rain' } } },
        { functionResponse: { id: 'b', name: 'f', response: { output: 'sun' } } },
      ),
    ];
    expect(asked('gemini', { contents })).to.deep.equal(expected);
    const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
    const messages = [
      ...[{ role: 'user', content: 'go' }, say('assistant', call('a')), say('assistant', call('b'))],
      say('user', result('a', 'rain'), result('b', 'sun')),
    ];
    expect(asked('anthropic', { model: 'm', max_tokens: 900, messages })).to.deep.equal(expected);
  });

  it('is left out where it was thought alone, which only its own model hears again', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const messages = [
      { role: 'user', content: 'go' },
      say('assistant', thinking),
      { role: 'user', content: 'on' },
      say('assistant', { type: 'text', text: '' }),
    ];
    const heard = [
      { role: 'user', said: 'go' },
      { role: 'user', said: 'on' },
    ];
    expect(asked('anthropic', { model: 'm', max_tokens: 900, messages })).to.deep.equal(heard);
    const contents = [from('user', { text: 'go' }), from('model', { text: 'Hm.', thought: true }), from('user', { text: 'on' })];
    expect(asked('gemini', { contents })).to.deep.equal(heard);
  });

  it('that is thought alone is heard again by who thought it', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const messages = [{ role: 'user', content: 'go' }, say('assistant', thinking), say('assistant', { type: 'text', text: 'So.' })];
    const body = toldTo(claude, 'anthropic', JSON.stringify({ model: 'm', max_tokens: 900, messages }));
    expect((JSON.parse(body) as JsonObject).messages).to.deep.equal(messages);
  });
});
