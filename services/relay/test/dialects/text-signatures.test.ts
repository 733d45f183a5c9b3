import type { JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { keptTurn, objects } from './kept-turns.ts';
import { callerNames, streamFor, toldTo, wholeFor } from './next-turn.ts';

const gemini = { type: 24, model: 'gemini-3-pro' };
const gpt = { type: 1, model: 'gpt-4o' };
const claude = { type: 14, model: 'claude-sonnet-4-5' };
const signature = 'c2lnbmVkIHRleHQ=';
const answer = (parts: JsonObject[], finishReason?: string) =>
  JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }] });
const whole = answer([{ text: 'It rains.', thoughtSignature: signature }], 'STOP');
/** Where it streams, what signs the words comes behind them. */
const stream = [answer([{ text: 'It ' }]), answer([{ text: 'rains.' }]), answer([{ text: '', thoughtSignature: signature }], 'STOP')];

/** What a caller keeps of an answer, and sends back with his next question. */
const turns: typeof keptTurn = {
  openai: {
    whole: keptTurn.openai.whole,
    stream: (text) => {
      const deltas = objects(text).flatMap(({ choices }) => (choices as { delta: JsonObject }[]).map(({ delta }) => delta));
      const content = deltas.map(({ content }) => content ?? '').join('');
      return { role: 'assistant', content, ...Object.assign({}, ...deltas.map(({ extra_content }) => extra_content && { extra_content })) };
    },
    next: (turn) => ({ model: 'm', messages: [{ role: 'user', content: 'go' }, turn, { role: 'user', content: 'on' }] }),
  },
  anthropic: {
    ...keptTurn.anthropic,
    next: (content) => ({
      model: 'm',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content },
        { role: 'user', content: 'on' },
      ],
    }),
  },
  gemini: {
    whole: (text) => [(JSON.parse(text) as { candidates: { content: unknown }[] }).candidates[0]?.content],
    stream: (text) => objects(text).flatMap(({ candidates }) => (candidates as { content: unknown }[]).map(({ content }) => content)),
    next: (contents) => ({
      contents: [{ role: 'user', parts: [{ text: 'go' }] }, ...(contents as unknown[]), { role: 'user', parts: [{ text: 'on' }] }],
    }),
  },
  responses: {
    ...keptTurn.responses,
    next: (output) => ({ model: 'm', input: [{ role: 'user', content: 'go' }, ...(output as unknown[]), { role: 'user', content: 'on' }] }),
  },
};

describe('what signs the words of Gemini’s answers', () => {
  for (const caller of callerNames) {
    const { next, ...turn } = turns[caller];
    const kept = {
      whole: () => turn.whole(wholeFor(caller, gemini, whole)),
      stream: () => turn.stream(streamFor(caller, gemini, stream)),
    };
    for (const way of ['whole', 'stream'] as const) {
      it(`comes back with the next question of callers of ${caller}, whose answer came ${way === 'whole' ? 'as a whole' : 'as a stream'}`, () => {
        const question = JSON.stringify(next(kept[way]()));
        const { contents } = JSON.parse(toldTo(gemini, caller, question)) as { contents: { role: string; parts: JsonObject[] }[] };
        const parts = contents.filter(({ role }) => role === 'model').flatMap((content) => content.parts);
        expect(parts.map(({ text }) => text).join('')).to.equal('It rains.');
        expect(parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])).to.deep.equal([signature]);
      });
    }

    it(`is told to nobody else when callers of ${caller} go on elsewhere`, () => {
      for (const way of ['whole', 'stream'] as const) {
        const question = JSON.stringify(next(kept[way]()));
        for (const { type, model } of [gpt, claude]) {
          const told = toldTo({ type, model }, caller, question);
          expect(told).to.include('rains.');
          // A gateway behind a channel of OpenAI's type may be on its way to Google: an OpenAI caller's words go there as they came.
          if (type === 14 || caller !== 'openai') expect(told).to.not.match(/c2lnbmVk|thought_?signature|redacted_thinking|encrypted/i);
        }
        expect(toldTo({ ...gpt, baseUrl: 'https://api.openai.com' }, caller, question)).to.not.match(/c2lnbmVk|thought_?signature/i);
      }
    });
  }
});
