import { z } from 'zod';

const name = z.string().min(1).max(255);
const dollars = z.number().nonnegative().max(1e6);
const tokens = z.int().nonnegative().max(100_000_000);
const day = z.iso.date();

const page = z.url({ protocol: /^https$/ }).max(500);

/** Where a fact was really read, and when; what it says there, doubts included; and the maker's page on it, which need not have been read. */
const origin = { source: page, read: day };
const remarks = { says: z.string().max(500).optional(), official: page.optional() };

/** US dollars for a million tokens of one class. A class that is left out costs what its kind does: input, output, or sound of the other direction. */
export const tokenPrices = {
  input: dollars,
  output: dollars,
  cacheRead: dollars,
  /** Writes that last five minutes, or the only kind there is. */
  cacheWrite: dollars,
  cacheWrite1h: dollars,
  audioInput: dollars,
  audioOutput: dollars,
  audioCacheRead: dollars,
  imageInput: dollars,
  imageOutput: dollars,
  /** Hidden thought, where it costs another price than the answer. */
  reasoning: dollars,
};
export type PriceClass = keyof typeof tokenPrices;
export const priceClasses = Object.keys(tokenPrices) as PriceClass[];

/** A time of the day in UTC, `HH:MM`; a period may run over midnight. */
const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);

/** When a variant of a price holds; all conditions of one variant must. */
export const priceCondition = z
  .strictObject({
    /** The prompt is longer than so many tokens. */
    above: z.int().positive().optional(),
    /** The request asks for it: `field=value`, as in the option RequestFieldRatio. */
    field: z
      .string()
      .regex(/^[\w.-]+=[\w.-]+$/)
      .max(100)
      .optional(),
    /** From this instant on, and before that one. */
    from: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
    /** Within one of these periods of the day, UTC: [begin, end). */
    hours: z
      .array(z.tuple([clock, clock]))
      .min(1)
      .max(12)
      .optional(),
    /** 0 is Sunday, UTC. */
    weekdays: z.array(z.int().min(0).max(6)).min(1).max(7).optional(),
  })
  .refine((when) => Object.keys(when).length > 0, { error: 'a variant needs a condition' })
  .refine(({ above, field }) => above === undefined || field === undefined, {
    error: 'a variant is of long prompts or of a field: what holds of both multiplies',
  });
export type PriceCondition = z.infer<typeof priceCondition>;

/** Prices under a condition: those that are named, or `times` the ordinary ones. What of several variants holds multiplies. */
export const priceVariant = z
  .strictObject({
    when: priceCondition,
    times: z.number().nonnegative().max(1000).optional(),
    ...z.strictObject(tokenPrices).partial().shape,
  })
  .refine(({ when: _when, times, ...prices }) => (times === undefined) !== (Object.keys(prices).length === 0), {
    error: 'a variant names either prices or times',
  });
export type PriceVariant = z.infer<typeof priceVariant>;

const pieces = z.strictObject({
  seconds: dollars.optional(),
  characters: dollars.optional(),
  toolCalls: dollars.optional(),
  searches: dollars.optional(),
});

/** What a model costs by its provider's list. */
export const listPrice = z
  .strictObject({
    ...z.strictObject(tokenPrices).partial().shape,
    input: dollars.optional(),
    output: dollars.optional(),
    /** US dollars a call, or a picture; instead of prices of tokens. */
    call: dollars.optional(),
    /** US dollars a piece. */
    pieces: pieces.optional(),
    variants: z.array(priceVariant).max(20).optional(),
    source: origin.source.optional(),
    read: day.optional(),
  })
  .refine(({ input, output, call }) => (call === undefined) === (input !== undefined && output !== undefined), {
    error: 'a price has input and output, or call',
  })
  .refine(
    ({ input, call, ...price }) => call !== undefined || input !== 0 || priceClasses.every((kind) => kind === 'input' || !price[kind]),
    {
      error: 'free input with another class that costs cannot be said as ratios',
    },
  )
  .refine(({ input = 0, output = 0, call = 0 }) => input + output + call > 0, {
    error: 'a catalog makes no model free: the option ModelRatio may',
  });
export type ListPrice = z.infer<typeof listPrice>;

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** How a model is asked to think, and how its thinking comes back. */
export const reasoningRules = z.strictObject({
  /**
   * `effort`: a level in `reasoning_effort`; `budget`: tokens; `adaptive`: Anthropic's adaptive thinking with a level beside it; `level`: Gemini's
   * thinkingLevel; `toggle`: on or off alone; `always`: it thinks and cannot be asked how much.
   */
  form: z.enum(['effort', 'budget', 'adaptive', 'level', 'toggle', 'always']).optional(),
  /** Levels that it takes, cheapest first. */
  efforts: z.array(z.enum(efforts)).optional(),
  /** The level where a request names none. */
  usual: z.enum(efforts).optional(),
  /** Tokens; `off`: it may be told not to think at all. `share`: the most of an output limit. */
  budget: z.strictObject({ least: tokens.optional(), most: tokens.optional(), off: z.boolean().optional() }).optional(),
  /** It can be told to think not at all. */
  off: z.boolean().optional(),
  /** It thinks between tool calls of one answer. */
  betweenTools: z.boolean().optional(),
  /** What must be passed back in a tool loop. */
  back: z.enum(['signature', 'reasoning_content', 'encrypted', 'thought_signature']).optional(),
  /** What operators may append to a name to say how much it is to think: `-thinking`, or `-` and a level. */
  endings: z.array(z.string().regex(/^-[a-z]+$/)).optional(),
  /** It answers at most so many tokens beside its budget of thought: the output limit does not count thought (DashScope). */
  besideLimit: z.boolean().optional(),
});
export type ReasoningRules = z.infer<typeof reasoningRules>;

