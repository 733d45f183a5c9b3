import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeProvider, freePortsInARow, gaugeAt, type Installation, startFakeProvider, startInstallation } from '@tollgate/testing';
import { type Db, MongoClient } from 'mongodb';

/** An installation with a provider behind it and one funded caller. */
export interface Site {
  installation: Installation;
  provider: FakeProvider;
  apiKey: string;
  userId: number;
  grant: number;
  /** The settings that it was started with: an installation with the same shows its figures here, too. */
  env: Record<string, string>;
  /** The ports of their Prometheus doors; of several, the first. */
  doors: Record<'billing' | 'relay' | 'console', number>;
  /** A figure as the Prometheus doors show it. */
  gauge(of: 'billing' | 'relay', name: string): Promise<number>;
  /** The end of what each process logged, for whoever must find out why. */
  lastWords(): Promise<string>;
  stop(): Promise<void>;
}

export const model = 'gpt-4o-mini';

/** `grant` is the caller's balance in quota. Its token is limited to the same, so that both kinds of wallet are charged. */
export async function startSite(env: Record<string, string> = {}, grant = 1_000_000_000): Promise<Site> {
  const provider = await startFakeProvider();
  const [billings, relays] = [Number(env.BILLING_PROCESSES ?? 1), Number(env.RELAY_PROCESSES ?? 1)];
  const metrics = await freePortsInARow(billings + relays + 1); // in this order, the console last
  const doors = { billing: metrics, relay: metrics + billings, console: metrics + billings + relays };
  const settings = { METRICS_PORT: String(metrics), ...env };
  const installation = await startInstallation(settings).catch(async (error: Error) => {
    await provider.close();
    throw error;
  });
  const channel = { name: 'fake', type: 1, key: 'upstream-key', base_url: provider.url, models: model, group: 'default' };
  await installation.console('/api/channel/', { method: 'POST', body: channel });
  await installation.console('/api/token/', { method: 'POST', body: { name: 'faults', remain_quota: grant } });
  await installation.console('/api/user/', { method: 'PUT', body: { id: 1, quota: grant } });
  const { items } = await installation.console<{ items: { key: string; user_id: number }[] }>('/api/token/?p=1&page_size=10');
  const [token] = items;
  if (!token) throw new Error('the token was not made');
  return {
    installation,
    provider,
    apiKey: `sk-${token.key}`,
    userId: token.user_id,
    grant,
    env: settings,
    doors,
    gauge: (of, name) => gaugeAt(doors[of], name),
    async lastWords() {
      const logs = join(installation.dataDir, 'logs');
      const ends = (await readdir(logs)).map(async (file) => {
        const lines = (await readFile(join(logs, file), 'utf8')).trimEnd().split('\n').slice(-15);
        return `--- ${file}\n${lines.join('\n')}\n`;
      });
      return (await Promise.all(ends)).join('');
    },
    async stop() {
      await installation.stop();
      await provider.close();
    },
  };
}

/** Reads or writes in the database of a site, beside the services. */
export async function inDatabase<T>(site: Site, read: (database: Db) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(site.installation.mongodbUri);
  try {
    return await read(client.db());
  } finally {
    await client.close();
  }
}
