import { type ListPrice, type PriceClass, type PriceCondition, type PriceVariant, priceClasses } from '@tollgate/contracts/catalog/schema';
import type { CallPrice } from './bill.ts';

/** Multiple of the ordinary price, by class. */
export type ClassFactors = Readonly<Record<PriceClass, number>>;

const ratioPerDollar = 0.5; // ratio 1 is 2 US dollars per million tokens

/** Providers that distinguish one-hour cache writes charge 2 x the input price for them, and 1.25 x for five minutes. */
const hourOfWrite = 1.6;

const outputs = new Set<PriceClass>(['output', 'audioOutput', 'imageOutput', 'reasoning']);

/** Converts a list price to the price of a call, before variants and groups. */
export function listedPrice(list: ListPrice, shared: Pick<CallPrice, 'groupRatio' | 'quotaPerUnit'>): CallPrice {
  const { input = 0, output = 0, call, pieces } = list;
  const per = (dollars: number | undefined, of = input) => (dollars === undefined || of === 0 ? undefined : dollars / of);
  const { cacheWrite, audioInput = input } = list;
  const write = per(cacheWrite) ?? 1;
  return {
    kind: call === undefined ? 'ratio' : 'fixed',
    modelRatio: call === undefined ? input * ratioPerDollar : 0,
    modelPrice: call ?? 0,
    completionRatio: per(output) ?? 1,
    cacheRatio: per(list.cacheRead) ?? 1,
    cacheWrite5mRatio: write,
    cacheWrite1hRatio: per(list.cacheWrite1h) ?? (cacheWrite === undefined ? 1 : write * hourOfWrite),
    audioRatio: per(audioInput) ?? 1,
    audioCompletionRatio: per(list.audioOutput ?? output, audioInput) ?? 1,
    cachedAudioRatio: per(list.audioCacheRead),
    imageRatio: per(list.imageInput),
    imageCompletionRatio: per(list.imageOutput),
    reasoningRatio: per(list.reasoning),
    pieces,
    ...shared,
  };
}

/** Factors of a variant relative to the list. Classes that it does not name change with input or output. */
export function factorsOf(list: ListPrice, variant: PriceVariant): ClassFactors {
  const factor = (kind: PriceClass): number | undefined => {
    const dollars = variant[kind];
    return dollars === undefined || !list[kind] ? undefined : dollars / list[kind];
  };
  const [input, output] = [variant.times ?? factor('input') ?? 1, variant.times ?? factor('output') ?? 1];
  const usual = (kind: PriceClass) => {
    if (kind === 'cacheWrite1h') return factor('cacheWrite') ?? input;
    return outputs.has(kind) ? output : input;
  };
  return Object.fromEntries(priceClasses.map((kind) => [kind, variant.times ?? factor(kind) ?? usual(kind)])) as Record<PriceClass, number>;
}

/** The same factor for all classes. */
export function evenFactors(times: number): ClassFactors {
  return Object.fromEntries(priceClasses.map((kind) => [kind, times])) as Record<PriceClass, number>;
}

/** The price with each class multiplied by its factor. Prices per call or piece use the input factor. */
export function timesFactors(price: CallPrice, by: ClassFactors): CallPrice {
  const { modelRatio, modelPrice, pieces, imageRatio, imageCompletionRatio, cachedAudioRatio, reasoningRatio } = price;
  const against = (ratio: number, factor: number, of = by.input) => (of === 0 ? ratio : (ratio * factor) / of);
  const dearer = pieces && Object.fromEntries(Object.entries(pieces).map(([kind, dollars]) => [kind, dollars * by.input]));
  return {
    ...price,
    modelRatio: modelRatio * by.input,
    modelPrice: modelPrice * by.input,
    completionRatio: against(price.completionRatio, by.output),
    cacheRatio: against(price.cacheRatio, by.cacheRead),
    cacheWrite5mRatio: against(price.cacheWrite5mRatio, by.cacheWrite),
    cacheWrite1hRatio: against(price.cacheWrite1hRatio, by.cacheWrite1h),
    audioRatio: against(price.audioRatio, by.audioInput),
    audioCompletionRatio: against(price.audioCompletionRatio, by.audioOutput, by.audioInput),
    imageRatio: imageRatio && against(imageRatio, by.imageInput),
    imageCompletionRatio: imageCompletionRatio && against(imageCompletionRatio, by.imageOutput),
    cachedAudioRatio: cachedAudioRatio && against(cachedAudioRatio, by.audioCacheRead),
    reasoningRatio: reasoningRatio && against(reasoningRatio, by.reasoning),
    pieces: dearer,
  };
}

const dayMs = 86_400_000;

/** Whether a variant applies at an instant (ms since 1970), by dates, days and hours. Other conditions are ignored. */
export function isInTime({ from, until, hours, weekdays }: PriceCondition, atMs: number): boolean {
  if (from !== undefined && atMs < Date.parse(from)) return false;
  if (until !== undefined && atMs >= Date.parse(until)) return false;
  if (weekdays !== undefined && !weekdays.includes(new Date(atMs).getUTCDay())) return false;
  const ofDay = atMs % dayMs;
  return hours === undefined || hours.some(([begin, end]) => isWithin(ofDay, msOf(begin), msOf(end)));
}

function isWithin(at: number, begin: number, end: number): boolean {
  return begin < end ? at >= begin && at < end : at >= begin || at < end;
}

function msOf(clock: string): number {
  return (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))) * 60_000;
}

/** The next instant at which the price changes with time; undefined when it never does. */
export function nextChange(conditions: readonly PriceCondition[], atMs: number): number | undefined {
  const midnight = atMs - (atMs % dayMs);
  const instants = conditions.flatMap(({ from, until, hours = [], weekdays }) => [
    ...[from, until].flatMap((one) => (one === undefined ? [] : [Date.parse(one)])),
    ...hours.flat().flatMap((clock) => [midnight + msOf(clock), midnight + dayMs + msOf(clock)]),
    ...(weekdays === undefined ? [] : [midnight + dayMs]),
  ]);
  const coming = instants.filter((one) => one > atMs);
  return coming.length === 0 ? undefined : Math.min(...coming);
}
