import { createTokenBody, type TokenView } from '@tollgate/contracts/api/token';
import { z } from 'zod';
import { limitsIn } from '../../shared/form/limits-in.ts';

/** What the editor holds: the body of the call, and how many tokens are to be made of it. */
export const tokenForm = createTokenBody.extend({
  name: createTokenBody.shape.name.min(1),
  count: z.int().min(1).max(100),
});
export type TokenFormValues = z.input<typeof tokenForm>;
export type TokenFormResult = z.output<typeof tokenForm>;
export type TokenBody = Omit<TokenFormResult, 'count'>;

/** US dollars; quick choices of the quota field. */
export const quotaPresets = [1, 10, 50, 100, 500, 1000];
export const countPresets = [10, 20, 30, 100];

/** What the editor starts with: the token as it is, or a new one of one dollar that never expires. */
export function initialValues(token: TokenView | undefined, quotaPerUnit: number): TokenFormValues {
  return {
    name: token?.name ?? '',
    expired_time: token?.expired_time ?? -1,
    remain_quota: Math.max(0, token?.remain_quota ?? quotaPerUnit),
    unlimited_quota: token?.unlimited_quota ?? false,
    model_limits_enabled: token?.model_limits_enabled ?? false,
    model_limits: token?.model_limits ?? '',
    allow_ips: token?.allow_ips ?? '',
    deny_ips: token?.deny_ips ?? '',
    drawing_modes: token?.drawing_modes ?? '',
    group: token?.group ?? '',
    run_budget: token?.run_budget ?? 0,
    ...limitsIn(token),
    count: 1,
  };
}
