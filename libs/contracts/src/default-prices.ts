import audioRatios from './data/audio-ratios.json' with { type: 'json' };
import cacheCreationRatios from './data/cache-creation-ratios.json' with { type: 'json' };
import cacheRatios from './data/cache-ratios.json' with { type: 'json' };
import completionRatios from './data/completion-ratios.json' with { type: 'json' };
import groupRatios from './data/group-ratios.json' with { type: 'json' };
import longContextPrices from './data/long-context-prices.json' with { type: 'json' };
import maxOutputTokens from './data/max-output-tokens.json' with { type: 'json' };
import mediaPrices from './data/media-prices.json' with { type: 'json' };
import modelPrices from './data/model-prices.json' with { type: 'json' };
import modelRatios from './data/model-ratios.json' with { type: 'json' };
import requestFieldPrices from './data/request-field-prices.json' with { type: 'json' };
import topupGroupRatios from './data/topup-group-ratios.json' with { type: 'json' };
import userUsableGroups from './data/user-usable-groups.json' with { type: 'json' };
import { audioRatioRules, completionRatioRules } from './name-rules.ts';
import type { FurtherClass } from './usage.ts';

/** The price of calls whose prompt is longer than `above` tokens, as multiples of the ordinary price. */
export interface LongContextPrice {
  above: number;
  input: number;
  output: number;
}

/** US dollars a piece. */
export type PiecePrices = Partial<Record<Exclude<FurtherClass, 'imageOutput' | 'pictures'>, number>>;

/** What a new installation charges, until the operator changes the options of the same names. */
export const defaultPrices = {
  modelRatios: { ...modelRatios, ...mediaPrices.modelRatios } as Record<string, number>,
  /** US dollars a call; wins over a ratio. */
  modelPrices: { ...modelPrices, ...mediaPrices.modelPrices } as Record<string, number>,
  completionRatios: { ...completionRatios, ...mediaPrices.completionRatios } as Record<string, number>,
  completionRatioRules,
  cacheRatios: { ...cacheRatios, ...mediaPrices.cacheRatios } as Record<string, number>,
  cacheCreationRatios: cacheCreationRatios as Record<string, number>,
  /** The longest answer of each model, in tokens. */
  maxOutputTokens: maxOutputTokens.models as Record<string, number>,
  longContextPrices: longContextPrices.models as Record<string, LongContextPrice>,
  /** `field=value` -> how many times the ordinary price a call costs that asks for it. */
  requestFieldRatios: requestFieldPrices.ratios as Record<string, number>,
  audioRatioRules,
  audioCompletionRatio: audioRatios.completion_ratio,
  /** Entries win over the rules and the constant. */
  audioRatios: mediaPrices.audioRatios as Record<string, number>,
  audioCacheRatios: mediaPrices.audioCacheRatios as Record<string, number>,
  audioCompletionRatios: mediaPrices.audioCompletionRatios as Record<string, number>,
  imageRatios: mediaPrices.imageRatios as Record<string, number>,
  imageCompletionRatios: mediaPrices.imageCompletionRatios as Record<string, number>,
  pictureRatios: mediaPrices.pictureRatios as Record<string, Record<string, number>>,
  piecePrices: mediaPrices.piecePrices as Record<string, PiecePrices>,
  groupRatios: groupRatios as Record<string, number>,
  topupGroupRatios: topupGroupRatios as Record<string, number>,
  /** Descriptions of groups. The option holds the Chinese text, as in the product family; until it is changed, readers get their language. */
  userUsableGroups: userUsableGroups as Record<string, { en: string; zh: string }>,
};
