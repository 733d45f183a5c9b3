import { optionValues } from '@tollgate/contracts';
import { builtInCatalog } from '@tollgate/contracts/catalog';
import { settingsFrom } from '../src/context/settings.ts';

/**
 * What a catalog of root's keeps in a relay's memory: its text, what was read in it, and the price and limits of each of its models, all looked up.
 * `node --expose-gc services/relay/bench/catalog-memory.ts 2000` prints MB. The entries are those of the built-in catalog under other names.
 */
const count = Number(process.argv[2] ?? 2000);

function catalogText(): string {
  const { models } = builtInCatalog;
  const many = Array.from({ length: count }, (_, at) => ({ ...models[at % models.length], name: `model-${at}` }));
  return JSON.stringify({ version: 1, families: {}, models: many });
}

/** The least of several collections: what is garbage is no cost. */
function heapMb(): number {
  const collect = global.gc;
  if (collect === undefined) throw new Error('run it with --expose-gc');
  const sizes = [0, 1, 2, 3].map(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  });
  return Math.min(...sizes) / 1e6;
}

async function settingsOf(stored: ReadonlyMap<'ModelCatalog', string>) {
  const settings = await settingsFrom(optionValues(stored));
  const models = settings.options.ModelCatalog.models.map(({ name }) => name);
  const priced = models.filter((model) => settings.price(model, 'default', Date.now()) !== undefined).length;
  for (const model of models) settings.maxOutput(model);
  return { settings, priced, stored };
}

const without = await settingsOf(new Map());
const bytes = Buffer.from(catalogText());
const before = heapMb();
const withCatalog = await settingsOf(new Map([['ModelCatalog', bytes.toString()]]));
const mb = heapMb() - before;
process.stdout.write(`${JSON.stringify({ models: count, priced: withCatalog.priced - without.priced, mb: Number(mb.toFixed(2)) })}\n`);
