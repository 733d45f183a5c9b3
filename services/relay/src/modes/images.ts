import { namedEntry, noUsage, type Usage } from '@tollgate/contracts';

import { type ImageRequest, type Provider, textTokens } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { ModeRules } from '../context/route.ts';
import type { Bill, Terms, TermsQuestion } from '../context/terms.ts';

/** Pictures that are drawn: paid by the piece, or by the tokens that they are. */
function drawing(dialectOf: (provider: Provider) => ReturnType<ModeRules<ImageRequest>['dialectOf']>): ModeRules<ImageRequest> {
  return {
    mode: 'images',
    eachText: (request, visit) => void (typeof request.prompt === 'string' && visit(request.prompt)),
    weigh,
    output: (request) => ({ maxTokens: 0, choices: request.n ?? 1 }),
    terms: (question) => (question.price.ordinary.imageCompletionRatio === undefined ? byPicture(question) : byTokens(question)),
    dialectOf,
  };
}

export const images = drawing((provider) => provider.images);
export const imageEdits = drawing((provider) => provider.imageEdits);
export const imageVariations = drawing((provider) => provider.imageVariations);

function weigh({ prompt }: ImageRequest, measure?: { tokens(text: string): number }): Usage {
  const tokens = typeof prompt === 'string' ? (measure?.tokens(prompt) ?? textTokens(prompt)) : 0;
  return { ...noUsage, textInput: Math.ceil(tokens) };
}

/** What one costs where its model has a ratio and no price: US dollars at ratio 1, as the product family asks. */
const dollarsPerRatio = 0.0025;
const area = 1024 * 1024;
/** Qualities that cost what the model's price says. */
const plainQualities = new Set(['auto', 'standard', 'medium', 'low']);

function byPicture({ request, price, measure, settings }: TermsQuestion<ImageRequest>): Terms {
  weigh(request, measure); // a measure is asked for every text, in order
  const n = request.n ?? 1;
  for (const field of ['partial_images', 'frame_count', 'complexity']) {
    if (request[field]) throw new AppError('unpriced_request_field', { field }, { param: field });
  }
  const { output_format: format } = request;
  if (format === 'gif' || format === 'svg') {
    throw new AppError('unpriced_request_field', { field: `output_format=${format}` }, { param: 'output_format' });
  }
  const { ordinary, origin } = price;
  const base = ordinary.kind === 'fixed' ? ordinary.modelPrice : ordinary.modelRatio * dollarsPerRatio;
  const pieces = { ...ordinary.pieces, pictures: base * pictureRatio(request, settings.options.PictureRatio) };
  return {
    price: { ordinary: { ...ordinary, pieces }, origin },
    estimate: noUsage,
    most: { pictures: n },
    bill: (_stated, { pieces: drawn = n }) => ({
      usage: { ...noUsage, pictures: Math.max(1, Math.min(n, drawn)) },
      usageSource: 'upstream',
    }),
  };
}

/**
 * How many times the model's price a picture costs. A model with sizes of its own has just these; of another, a size that nobody names
 * costs by its area. Throws: AppError `unpriced_request_field`.
 */
function pictureRatio({ model, size, quality }: ImageRequest, table: Readonly<Record<string, Readonly<Record<string, number>>>>): number {
  const own = namedEntry(table, model);
  const named = own ?? {};
  const isPlain = !quality || plainQualities.has(quality);
  const isAnySize = !size || size === 'auto';
  const found = (isPlain ? undefined : (named[`${quality}/${size || '1024x1024'}`] ?? named[quality])) ?? undefined;
  if (found !== undefined) return found;
  if (!isPlain) throw new AppError('unpriced_request_field', { field: `quality=${quality}` }, { param: 'quality' });
  if (isAnySize) return 1;
  const bySize = named[size];
  if (bySize !== undefined) return bySize;
  const [, width, height] = /^(\d{1,5})[x*](\d{1,5})$/.exec(size) ?? [];
  const isOpen = own === table['*'] || own === undefined;
  if (!isOpen || width === undefined) throw new AppError('unpriced_request_field', { field: `size=${size}` }, { param: 'size' });
  return Math.max(1, (Number(width) * Number(height)) / area);
}

/** Tokens of one picture of about a million pixels. Source: https://platform.openai.com/docs/guides/image-generation#cost-and-latency */
const tokensByQuality = new Map([
  ['low', 272],
  ['medium', 1056],
  ['high', 4160],
  ['xhigh', 8320], // nobody says how many: held for, and charged only where the provider does not count
  ['max', 16_640],
]);
/** Frames of a picture that moves, where nobody says how many. */
const ownFrames = 9;
/** How many more one of another shape has. */
const dearestShape = 1.5;
const tokensPerPartial = 100;
/** No model draws a picture in fewer. */
const fewestTokens = 64;
/** Of one that is sent in, about. */
const tokensPerSentPicture = 800;
const tokensPerSentPictureHighFidelity = 6500;

function byTokens({ request, price, measure, form }: TermsQuestion<ImageRequest>): Terms {
  const n = request.n ?? 1;
  const each = Math.ceil((tokensByQuality.get(request.quality ?? '') ?? 4160) * (request.size === '1024x1024' ? 1 : dearestShape));
  const frames = request.output_format === 'gif' ? (request.frame_count ?? ownFrames) : 1;
  const partial = (request.partial_images ?? 0) * tokensPerPartial;
  const sent = (form?.files.length ?? 0) * (request.input_fidelity === 'high' ? tokensPerSentPictureHighFidelity : tokensPerSentPicture);
  const estimate = { ...weigh(request, measure), imageInput: sent };
  return {
    price,
    estimate,
    most: { imageOutput: n * each * frames + partial },
    bill(stated, { pieces = n }): Bill {
      const own = { ...estimate, imageOutput: pieces * each * frames + partial };
      if (!stated?.trusted) return { usage: own, usageSource: 'estimated' };
      const { usage } = stated;
      const isPlausible = (usage.imageOutput ?? 0) >= pieces * fewestTokens && usage.textInput + usage.imageInput + usage.cachedInput > 0;
      return isPlausible ? { usage, usageSource: 'upstream' } : { usage: own, usageSource: 'estimated' };
    },
  };
}
