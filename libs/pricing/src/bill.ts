import type { BillItem, FurtherClass, PriceUsed, TokenUsage, Usage, UsageClass } from '@tollgate/contracts';

/** The price of a call: the price as recorded, and the prices of images, seconds and other pieces. */
export interface CallPrice extends PriceUsed {
  /** Price of an input image token relative to a text token. */
  imageRatio?: number;
  /** Price of a cached audio token; when omitted, that of other cached tokens. */
  cachedAudioRatio?: number;
  /** Price of a generated image token; when omitted, that of output text. */
  imageCompletionRatio?: number;
  /** Price of a hidden reasoning token, where it differs from output text. */
  reasoningRatio?: number;
  /** US dollars per piece. Applies also when the call has a fixed price. */
  pieces?: Readonly<Partial<Record<FurtherClass, number>>>;
}

/** Price of one token of each class, in plain input tokens. */
export const ratioOf = {
  textInput: () => 1,
  imageInput: (price) => price.imageRatio ?? 1,
  cachedInput: (price) => price.cacheRatio,
  cacheWrite5m: (price) => price.cacheWrite5mRatio,
  cacheWrite1h: (price) => price.cacheWrite1hRatio,
  audioInput: (price) => price.audioRatio,
  textOutput: (price) => price.completionRatio,
  reasoningOutput: (price) => price.reasoningRatio ?? price.completionRatio,
  audioOutput: (price) => price.audioRatio * price.audioCompletionRatio,
} satisfies Record<keyof TokenUsage, (price: CallPrice) => number>;

/** Price of one piece of each later class. Without its own price, the measure of the one-api family applies. */
export const furtherRatioOf: Readonly<Record<FurtherClass, (price: CallPrice) => number>> = {
  imageOutput: (price) => price.imageCompletionRatio ?? price.completionRatio,
  pictures: () => 1250,
  seconds: () => 1000 / 60,
  characters: () => 1,
  toolCalls: () => 0,
  searches: () => 0,
};

const ratios: Readonly<Record<UsageClass, (price: CallPrice) => number>> = {
  ...ratioOf,
  ...furtherRatioOf,
  cachedImage: (price) => price.cacheRatio * ratioOf.imageInput(price),
  cachedAudio: cachedAudioRatioOf,
};
const tokenClasses = Object.keys(ratioOf) as (keyof TokenUsage)[];
const furtherClasses = Object.keys(furtherRatioOf) as FurtherClass[];
const allClasses = Object.keys(ratios) as UsageClass[];

function cachedAudioRatioOf(price: CallPrice): number {
  return price.cachedAudioRatio ?? price.cacheRatio;
}

/** One class of tokens on a bill. */
export interface BillLine {
  kind: keyof TokenUsage;
  tokens: number;
  ratio: number;
}

/** What was used, by class; empty classes are omitted. */
export function billLines(usage: TokenUsage, price: PriceUsed): BillLine[] {
  return tokenClasses.filter((kind) => usage[kind] > 0).map((kind) => ({ kind, tokens: usage[kind], ratio: ratioOf[kind](price) }));
}

/** Plain input tokens per US dollar at ratio 1. */
const tokensPerDollar = 500_000;

/**
 * What a call costs, in quota, before rounding.
 * ratio: tokens of each class x its ratio x modelRatio x groupRatio x (quotaPerUnit / 500 000)
 * fixed: modelPrice x quotaPerUnit x groupRatio
 * items: the sum of amount x price, as a fixed price
 */
export function exactQuota(usage: Usage, price: CallPrice): number {
  if (isItemized(usage, price)) return itemsTotal(itemsOf(usage, price)) * price.quotaPerUnit * price.groupRatio;
  if (price.kind === 'fixed') return price.modelPrice * price.quotaPerUnit * price.groupRatio;
  let tokens = 0;
  for (const kind of tokenClasses) if (usage[kind] > 0) tokens += usage[kind] * ratioOf[kind](price);
  if (usage.imageOutput) tokens += usage.imageOutput * price.completionRatio;
  tokens += ((usage.cachedAudio ?? 0) + (usage.cachedImage ?? 0)) * price.cacheRatio;
  return tokens * rateOf(price);
}

