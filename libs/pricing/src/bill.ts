import type { BillItem, FurtherClass, PriceUsed, TokenUsage, Usage, UsageClass } from '@tollgate/contracts';

/** What a call is charged by: the price as it is recorded, and what pictures, seconds and their like cost. */
export interface CallPrice extends PriceUsed {
  /** How much dearer a token of a picture that is sent in is than one of text. */
  imageRatio?: number;
  /** What a token of sound that was read from a cache costs; what others cost, when it is left out. */
  cachedAudioRatio?: number;
  /** The same of one that is drawn; what text that is written costs, when it is left out. */
  imageCompletionRatio?: number;
  /** What a token of hidden thought costs, where it is not what the answer costs. */
  reasoningRatio?: number;
  /** US dollars a piece. What stands here is paid by the piece also where the price is a fixed one. */
  pieces?: Readonly<Partial<Record<FurtherClass, number>>>;
}

/** How many plain input tokens one token of each class costs as much as. */
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

/** The same of a piece of what was told apart later; the product family's measure where it has no price of its own. */
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

/** What was used, class by class; classes of which there was nothing are left out. */
export function billLines(usage: TokenUsage, price: PriceUsed): BillLine[] {
  return tokenClasses.filter((kind) => usage[kind] > 0).map((kind) => ({ kind, tokens: usage[kind], ratio: ratioOf[kind](price) }));
}

/** Plain input tokens that a US dollar buys at ratio 1. */
const tokensPerDollar = 500_000;

/**
 * What a call costs, in quota, before it is rounded.
 *
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

/** Quota a plain input token, or a call; 0 means that it is free. */
export function rateOf(price: PriceUsed): number {
  if (price.kind === 'fixed') return price.modelPrice * price.groupRatio;
  return price.modelRatio * price.groupRatio * (price.quotaPerUnit / 500_000);
}

/** Whether a bill has to tell its items: the classes and ratios that every event has do not say all of it. */
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
 * All that was used, at what each costs. Cached pictures, as much dearer than cached words as pictures are than words, and cached sound, which is last, stand
 * behind what else was cached, by the same name: events know no other.
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

/** US dollars before the ratio of the group. */
export function itemsTotal(items: readonly BillItem[]): number {
  return items.reduce((sum, { amount, price }) => sum + amount * price, 0);
}

/** What of a call stands in its event. */
export interface Recorded {
  usage: TokenUsage;
  price: PriceUsed;
  items?: BillItem[];
  cachedAudio?: number;
}

const statedPrices = new WeakMap<CallPrice, PriceUsed>();

/** What of a price an event tells. Made once a price, which lives until a setting changes. */
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
 * A call's usage and price in the words of an event, which charge the same for who knows of no items: with items the price is a fixed
 * one, and what is no token is shown as what the product family shows for it.
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
