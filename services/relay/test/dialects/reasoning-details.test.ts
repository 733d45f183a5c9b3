import { argumentsObject, type JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { JsonScan } from '../../src/request/json-scan.ts';
import { keptTurn } from './kept-turns.ts';
import { type CallerName, callerNames, routes, streamFor, toldTo, type Upstream, wholeFor } from './next-turn.ts';

const openrouter: Upstream = { type: 20, model: 'anthropic/claude-sonnet-4.5' };
const gpt: Upstream = { type: 1, model: 'gpt-4o' };
const claude: Upstream = { type: 14, model: 'claude-sonnet-4-5' };
const gemini: Upstream = { type: 24, model: 'gemini-3-pro' };

const thought = { type: 'reasoning.text', text: 'Is it raining?', signature: 's1gned', format: 'anthropic-claude-v1', index: 0 };
const sealed = { type: 'reasoning.encrypted', data: 'SEALED'.repeat(2000), id: 'call_1', format: 'google-gemini-v1', index: 1 };
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"where":"here"}' } };
const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
  JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const answer = (message: JsonObject) =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  });

const { signature, ...unsigned } = thought;
const said = { role: 'assistant', content: 'I look.', tool_calls: [call] };
const whole = answer({ ...said, reasoning: thought.text, reasoning_details: [thought, sealed] });
const stream = [
  chunk({ role: 'assistant', content: '', reasoning: 'Is it ', reasoning_details: [{ ...unsigned, text: 'Is it ', signature: null }] }),
  chunk({ content: '', reasoning: 'raining?', reasoning_details: [{ ...unsigned, text: 'raining?' }] }),
  chunk({ content: '', reasoning_details: [{ type: unsigned.type, signature, index: 0 }] }),
  chunk({ content: 'I look.' }),
  chunk({ content: '', tool_calls: [call], reasoning_details: [sealed] }),
  chunk({ content: '' }, 'tool_calls'),
];
/** What is thought, and not told beside the details. */
const alone = answer({ ...said, reasoning_details: [{ type: 'reasoning.summary', summary: thought.text, index: 0 }] });

describe('what OpenRouter tells of thinking', () => {
  for (const caller of callerNames) {
    const turns = {
      whole: () => keptTurn[caller].whole(wholeFor(caller, openrouter, whole)),
      stream: () => keptTurn[caller].stream(streamFor(caller, openrouter, stream)),
    };
    for (const way of ['whole', 'stream'] as const) {
      it(`comes back to it with the next question of callers of ${caller}, of an answer that came as a ${way}`, () => {
        const question = JSON.stringify(keptTurn[caller].next(turns[way]()));
        const { messages } = JSON.parse(toldTo(openrouter, caller, question)) as { messages: JsonObject[] };
        const turn = messages.find(({ role }) => role === 'assistant') as JsonObject;
        expect(turn.reasoning_details).to.deep.equal([thought, sealed]);
        expect(turn).to.include({ content: 'I look.' }).and.not.have.any.keys('extra_content', 'thinking_blocks');
        const [told] = turn.tool_calls as (typeof call)[];
        expect(argumentsObject(told?.function.arguments)).to.deep.equal({ where: 'here' });
      });

      if (caller === 'openai') continue; // his words go on as they came
      it(`is told to nobody else when callers of ${caller} go on elsewhere, of an answer that came as a ${way}`, () => {
        for (const upstream of [gpt, claude, gemini]) {
          const told = toldTo(upstream, caller, JSON.stringify(keptTurn[caller].next(turns[way]())));
          expect(told)
            .to.include('I look.')
            .and.not.match(/SEALED|U0VBTEVE|tg1\.|dGcxL|reasoning_details|openrouter/);
        }
      });

      it(`comes back in a body so large that long texts are left out of it, too: of callers of ${caller}, as a ${way}`, () => {
        const scan = new JsonScan({ leavesOut: true });
        scan.push(Buffer.from(JSON.stringify(keptTurn[caller].next(turns[way]()))));
        const { json: bytes, long } = scan.end();
        const json = JSON.parse(bytes.toString()) as JsonObject;
        const request = routes[caller].read({ bytes, long, json, address: caller === 'gemini' ? { model: 'm' } : {} });
        expect(JSON.stringify(request)).to.include(sealed.data);
      });
    }

    it(`is told to callers of ${caller}, where it stands in its details alone`, () => {
      expect(wholeFor(caller, openrouter, alone)).to.include(thought.text);
      const pieces = [chunk({ reasoning_details: [{ type: 'reasoning.text', text: thought.text }] }), chunk({ content: 'x' }, 'stop')];
      expect(streamFor(caller, openrouter, pieces)).to.include(thought.text);
      expect(wholeFor(caller, gpt, answer({ ...said, reasoning: thought.text })), 'under its other name').to.include(thought.text);
    });
  }

  it('is kept for nobody where nothing of it is signed or sealed', () => {
    const plain = answer({ ...said, reasoning: 'So.', reasoning_details: [{ type: 'reasoning.text', text: 'So.', index: 0 }] });
    for (const caller of ['anthropic', 'gemini', 'responses'] satisfies CallerName[])
      expect(wholeFor(caller, openrouter, plain)).to.not.match(/redacted|thoughtSignature|encrypted_content/);
  });
});
