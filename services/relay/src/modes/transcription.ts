import { namedEntry, noUsage, type Usage } from '@tollgate/contracts';
import { type Provider, type TranscriptionRequest, textTokens } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';
import { statedOr, type Terms, type TermsQuestion } from '../context/terms.ts';

function hearing(
  mode: 'transcription' | 'translation',
  dialectOf: (provider: Provider) => Provider['transcription'],
): ModeRules<TranscriptionRequest> {
  return {
    mode,
    weigh: ({ prompt }, measure) => ({
      ...noUsage,
      textInput: typeof prompt === 'string' ? Math.ceil(measure?.tokens(prompt) ?? textTokens(prompt)) : 0,
    }),
    output: () => ({ maxTokens: 0, choices: 1 }),
    terms,
    dialectOf,
  };
}

/** Speech written down: paid by the second, or by the tokens of the sound and of the text. */
export const transcription = hearing('transcription', (provider) => provider.transcription);
/** The same, in English. */
export const translation = hearing('translation', (provider) => provider.translation);

/** Nobody speaks faster. */
const charactersPerSecond = 25;
/** A file that does not say how long it lasts is taken for one of 32 kbit a second. */
const bytesPerSecond = 4000;
/** No sound is packed tighter. */
const fewestBytesPerSecond = 500;
const soundTokensPerSecond = 10;
const textTokensPerSecond = 6;

function terms({ request, price, measure, settings, form, seconds, mostSeconds = 0 }: TermsQuestion<TranscriptionRequest>): Terms {
  const bytes = form?.files.reduce((sum, { from, to }) => sum + to - from, 0) ?? 0;
  const likely = Math.max(1, Math.ceil(seconds ?? bytes / bytesPerSecond));
  const isByTokens = namedEntry(settings.options.AudioRatio, request.model) !== undefined;
  const text = transcription.weigh(request, measure);
  const estimate: Usage = isByTokens ? { ...text, audioInput: likely * soundTokensPerSecond } : { ...noUsage, seconds: likely };
  return {
    price,
    estimate,
    most: isByTokens ? { textOutput: likely * textTokensPerSecond } : {},
    bill(stated, { textOutput, characters, seconds: told = 0 }) {
      const heard = Math.max(likely, Math.ceil(told), Math.ceil(characters / charactersPerSecond));
      if (isByTokens) {
        return statedOr(stated, () => ({ ...text, audioInput: heard * soundTokensPerSecond, textOutput }));
      }
      // Tokens that a provider states of a model that is paid by the second are not what it is paid for.
      const whole = stated?.trusted === true ? (stated.usage.seconds ?? 0) : 0;
      const isPlausible = whole <= Math.max(likely * 2, bytes / fewestBytesPerSecond, Math.ceil(mostSeconds));
      if (whole > 0 && isPlausible) return { usage: { ...noUsage, seconds: whole }, usageSource: 'upstream' };
      return { usage: { ...noUsage, seconds: heard }, usageSource: whole > 0 || stated?.trusted === false ? 'estimated' : 'counted' };
    },
  };
}
