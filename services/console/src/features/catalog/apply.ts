import { type ModelCatalog, type ModelEntry, overlaid } from '@tollgate/contracts/catalog';
import { OptionModel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { Conflict } from '../../row-change.ts';
import { updateOption } from '../options/service.ts';
import { lostPrices } from './candidates.ts';

const mostTries = 5;
/** Characters of the stored catalog. */
const longest = 4_000_000;

/**
 * Lays a catalog over the operator's, unless a model that is offered would lose its price by it: entries of such models are left out. Tried again
 * where somebody else changes the option at the same time. Returns the names of the models whose entries were left out.
 */
export async function applyCatalog(context: Context, over: ModelCatalog, actor: Caller): Promise<string[]> {
  if (over.models.length + Object.keys(over.families).length === 0) return [];
  const offered = [...(await context.offered.read()).keys()];
  for (let left = mostTries; ; left -= 1) {
    const row = await OptionModel.findById('ModelCatalog').select('version').lean();
    await context.options.read(new Set(['ModelCatalog']));
    const before = context.options.values;
    const { catalog, refused } = safely(
      over,
      (next) => lostPrices(before, { ...before, ModelCatalog: next }, offered),
      before.ModelCatalog,
    );
    const value = JSON.stringify(catalog);
    if (value === JSON.stringify(before.ModelCatalog)) return refused;
    if (value.length > longest) throw new AppError('invalid_input', { reason: 'the catalog becomes too long' });
    try {
      const wanted = { key: 'ModelCatalog', value, version: row?.version ?? 0 };
      await updateOption(context, wanted, { actor, language: 'en', host: undefined, confirm: true });
      return refused;
    } catch (error) {
      if (!(error instanceof Conflict) || left <= 1) throw error;
    }
  }
}

function safely(
  over: ModelCatalog,
  lost: (next: ModelCatalog) => string[],
  base: ModelCatalog,
): { catalog: ModelCatalog; refused: string[] } {
  const whole = overlaid(base, over);
  const gone = new Set(lost(whole));
  if (gone.size === 0) return { catalog: whole, refused: [] };
  const isKept = ({ name }: ModelEntry) => !gone.has(name) && !name.endsWith('*');
  const kept = overlaid(base, { families: {}, models: over.models.filter(isKept) });
  return lost(kept).length === 0 ? { catalog: kept, refused: [...gone] } : { catalog: base, refused: over.models.map(({ name }) => name) };
}
