import { type CallLimits, namedEntry, type OptionValues } from '@tollgate/contracts';
import { type LimitRule, type LimitRules, limitRules } from '@tollgate/wallet';

/** What the options limit. */
export interface LimitSettings {
  /** Of each user. */
  user: LimitRules | undefined;
  group: RulesByName | undefined;
  model: RulesByName | undefined;
  /** Limits count, and refuse nothing. */
  isShadow: boolean;
}

type RulesByName = (name: string) => LimitRules | undefined;

export function limitSettings(options: OptionValues): LimitSettings {
  return {
    user: limitRules(options.UserLimits, requestLimits(options)),
    group: rulesByName(options.GroupLimits),
    model: rulesByName(options.ModelLimits),
    isShadow: options.LimitShadowEnabled,
  };
}

/** undefined: no name is limited, and nothing has to be looked up. */
function rulesByName(table: Readonly<Record<string, CallLimits>>): RulesByName | undefined {
  const rules = Object.fromEntries(Object.entries(table).map(([name, limits]) => [name, { of: limitRules(limits) }]));
  return Object.values(rules).some(({ of }) => of !== undefined) ? (name) => namedEntry(rules, name)?.of : undefined;
}

/** The limit of requests of each user in a period of its own length. */
function requestLimits(options: OptionValues): LimitRule[] {
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  if (!options.ModelRequestRateLimitEnabled || minutes === 0) return [];
  const period = minutes === 1 ? 'minute' : `${minutes}_minutes`;
  const windowMs = minutes * 60_000;
  return [
    { name: `requests_per_${period}`, kind: 'r', windowMs, limit: options.ModelRequestRateLimitCount },
    { name: `successful_requests_per_${period}`, kind: 's', windowMs, limit: options.ModelRequestRateLimitSuccessCount },
  ];
}
