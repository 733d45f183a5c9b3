import audioRatios from './data/audio-ratios.json' with { type: 'json' };
import completionRatios from './data/completion-ratio-rules.json' with { type: 'json' };

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

/** What an output token costs relative to an input token, by families of models. */
export const completionRatioRules = completionRatios.rules as unknown as NameRule[];
/** The same of an input audio token relative to a text token. */
export const audioRatioRules = audioRatios.rules as unknown as NameRule[];