/** What of a request a model takes otherwise than its dialect says. Names are those of OpenAI's chat completions. */
export const parameterRules = z.strictObject({
  /** Refused by the provider, whatever else is asked for. */
  refused: z.array(name).optional(),
  /** Refused unless the effort is `none`. */
  refusedWhenThinking: z.array(name).optional(),
  /** Of these two only one is taken: the first stays. */
  exclusive: z.array(z.tuple([name, name])).optional(),
  most: z.record(name, z.number()).optional(),
  renamed: z.record(name, name).optional(),
});

/** A tool that the provider runs for the model, and what one use of it costs beside tokens. */
const hostedTool = z.strictObject({
  dollars,
  /** What is charged: each use that the provider states, or one for a call in which there were any. */
  per: z.enum(['use', 'call']).optional(),
  /** The field of chat completions that asks for it; left out where chat completions cannot. */
  field: z.string().max(50).optional(),
  /** Other prices, by the name of the tool in the request; a name may end in `*`. */
  byName: z.record(name, dollars).optional(),
});

export const modelRules = z.strictObject({
  /** Where it answers: chat completions (or its dialect's own conversations), Responses alone, or both; or what it is for instead. */
  endpoint: z
    .enum(['chat', 'responses', 'both', 'completions', 'embeddings', 'images', 'speech', 'transcription', 'moderations', 'rerank'])
    .optional(),
  /** Where tools are taken together with thinking, where that is not everywhere that it answers. */
  toolsEndpoint: z.enum(['responses']).optional(),
  parameters: parameterRules.optional(),
  /** The role of instructions; `system` where nothing is said. */
  systemRole: z.enum(['system', 'developer', 'user']).optional(),
  reasoning: reasoningRules.optional(),
  /** What an answer can be bound to: a JSON schema (`strict` forms aside), JSON alone, or neither. */
  structured: z.enum(['schema', 'json', 'none']).optional(),
  /** The rules of tool schemas. */
  schemaDialect: z.enum(['openai', 'anthropic', 'gemini', 'xai']).optional(),
  tools: z
    .strictObject({
      longestName: z.int().positive().optional(),
      /** Functions together with an answer that is bound to a schema. */
      withSchema: z.boolean().optional(),
    })
    .optional(),
  /** Tools that run at the provider: web search, and code in a container. */
  hosted: z.strictObject({ search: hostedTool.optional(), code: hostedTool.optional() }).optional(),
  /** How many times the ordinary price a request costs with a field: `field=value`. The option RequestFieldRatio wins. */
  fields: z.record(name, z.number().positive().max(1000)).optional(),
  /** An answer may be begun by the caller. */
  prefill: z.boolean().optional(),
  /** It answers after minutes: timeouts are longer. */
  slow: z.boolean().optional(),
  /** Milliseconds of sound that one token stands for, where it is not OpenAI's measure. */
  audioMsPerToken: z.number().positive().optional(),
  /** How many texts one call for vectors may hold. */
  mostEmbeddings: z.int().positive().optional(),
  /** The method by which a cloud is asked for it, where that is not the usual one (Vertex: `embedContent`). */
  method: z.string().max(50).optional(),
});
export type ModelRules = z.infer<typeof modelRules>;

/** A family of models, with the rules that they share. */
export const modelFamily = z.strictObject({
  /** Names that belong to it; one that ends in `*` stands for all that begin so, and the longest fits best. */
  models: z.array(name).min(1),
  /** The family whose rules are taken where this one says nothing. */
  extends: name.optional(),
  /** Who made them, which a cloud of several makers needs to know. */
  maker: name.optional(),
  rules: modelRules,
  /** Where each rule was read; the first one is of all that the others do not say. */
  sources: z.array(z.strictObject({ ...origin, ...remarks })).min(1),
});
export type ModelFamily = z.infer<typeof modelFamily>;

export const modelEntry = z.strictObject({
  /** The name; one that ends in `*` stands for all that begin so. */
  name,
  /** Who sells it at this price. Where several do, `maker` first, else the dearest one's price is charged. */
  provider: name,
  /** The family whose rules it keeps, where its name does not say it. */
  family: name.optional(),
  price: listPrice.optional(),
  limits: z.strictObject({ context: tokens.optional(), input: tokens.optional(), output: tokens.optional() }).optional(),
  modalities: z.strictObject({ input: z.array(z.string().max(20)), output: z.array(z.string().max(20)) }).optional(),
  /** What this model alone does otherwise than its family. */
  rules: modelRules.optional(),
  released: z.string().max(10).optional(),
  status: z.enum(['beta', 'deprecated', 'retired']).optional(),
  ...origin,
  ...remarks,
});
export type ModelEntry = z.infer<typeof modelEntry>;

/** A catalog as it is stored, uploaded and fetched. */
export const modelCatalog = z.strictObject({
  version: z.literal(1),
  families: z.record(name, modelFamily),
  models: z.array(modelEntry).max(20_000),
});
export type ModelCatalog = z.infer<typeof modelCatalog>;
