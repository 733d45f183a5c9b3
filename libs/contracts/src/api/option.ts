import { z } from 'zod';
import { rowVersion } from './common.ts';
import { route } from './route.ts';

/** Said once what the change takes from people has been read: see `confirmation_needed`. */
const confirm = z.boolean().default(false);

/** Body of PUT /api/option/: one key, its value as text. */
export const updateOptionBody = z.object({
  key: z.string().min(1).max(64),
  value: z.string().max(1_000_000),
  version: rowVersion,
  confirm,
});
export type UpdateOptionBody = z.infer<typeof updateOptionBody>;

export const optionView = z.object({
  key: z.string(),
  value: z.string(),
  /** 0: nobody has set it. */
  version: z.number(),
});
export type OptionView = z.infer<typeof optionView>;

const words = z.object({ en: z.string(), zh: z.string() });

/** What an option says of itself: `OptionDefinition` without what only a server needs. */
export const optionDescription = z.object({
  key: z.string(),
  kind: z.string(),
  section: z.string(),
  access: z.enum(['public', 'root', 'secret']),
  label: words,
  help: words.optional(),
  unit: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  choices: z.record(z.string(), words).optional(),
  needs: z.array(z.string()),
  default: z.string(),
  /** Whether somebody has given it a value; all that is told of a secret one. */
  isSet: z.boolean(),
});
export type OptionDescription = z.infer<typeof optionDescription>;

const optionList = z.object({
  /** What clients of the product family know. */
  data: z.array(optionView),
  /** The secret options too, in the order of the settings page. */
  described: z.array(optionDescription),
  /** The models that enabled channels offer, priced or not. */
  offered: z.array(z.string()),
});
export type OptionList = z.infer<typeof optionList>;

/** Several options as one change; without a value an option goes back to its default. */
export const updateOptionsBody = z.object({
  options: z
    .array(z.object({ key: z.string().min(1).max(64), value: z.string().max(1_000_000).nullable(), version: rowVersion }))
    .min(1)
    .max(500),
  confirm,
});
export type UpdateOptionsBody = z.input<typeof updateOptionsBody>;

/** What a change that nobody has confirmed would take from people, in words; comes in the `data` of `confirmation_needed`. */
export interface OptionEffects {
  effects: string[];
}

/** Why an option of a batch was refused; comes in the `data` of the failure, under `failures`. */
export interface OptionFailure {
  key: string;
  code: string;
  message: string;
  /** Of a JSON text: where. */
  line?: number;
  /** After a conflict: what stands there now. */
  stored?: OptionView;
}

export const optionRoutes = {
  'GET /api/option': route({
    summary: 'All options but the secret ones, and what each is',
    access: 'root',
    beside: optionList,
  }),
  'PUT /api/option/batch': route({
    summary: 'Sets several options, all or none of them',
    access: 'root',
    body: updateOptionsBody,
    example: {
      body: {
        options: [
          { key: 'SystemName', value: 'Example' },
          { key: 'RetryTimes', value: null },
        ],
      },
    },
  }),
  'PUT /api/option': route({
    summary: 'Sets one option',
    access: 'root',
    body: updateOptionBody,
    example: { body: { key: 'SystemName', value: 'Example' } },
  }),
  'POST /api/option/rest_model_ratio': route({
    summary: 'Puts the model ratios back to those that we ship',
    access: 'root',
    query: z.object({ confirm: z.stringbool().default(false) }),
  }),
};
