import { readFileSync } from 'node:fs';
import { RequestRefused } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { expect } from 'chai';
import * as anthropic from '../priced-fields/anthropic.ts';
import * as gemini from '../priced-fields/gemini.ts';
import * as openai from '../priced-fields/openai.ts';
import { free, inField, type Word } from '../priced-fields/words.ts';
import { dialectOf } from './four-corners.ts';
import { upstreams } from './matrix.ts';
import { type CallerName, routes, toldTo, type Upstream } from './next-turn.ts';

type Json = Record<string, unknown>;
type Said = [field: string, word: Word];

const contents = [{ role: 'user', parts: [{ text: 'go' }] }];
const questions: Record<CallerName, Json> = {
  openai: { model: 'm', max_tokens: 900, messages: [{ role: 'user', content: 'go' }] },
  anthropic: { model: 'm', max_tokens: 900, messages: [{ role: 'user', content: 'go' }] },
  gemini: { contents, generationConfig: { maxOutputTokens: 900 } },
  responses: { model: 'm', max_output_tokens: 900, input: 'go' },
};

/** All that stands in the tables of prices with a value, and what is counted apart. */
const said: Record<CallerName, Said[]> = {
  openai: [
    ...Object.entries(openai.chat),
    ['modalities', free(['text', 'audio'])],
    ['audio', free({ voice: 'alloy', format: 'wav' })],
    ['prediction', free({ type: 'content', content: 'went' })],
    ['reasoning_effort', free('medium')],
    ['verbosity', free('high')],
    ['top_k', free(20)],
    ['store', free(true)],
  ],
  anthropic: [
    ...Object.entries(anthropic.messages),
    ...inField('output_config', anthropic.outputConfig),
    ['cache_control', free({ type: 'ephemeral' })],
    ['context_management', free({ edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] })],
    ['compaction', free({ type: 'summarize' })],
    ['top_k', free(20)],
    ['temperature', free(0.5)],
    ['tools', free([{ name: 'x', input_schema: { type: 'object' }, input_examples: [{}] }])],
    ['tools', free([{ name: 'x', input_schema: { type: 'object' }, allowed_callers: ['code_execution_20250825'] }])],
  ],
  gemini: [
    ...Object.entries(gemini.generate),
    ...inField('toolConfig', gemini.toolConfig).filter(([, word]) => !JSON.stringify(word).includes('AUTO')), // without tools it says nothing
    ...Object.entries(gemini.generationConfig)
      .filter(([name]) => name !== 'responseSchema') // alone it says nothing
      .map(([name, word]): Said => [`generationConfig.${name}`, word]),
    ['generationConfig', free({ responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } })],
    ['generationConfig.mediaResolution', free('MEDIA_RESOLUTION_LOW')],
    ['generationConfig.responseModalities', free(['AUDIO'])],
    ['generationConfig.speechConfig', free({ languageCode: 'en' })],
    ['generationConfig.imageConfig', free({ imageSize: '2K' })],
    ['tools', free([{ functionDeclarations: [{ name: 'x', behavior: 'NON_BLOCKING' }] }])],
  ],
  responses: [
    ...Object.entries(openai.responses),
    ...inField('reasoning', openai.reasoning),
    ['text', free({ verbosity: 'high' })],
    ['client_metadata', free({ session_id: 's' })],
  ],
};

/** What changes nothing in an answer, by the dialect of who says it: it may be left out. It stands in the providers' README, too. */
const noted = ['metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'];
const leftOut: Record<CallerName, string[]> = {
  openai: [...noted, 'prediction', 'prompt_cache_options', 'store'],
  anthropic: ['metadata', 'cache_control', 'context_management', 'fallback_credit_token', 'service_tier'],
  gemini: [],
  responses: [...noted, 'client_metadata', 'include', 'parallel_tool_calls', 'reasoning', 'tool_choice', 'truncation'],
};

/** A knowledge base is asked the last question alone: what stands before it, and what we would say there, is not told. */
const knowledgeBase = 21;
const beforeTheQuestion = ['verbosity', 'text', 'system', 'systemInstruction', 'instructions'];

/** What only tunes how likely words are drawn, and how much is thought: who has no word for it does as he does. */
const tuning = new Set([
  ...['frequency_penalty', 'presence_penalty', 'seed', 'temperature', 'top_p', 'top_k', 'reasoning_effort', 'reasoning', 'output_config'],
  ...['frequencyPenalty', 'presencePenalty', 'temperature', 'topP', 'topK', 'seed'].map((name) => `generationConfig.${name}`),
]);

/** What a question comes to where a field is said: told, refused, or as if nothing had been said. */
function fateOf(upstream: Upstream, caller: CallerName, more: Json): 'told' | 'left out' | { refused: string } {
  const question = questions[caller];
  try {
    const told = toldTo(upstream, caller, JSON.stringify({ ...question, ...more }));
    return told === toldTo(upstream, caller, JSON.stringify(question)) ? 'left out' : 'told';
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof AppError) return { refused: error.param ?? '' };
    throw error;
  }
}

describe('what one dialect can say and another cannot', () => {
  const readme = readFileSync(new URL('../../../../libs/providers/README.md', import.meta.url), 'utf8');
  const about = /## What may be left out\n(.*?)\n## /s.exec(readme)?.[1] ?? '';

  for (const caller of Object.keys(said) as CallerName[]) {
    it(`is told, refused by its name, or one of the things that change no answer, of callers of ${caller}`, () => {
      const lost: string[] = [];
      for (const { type, model } of upstreams()) {
        const { speaks } = dialectOf(type, 'chat', model);
        const isAlike = speaks === routes[caller].dialect.name && type !== 42; // Mistral takes no word that it does not know
        if (isAlike) continue;
        for (const [path, word] of said[caller]) {
          if (type === knowledgeBase && beforeTheQuestion.includes(path)) continue;
          if (word.is !== 'free' || word.value === undefined) continue;
          const [field = '', inner] = path.split('.');
          const value = inner === undefined ? word.value : { ...(questions[caller][field] as Json), [inner]: word.value };
          const fate = fateOf({ type, model }, caller, { [field]: value });
          if (typeof fate === 'object') {
            // A refusal speaks of the field, in the caller's words or in the hub's.
            if (fate.refused === '') lost.push(`${path} to ${type}: refused without a name`);
          } else if (fate === 'left out' && !leftOut[caller].includes(path) && !tuning.has(path)) lost.push(`${path} to ${type}`);
        }
      }
      expect(lost).to.deep.equal([]);
    });

    it(`is named in the README where it may be left out, of callers of ${caller}`, () => {
      for (const path of leftOut[caller]) expect(about, path).to.include(`\`${path.split('.').at(-1)}\``);
    });
  }
});
