import type { FakeScript } from '@tollgate/testing';
import { data } from './odd-answers.ts';

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
const cited = { url: 'https://a.example.com/', title: 'A', start_index: 3, end_index: 6 };
const annotations = [{ type: 'url_citation', url_citation: cited }];
const chunk = (delta: object, more: object = {}, reason: string | null = null) =>
  data({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], ...more });
const whole = (message: object, more: object = {}) => ({
  json: {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage,
    ...more,
  },
});
const found = { citations: ['https://a.example.com/'], search_results: [{ title: 'A', url: 'https://a.example.com/' }] };

/** `Hi [1].`, which rests on one page, called A: as OpenAI says it, and as Perplexity does; whole and in pieces. */
export const citedAnswers: Record<'noted' | 'numbered', { whole: FakeScript; streamed: FakeScript }> = {
  noted: {
    whole: whole({ content: 'Hi [1].', annotations }),
    streamed: {
      frames: [chunk({ content: 'Hi [1].' }), chunk({ annotations }), chunk({}, {}, 'stop'), data({ choices: [], usage }), 'data: [DONE]'],
    },
  },
  numbered: {
    whole: whole({ content: 'Hi [1].' }, found),
    streamed: {
      frames: [chunk({ content: 'Hi ' }, found), chunk({ content: '[1].' }, found), chunk({}, { ...found, usage }, 'stop'), 'data: [DONE]'],
    },
  },
};
