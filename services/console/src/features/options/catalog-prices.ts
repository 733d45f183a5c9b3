import type { Language, OptionValues } from '@tollgate/contracts';
import { builtInCatalog, openCatalog, overlaid } from '@tollgate/contracts/catalog';
import { type Price, pricesFrom, pricesOf } from '@tollgate/pricing';

/** A price may rise or fall by this share without confirmation. */
const quietShare = 0.1;
const mostNamed = 20;

type Tables = ReturnType<typeof pricesFrom>;

/** The prices of a set of options, with the catalog that these options lay over the built-in one. */
export function tablesOf(options: OptionValues): Tables {
  const { facts } = openCatalog(overlaid(builtInCatalog, options.ModelCatalog, { byOperator: true }));
  return pricesFrom(options, facts);
}

/**
 * What a new catalog makes of prices, in words: each model of which a price per million tokens or per call rises or falls by more than a tenth, or
 * vanishes. Empty where the catalog does not change. Considers offered models and all that either catalog names.
 */
export function catalogPriceChanges(
  { before, after }: { before: OptionValues; after: OptionValues },
  offered: readonly string[],
): Record<Language, string>[] {
  if (before.ModelCatalog === after.ModelCatalog) return [];
  const named = [before, after].flatMap(({ ModelCatalog }) => ModelCatalog.models.map(({ name }) => name));
  const models = [...new Set([...offered, ...named.filter((name) => !name.endsWith('*'))])].sort();
  const asked = { group: '', atMs: Date.now() };
  const [had, has] = [tablesOf(before), tablesOf(after)];
  const changes = models.flatMap((model) => {
    const [then, now] = [pricesOf(model, asked, had), pricesOf(model, asked, has)];
    return then === undefined ? [] : changesOf(model, then, now);
  });
  if (changes.length === 0) return [];
  const shown = `${changes.slice(0, mostNamed).join(', ')}${changes.length > mostNamed ? ', …' : ''}`;
  return [
    {
      en: `the catalog would change ${changes.length} prices by more than 10 %: ${shown}`,
      zh: `模型目录将使 ${changes.length} 项价格变动超过 10%：${shown}`,
    },
  ];
}

function changesOf(model: string, then: Price, now: Price | undefined): string[] {
  if (now === undefined) return [`${model} → –`];
  const [old, next] = [dollarsOf(then), dollarsOf(now)];
  const kinds = [...new Set([...old.keys(), ...next.keys()])];
  return kinds.flatMap((kind) => {
    const [was, is] = [old.get(kind), next.get(kind)];
    if (was === is || (was !== undefined && is !== undefined && Math.abs(is - was) <= was * quietShare)) return [];
    const share = was ? ` (${is !== undefined && is > was ? '+' : ''}${Math.round((((is ?? 0) - was) / was) * 100)} %)` : '';
    return [`${model} ${kind} $${was ?? '–'} → $${is ?? '–'}${share}`];
  });
}

/** US dollars by class, for a million tokens or a call, of the ordinary price, of long prompts and of request fields. */
export function dollarsOf({ ordinary, tiers = [], modes }: Price): Map<string, number> {
  const all = new Map<string, number>();
  const add = (kind: string, dollars: number | undefined) => {
    if (dollars !== undefined) all.set(kind, Number(dollars.toPrecision(6)));
  };
  for (const [kind, dollars] of Object.entries(ordinary.pieces ?? {})) add(`per ${kind}`, dollars);
  if (ordinary.kind === 'fixed') {
    add('call', ordinary.modelPrice);
    return all;
  }
  for (const [where, price] of [['', ordinary] as const, ...tiers.map(({ above, price }) => [` >${above}`, price] as const)]) {
    const input = price.modelRatio * 2;
    add(`input${where}`, input);
    add(`output${where}`, input * price.completionRatio);
    add(`cache read${where}`, input * price.cacheRatio);
    add(`cache write${where}`, input * price.cacheWrite5mRatio);
    add(`audio input${where}`, input * price.audioRatio);
    add(`image input${where}`, price.imageRatio === undefined ? undefined : input * price.imageRatio);
    add(`image output${where}`, price.imageCompletionRatio === undefined ? undefined : input * price.imageCompletionRatio);
  }
  for (const [field, factors] of modes ?? []) {
    for (const [kind, times] of Object.entries(factors)) if (typeof times === 'number') add(`${field} ${kind} ×`, times);
  }
  return all;
}
