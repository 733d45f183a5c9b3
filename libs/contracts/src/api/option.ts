import { z } from 'zod';
import { rowVersion } from './common.ts';

/** Body of PUT /api/option/: one key, its value as text. */
export const updateOptionBody = z.object({ key: z.string().min(1).max(64), value: z.string().max(1_000_000), version: rowVersion });
export type UpdateOptionBody = z.infer<typeof updateOptionBody>;

export interface OptionView {
  key: string;
  value: string;
  /** 0: nobody has set it. */
  version: number;
}
