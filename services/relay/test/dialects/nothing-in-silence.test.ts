import { RequestRefused } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { expect } from 'chai';
import * as anthropic from '../priced-fields/anthropic.ts';
import * as gemini from '../priced-fields/gemini.ts';
import * as openai from '../priced-fields/openai.ts';
import { free, inField, type Word } from '../priced-fields/words.ts';
import { dialectOf } from './four-corners.ts';
import { upstreams } from './matrix.ts';
import { type CallerName, routes, sentTo, type Upstream } from './next-turn.ts';

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

/** Values that ask for nothing: what is so anyway. */
const asksNothing = [
  ...['store=false', 'service_tier="auto"', 'truncation="disabled"', 'background=false'],
  ...['parallel_tool_calls=true', 'tool_choice="auto"', 'include=["reasoning.encrypted_content"]'], // without tools; what is always there
  ...['reasoning={"context":"auto"}', 'reasoning={"generate_summary":"auto"}', 'reasoning={"summary":"auto"}'], // thinking is told anyway
];

/** A knowledge base is asked the last question alone: what stands before it, and what we would say there, is not told. */
const knowledgeBase = 21;
const beforeTheQuestion = ['verbosity', 'text', 'system', 'systemInstruction', 'instructions'];

/** What a question comes to where a field is said: told, refused, listed as changed, or as if nothing had been said. */
function fateOf(upstream: Upstream, caller: CallerName, more: Json): 'told' | 'listed' | 'left out' | { refused: string } {
  const question = questions[caller];
  try {
    const told = sentTo(upstream, caller, JSON.stringify({ ...question, ...more }));
    const plain = sentTo(upstream, caller, JSON.stringify(question));
    if (told.changed.some((field) => !plain.changed.includes(field))) return 'listed';
    return told.body === plain.body ? 'left out' : 'told';
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof AppError) return { refused: error.param ?? '' };
    throw error;
  }
}

describe('what one dialect can say and another cannot', () => {
  for (const caller of Object.keys(said) as CallerName[]) {
    it(`is sent, refused by its name, or listed as changed, of callers of ${caller}`, () => {
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
          } else if (fate === 'left out' && !asksNothing.includes(`${path}=${JSON.stringify(word.value)}`))
            lost.push(`${path}=${JSON.stringify(word.value)} to ${type}`);
        }
      }
      expect(lost).to.deep.equal([]);
    });
  }
});
