import { namedEntry, noUsage, type Usage } from '@tollgate/contracts';
import { type SpeechRequest, textTokens } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';
import { statedOr, type Terms, type TermsQuestion } from '../context/terms.ts';

/** Texts read out: paid by their characters, or by the tokens of the text and of the sound. */
export const speech: ModeRules<SpeechRequest> = {
  mode: 'speech',
  answersIn: 'audio/*',
  eachText(request, visit) {
    visit(request.input);
    if (typeof request.instructions === 'string') visit(request.instructions);
  },
  weigh: ({ input, instructions }, measure) => {
    const tokens = (text: string) => measure?.tokens(text) ?? textTokens(text);
    const spoken = tokens(input) + (typeof instructions === 'string' ? tokens(instructions) : 0);
    return { ...noUsage, textInput: Math.max(1, Math.ceil(spoken)) };
  },
  output: () => ({ maxTokens: 0, choices: 1 }),
  terms,
  dialectOf: (provider) => provider.speech,
};

/** Models that are paid by the character though they have no price for one, as in the product family. */
const byCharacter = /^(?:tts|speech-)/;

function terms(question: TermsQuestion<SpeechRequest>): Terms {
  const { request, price, measure, settings } = question;
  const text = speech.weigh(request, measure);
  if (price.ordinary.pieces?.characters !== undefined || byCharacter.test(request.model)) {
    const estimate: Usage = { ...noUsage, characters: [...request.input].length };
    return { price, estimate, most: {}, bill: () => ({ usage: estimate, usageSource: 'upstream' }) };
  }
  const isSoundPaid = namedEntry(settings.options.AudioCompletionRatio, request.model) !== undefined;
  const slowest = Math.min(4, Math.max(0.25, request.speed ?? 1));
  const likely = Math.ceil((text.textInput * secondsPerToken * tokensPerSecond) / slowest);
  return {
    price,
    estimate: text,
    most: isSoundPaid ? { audioOutput: likely * 2 } : {},
    bill: (stated, { bytes = 0 }) =>
      statedOr(isSoundPaid ? stated : undefined, () => {
        const rate = bytesPerSecond.get(request.response_format ?? 'mp3');
        const heard = rate === undefined ? likely : Math.ceil((bytes / rate) * tokensPerSecond);
        return { ...text, audioOutput: isSoundPaid ? heard : 0 };
      }),
  };
}

const secondsPerToken = 0.3;
/** Of sound; what a minute of speech comes to in OpenAI's prices. Source: https://platform.openai.com/docs/pricing */
const tokensPerSecond = 1250 / 60;
const bytesPerSecond = new Map([
  ['pcm', 48_000],
  ['wav', 48_000],
  ['mp3', 16_000],
]);
