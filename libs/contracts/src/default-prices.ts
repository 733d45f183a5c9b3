import audioRatios from './data/audio-ratios.json' with { type: 'json' };
import cacheCreationRatios from './data/cache-creation-ratios.json' with { type: 'json' };
import cacheRatios from './data/cache-ratios.json' with { type: 'json' };
import completionRatioRules from './data/completion-ratio-rules.json' with { type: 'json' };
import completionRatios from './data/completion-ratios.json' with { type: 'json' };
import groupRatios from './data/group-ratios.json' with { type: 'json' };
import modelPrices from './data/model-prices.json' with { type: 'json' };
import modelRatios from './data/model-ratios.json' with { type: 'json' };
import topupGroupRatios from './data/topup-group-ratios.json' with { type: 'json' };
import userUsableGroups from './data/user-usable-groups.json' with { type: 'json' };

/** A model name rule: the first one whose conditions all hold decides. */
export interface NameRule {
  when: {
    exact?: string | string[];
    prefix?: string | string[];
    suffix?: string | string[];
    contains?: string | string[];
    not_suffix?: string | string[];
    [condition: string]: unknown;
  };
  ratio?: number;
  rename?: string;
  fixed?: boolean;
  note?: string;
  source?: string;
}

/** What a new installation charges, until the operator changes the options of the same names. */
export const defaultPrices = {
  modelRatios: modelRatios as Record<string, number>,
  /** US dollars a call; wins over a ratio. */
  modelPrices: modelPrices as Record<string, number>,
  completionRatios: completionRatios as Record<string, number>,
  completionRatioRules: completionRatioRules.rules as unknown as NameRule[],
  cacheRatios: cacheRatios as Record<string, number>,
  cacheCreationRatios: cacheCreationRatios as Record<string, number>,
  audioRatioRules: audioRatios.rules as unknown as NameRule[],
  audioCompletionRatio: audioRatios.completion_ratio,
  groupRatios: groupRatios as Record<string, number>,
  topupGroupRatios: topupGroupRatios as Record<string, number>,
  userUsableGroups: userUsableGroups as Record<string, string>,
};
