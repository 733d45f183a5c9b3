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

/** What a class costs where the list does not name it: the price of another class, and how many times that. */
const insteadOf: Partial<Record<PriceClass, { kind: PriceClass; times?: number }>> = {
  cacheRead: { kind: 'input' },
  cacheWrite: { kind: 'input' },
  cacheWrite1h: { kind: 'cacheWrite', times: hourOfWrite },
  audioInput: { kind: 'input' },
  audioOutput: { kind: 'output' },
  audioCacheRead: { kind: 'cacheRead' },
  imageInput: { kind: 'input' },
  imageOutput: { kind: 'output' },
  reasoning: { kind: 'output' },
};

/** US dollars of a class by the list, named or not. */
function dollarsOf(list: ListPrice, kind: PriceClass): number {
  const stated = list[kind];
  if (stated !== undefined) return stated;
  const instead = insteadOf[kind];
  if (instead === undefined) return 0;
  // Without a price of writes, those of an hour cost what input does, too.
  const times = list[instead.kind] === undefined ? 1 : (instead.times ?? 1);
  return dollarsOf(list, instead.kind) * times;
}

/** Factors of a variant relative to the list. Classes that it does not name change with input or output, or with the class whose price they have. */
export function factorsOf(list: ListPrice, variant: PriceVariant): ClassFactors {
  const factor = (kind: PriceClass): number | undefined => {
    const dollars = variant[kind];
    const before = dollarsOf(list, kind);
    return dollars === undefined || before === 0 ? undefined : dollars / before;
  };
  const changeOf = (kind: PriceClass): number => {
    const named = variant.times ?? factor(kind);
    if (named !== undefined) return named;
    if (kind === 'input' || kind === 'output') return 1;
    const usual = outputs.has(kind) ? 'output' : 'input';
    return changeOf(list[kind] === undefined || kind === 'cacheWrite1h' ? (insteadOf[kind]?.kind ?? usual) : usual);
  };
  return Object.fromEntries(priceClasses.map((kind) => [kind, changeOf(kind)])) as Record<PriceClass, number>;
}

/** The same factor for all classes. */
export function evenFactors(times: number): ClassFactors {
  return Object.fromEntries(priceClasses.map((kind) => [kind, times])) as Record<PriceClass, number>;
}

/** The price with each class multiplied by its factor. Prices per call or piece use the input factor. */
export function timesFactors(price: CallPrice, by: ClassFactors): CallPrice {
  const { modelRatio, modelPrice, pieces, imageRatio, imageCompletionRatio, cachedAudioRatio, reasoningRatio } = price;
  const against = (ratio: number, factor: number, of = by.input) => (of === 0 ? ratio : (ratio * factor) / of);
  // A class without a price of its own gets one when it changes otherwise than the class whose price it has.
  const beside = (ratio: number | undefined, base: number, [kind, of]: [PriceClass, PriceClass]) =>
    ratio === undefined && by[kind] === by[of] ? undefined : against(ratio ?? base, by[kind]);
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
    imageRatio: beside(imageRatio, 1, ['imageInput', 'input']),
    imageCompletionRatio: beside(imageCompletionRatio, price.completionRatio, ['imageOutput', 'output']),
    cachedAudioRatio: beside(cachedAudioRatio, price.cacheRatio, ['audioCacheRead', 'cacheRead']),
    reasoningRatio: beside(reasoningRatio, price.completionRatio, ['reasoning', 'output']),
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

/**
 * The time around an instant in which no variant begins or ends. A bound may be a midnight at which nothing changes where no change lies
 * within a day of the instant, and is left out where there is none.
 */
export function periodAround(conditions: readonly PriceCondition[], atMs: number): { fromMs?: number; untilMs?: number } {
  const midnight = atMs - (atMs % dayMs);
  const days = [midnight - dayMs, midnight, midnight + dayMs];
  const bounds = conditions.flatMap((condition) => {
    const { from, until, hours = [], weekdays } = condition;
    const instants = [
      ...[from, until].flatMap((one) => (one === undefined ? [] : [Date.parse(one)])),
      ...hours.flat().flatMap((clock) => days.map((day) => day + msOf(clock))),
      ...(weekdays === undefined ? [] : [midnight, midnight + dayMs]),
    ];
    const isChange = (at: number) =>
      Math.abs(at - midnight - dayMs / 2) < 1.5 * dayMs && isInTime(condition, at) !== isInTime(condition, at - 1);
    return instants.map((at) => ({ at, isChange: isChange(at) }));
  });
  const past = nearest(bounds.filter(({ at }) => at <= atMs));
  const coming = nearest(bounds.filter(({ at }) => at > atMs));
  return { ...(past.length > 0 && { fromMs: Math.max(...past) }), ...(coming.length > 0 && { untilMs: Math.min(...coming) }) };
}

/** The instants at which something changes, of the days around, whose instants are all known; where nothing changes then, all instants. */
function nearest(bounds: readonly { at: number; isChange: boolean }[]): number[] {
  const changes = bounds.filter(({ isChange }) => isChange);
  return (changes.length > 0 ? changes : bounds).map(({ at }) => at);
}
