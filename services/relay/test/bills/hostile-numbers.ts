import type { HandMadeBill, Json, Told } from './hand-made-bill.ts';

/** JSON has numbers that no double can hold: they are written in later. */
const beyond = '\u0000beyond';
const belowAll = '\u0000below-all';

/** What may stand in the place of a number, in a request or in a provider's bill. */
export const hostileNumbers: readonly unknown[] = [
  ...[-1, 0, -0, 0.5, -0.5, 1e9, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), 1e300, 1e308, -1e308, 5e-324, beyond, belowAll],
  ...['-1', '1e308', 'NaN', '-Infinity', '0x10', ' 7', '', null, true, false, [], [-1], {}, { valueOf: -1 }],
];

/** As it travels. */
export function hostileJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(beyond), '1e999').replaceAll(JSON.stringify(belowAll), '-1e999');
}

/** The fields of each request that are numbers, whether or not it has them, by its address. */
const numberFields: [path: RegExp, fields: string[]][] = [
  [/chat\/completions/, ['n', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_logprobs', 'seed', 'presence_penalty']],
  [/v1\/completions/, ['n', 'best_of', 'max_tokens', 'logprobs', 'prompt']],
  [/embeddings/, ['dimensions', 'input', 'input.0']],
  [/v1\/messages/, ['max_tokens', 'top_k', 'temperature', 'thinking.budget_tokens']],
  [/v1\/responses/, ['max_output_tokens', 'top_logprobs', 'max_tool_calls', 'temperature']],
  [
    /generateContent/,
    ['maxOutputTokens', 'candidateCount', 'topK', 'seed', 'thinkingConfig.thinkingBudget'].map((field) => `generationConfig.${field}`),
  ],
  [/batchEmbed/, ['requests.0.outputDimensionality']],
  [/moderations/, ['input', 'input.0']],
  [/rerank/, ['top_n', 'max_chunk_per_doc', 'documents.0']],
  [/images/, ['n', 'size', 'quality', 'partial_images', 'output_compression', 'seed']],
  [/speech/, ['speed', 'input', 'seed']],
  [/audio\/trans/, ['temperature', 'seed', 'stream']],
  [/realtime/, ['response.max_output_tokens', 'response.temperature']],
  [/^\/mj\//, ['index', 'zoomRatio', 'state']],
  [/^\/suno\//, ['continue_at', 'duration', 'mv']],
];

/** One question that is not as it should be, or one answer. */
export interface HostileCall {
  what: string;
  body?: Json;
  form?: HandMadeBill['form'];
  told?: Told;
}

/** Of one honest call: every number of its request and of its provider's answer, each with some of the hostile ones in its place. */
export function hostileCalls(bill: HandMadeBill, { each, from }: { each: number; from: number }): HostileCall[] {
  let at = from;
  const some = (): unknown[] => Array.from({ length: each }, () => hostileNumbers[at++ % hostileNumbers.length]);
  const calls: HostileCall[] = [];
  const fields = numberFields.find(([path]) => path.test(bill.path))?.[1] ?? [];
  for (const field of fields) {
    for (const value of some()) {
      const what = `${field} = ${hostileJson(value)}`;
      if (bill.form === undefined) calls.push({ what, body: withValue(bill.body ?? {}, field.split('.'), value) as Json });
      else calls.push({ what, form: { ...bill.form, fields: { ...bill.form.fields, [field]: String(value) } } });
    }
  }
  for (const steps of numbersIn(bill.told)) {
    for (const value of some())
      calls.push({ what: `told ${steps.join('.')} = ${hostileJson(value)}`, told: withValue(bill.told, steps, value) as Told });
  }
  return calls;
}

/** Where numbers stand. */
function numbersIn(value: unknown, steps: string[] = []): string[][] {
  if (typeof value === 'number') return [steps];
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  return Object.entries(value).flatMap(([step, inner]) => numbersIn(inner, [...steps, step]));
}

function withValue(value: unknown, [step, ...steps]: string[], put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) return value.map((inner, index) => (String(index) === step ? withValue(inner, steps, put) : inner));
  const holder = typeof value === 'object' && value !== null ? (value as Json) : {};
  return { ...holder, [step]: withValue(holder[step], steps, put) };
}
