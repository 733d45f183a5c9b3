import { optionValue, optionValues } from '@tollgate/contracts';
import { factsOf, useCatalog } from '@tollgate/contracts/catalog';
import { ImportModel, OptionModel } from '@tollgate/db';
import { openOptions } from '@tollgate/options';
import { priceOf, pricesFrom } from '@tollgate/pricing';
import type { Egress } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { Passwords } from '../auth/passwords.ts';
import { importBudgets } from './import-budgets.ts';
import { importChannels } from './import-channels.ts';
import { importCodes } from './import-codes.ts';
import { importLogs } from './import-logs.ts';
import { importOptions } from './import-options.ts';
import { importPasskeys } from './import-passkeys.ts';
import { importTokens } from './import-tokens.ts';
import { importTopUps } from './import-top-ups.ts';
import { importUsers } from './import-users.ts';
import { keepIds } from './places.ts';
import { emptyReport, type Report } from './report.ts';
import { type LogChoice, noteChange, noteLeftOut, type Run } from './run.ts';
import { readSecondSteps } from './second-steps.ts';
import { numbersOf, otherTables, type Product, productOf, type Source } from './source.ts';

export interface ImportRequest {
  source: Source;
  /** Default: the product's name. */
  name?: string | undefined;
  apply: boolean;
  logs: LogChoice;
  /** To be filled; it can be read meanwhile. */
  report?: Report | undefined;
  wallet: Wallet;
  passwords: Passwords;
  egress: Egress;
}

/**
 * Takes over another gateway's database, or says what it would take over. It may be repeated: what is here already stays, what is new at the
 * source comes, and balances follow the source. Throws an Error where the source is none, or another one was imported under the name.
 */
export async function runImport({ source, name, ...request }: ImportRequest): Promise<{ report: Report; product: Product; name: string }> {
  const product = productOf(source);
  const run: Run = {
    ...request,
    source,
    product,
    name: name ?? product,
    report: request.report ?? emptyReport(),
    startedAt: new Date(),
    ranges: [],
    userIds: new Map(),
    usernames: new Map(),
    tokens: new Map(),
    secondSteps: new Map(),
    groups: new Set(),
    models: new Set(),
    options: new Map(),
  };
  await begin(run);
  await keepIds(run);
  await importOptions(run);
  const groups = run.options.get('GroupRatio') ?? (await OptionModel.findById('GroupRatio').lean())?.value;
  run.groups = new Set(Object.keys(optionValue('GroupRatio', groups ?? undefined)));
  await noteUnit(run);
  run.secondSteps = await readSecondSteps(run);
  await importUsers(run);
  await importTokens(run);
  await importChannels(run);
  await notePrices(run);
  await importBudgets(run);
  await importPasskeys(run);
  await importCodes(run);
  await importTopUps(run);
  await importLogs(run);
  run.report.changed.push(...(source.notes?.changed ?? []));
  run.report.leftOut.push(...(source.notes?.leftOut ?? []));
  await noteTables(run);
  if (run.apply) await ImportModel.updateOne({ _id: run.name, finishedAt: null }, { $set: { finishedAt: new Date() } });
  return { report: run.report, product, name: run.name };
}

async function begin(run: Run): Promise<void> {
  const stored = await ImportModel.findById(run.name).lean();
  if (stored && stored.product !== run.product)
    throw new Error(`${stored.product} was imported under the name ${run.name}. Give this source a name of its own: --name second.`);
  if (stored) run.startedAt = stored.startedAt;
  else if (run.apply) await ImportModel.create({ _id: run.name, product: run.product, startedAt: run.startedAt });
}

/** Quota units are taken over as they are: where a dollar is worth another number of them, balances are worth other dollars. */
async function noteUnit(run: Run): Promise<void> {
  const [row] = await run.source.select(`SELECT "value" FROM "options" WHERE "key" = 'QuotaPerUnit'`);
  const there = Number(row?.value ?? 500_000);
  const here = Number(
    optionValue('QuotaPerUnit', (await OptionModel.findById('QuotaPerUnit').lean())?.value ?? run.options.get('QuotaPerUnit')),
  );
  if (there !== here)
    noteChange(run, 'option', {
      which: 'QuotaPerUnit',
      text: `a dollar is ${there} quota at the source and ${here} here: balances keep their quota, not their dollars`,
    });
}

/** Names the models that calls are refused for: those without a price here. */
async function notePrices(run: Run): Promise<void> {
  const stored = (await openOptions()).stored;
  const options = optionValues(new Map<string, string>([...run.options, ...stored]));
  useCatalog(options.ModelCatalog);
  const tables = pricesFrom(options, factsOf);
  const unpriced = [...run.models].filter((model) => priceOf(model, { group: 'default', atMs: Date.now() }, tables) === undefined);
  for (const which of unpriced.sort())
    noteChange(run, 'model', { which, text: 'it has no price here: its calls are refused until it has one' });
}

async function noteTables(run: Run): Promise<void> {
  for (const table of otherTables(run.source)) {
    const { rows = 0 } = await numbersOf(run.source, `SELECT COUNT(*) AS "rows" FROM "${table}"`);
    if (rows > 0) noteLeftOut(run, 'table', { which: table, text: `${rows} rows stay at the source` });
  }
}
