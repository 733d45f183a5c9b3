import { z } from 'zod';
import { rowVersion } from './common.ts';
import { route } from './route.ts';

/** Body of PUT /api/option/: one key, its value as text. */
export const updateOptionBody = z.object({ key: z.string().min(1).max(64), value: z.string().max(1_000_000), version: rowVersion });
export type UpdateOptionBody = z.infer<typeof updateOptionBody>;

export const optionView = z.object({
  key: z.string(),
  value: z.string(),
  /** 0: nobody has set it. */
  version: z.number(),
});
export type OptionView = z.infer<typeof optionView>;

export const optionRoutes = {
  'GET /api/option': route({ summary: 'All options but the secret ones', access: 'root', answer: z.array(optionView) }),
  'PUT /api/option': route({
    summary: 'Sets one option',
    access: 'root',
    body: updateOptionBody,
    example: { body: { key: 'SystemName', value: 'Example' } },
  }),
  'POST /api/option/rest_model_ratio': route({ summary: 'Puts the model ratios back to those that we ship', access: 'root' }),
};
