import { z } from 'zod';
import { applyDue } from '../features/catalog/decide.ts';
import { notePrices } from '../features/catalog/history.ts';
import { syncChannelModels, syncSources } from '../features/catalog/sync.ts';
import { job } from './job.ts';

const hourMs = 3_600_000;
const plain = { data: z.strictObject({}), alone: true, attempts: 3 };

/** Reads the price sources. */
export const syncCatalog = job({
  ...plain,
  name: 'sync-catalog',
  everyMs: ({ options }) => options.values.CatalogSyncHours * hourMs,
  handle: (context, _data, signal) => syncSources(context, signal),
});

/** Compares the models of channels with what their providers list. */
export const syncModels = job({
  ...plain,
  name: 'sync-models',
  everyMs: ({ options }) => options.values.ModelSyncHours * hourMs,
  handle: (context, _data, signal) => syncChannelModels(context, signal),
});

/** Puts approved prices in force when their time has come, and notes each change of a price. */
export const keepPrices = job({
  ...plain,
  name: 'keep-prices',
  everyMs: () => 60_000,
  async handle(context) {
    await applyDue(context);
    await notePrices(context);
  },
});