/** Quota per plain input token, or per call; 0 means free. */
export function rateOf(price: PriceUsed): number {
  if (price.kind === 'fixed') return price.modelPrice * price.groupRatio;
  return price.modelRatio * price.groupRatio * (price.quotaPerUnit / 500_000);
}

/** True when a bill must list its items, because the classes and ratios of every event do not describe it completely. */
export function isItemized(usage: Usage, price: CallPrice): boolean {
  if (price.kind === 'fixed') return furtherClasses.some((kind) => (usage[kind] ?? 0) > 0 && price.pieces?.[kind] !== undefined);
  if (usage.imageInput + (usage.cachedImage ?? 0) > 0 && ratioOf.imageInput(price) !== 1) return true;
  if (usage.cachedAudio && cachedAudioRatioOf(price) !== price.cacheRatio) return true;
  if (usage.reasoningOutput > 0 && ratioOf.reasoningOutput(price) !== price.completionRatio) return true;
  return furtherClasses.some(
    (kind) => (usage[kind] ?? 0) > 0 && !(kind === 'imageOutput' && furtherRatioOf.imageOutput(price) === price.completionRatio),
  );
}

/**
 * Everything used, with its price. Cached images (multiplied by the image ratio) and cached audio (last) follow other cached input under
 * the same name, because events have no other.
 */
export function itemsOf(usage: Usage, price: CallPrice): BillItem[] {
  return allClasses.flatMap((kind) => {
    const amount = usage[kind] ?? 0;
    return amount > 0 ? [{ kind: namedInEvents(kind), amount, price: dollarsEach(kind, price) }] : [];
  });
}

function namedInEvents(kind: UsageClass): BillItem['kind'] {
  return kind === 'cachedAudio' || kind === 'cachedImage' ? 'cachedInput' : kind;
}

function dollarsEach(kind: UsageClass, price: CallPrice): number {
  const piece = price.pieces?.[kind as FurtherClass];
  if (piece !== undefined) return piece;
  return price.kind === 'fixed' ? 0 : (price.modelRatio * ratios[kind](price)) / tokensPerDollar;
}

/** US dollars before the group ratio. */
export function itemsTotal(items: readonly BillItem[]): number {
  return items.reduce((sum, { amount, price }) => sum + amount * price, 0);
}

/** The part of a call that its event records. */
export interface Recorded {
  usage: TokenUsage;
  price: PriceUsed;
  items?: BillItem[];
  cachedAudio?: number;
}

const statedPrices = new WeakMap<CallPrice, PriceUsed>();

/** The part of a price that an event records. Computed once per price, which lives until a setting changes. */
function statedOf(price: CallPrice): PriceUsed {
  let stated: PriceUsed | undefined = statedPrices.get(price);
  if (stated === undefined) {
    const { imageRatio: _ratio, imageCompletionRatio: _completion, cachedAudioRatio: _cached, ...others } = price;
    const { reasoningRatio: _reasoning, pieces: _pieces, ...told } = others;
    stated = told;
    statedPrices.set(price, stated);
  }
  return stated;
}

/**
 * Usage and price as an event records them. A reader that ignores items computes the same charge: with items the price is a fixed one, and
 * pieces appear as the one-api family shows them.
 */
export function recorded(usage: Usage, price: CallPrice): Recorded {
  const stated = statedOf(price);
  const { cachedAudio, cachedImage } = usage;
  const isPlain = cachedAudio === undefined && cachedImage === undefined;
  if (isPlain && furtherClasses.every((kind) => usage[kind] === undefined) && !isItemized(usage, price)) {
    return { usage, price: stated };
  }
  const tokens = Object.fromEntries(tokenClasses.map((kind) => [kind, usage[kind]])) as TokenUsage;
  if (usage.imageOutput) tokens.textOutput += usage.imageOutput;
  tokens.cachedInput += (cachedAudio ?? 0) + (cachedImage ?? 0);
  const beside = cachedAudio ? { cachedAudio } : {};
  if (!isItemized(usage, price)) return { usage: tokens, price: stated, ...beside };
  const items = itemsOf(usage, price);
  tokens.textInput += usage.characters ?? 0;
  tokens.audioInput += Math.round((usage.seconds ?? 0) * furtherRatioOf.seconds(price));
  return { usage: tokens, price: { ...stated, kind: 'fixed', modelRatio: 0, modelPrice: itemsTotal(items) }, items, ...beside };
}
