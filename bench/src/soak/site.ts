import { freePortsInARow, type Installation, startInstallation } from '@tollgate/testing';
import { startProgram } from '../processes.ts';
import { models } from './traffic.ts';

/** The product as a user starts it, with a good provider, one that always fails, and one funded caller. */
export interface Site {
  installation: Installation;
  apiKey: string;
  userId: number;
  grant: number;
  /** The Prometheus port of each service, by name. */
  metricsPorts: Record<string, number>;
  /** Answers that the providers began, whole or in part. */
  providersBegan(): Promise<number>;
  stop(): Promise<void>;
}

const grant = 1_000_000_000_000;
/** Processes with metrics of their own, however many cores there are. */
const mostServices = 16;
const entry = new URL('../../../libs/testing/src/fake-provider-main.ts', import.meta.url).pathname;

export async function startSite(): Promise<Site> {
  const good = await startProvider('provider', {});
  const failing = await startProvider('failing', {
    status: 500,
    json: { error: { message: 'The server had an error', type: 'server_error' } },
  });
  await good.answers({ words: 20, paceMs: 20 }, models.stream);
  await good.answers({ words: 20, paceMs: 20, breakAfter: 10, breakBy: 'destroy' }, models.broken);
  await good.answers({ words: 20, delayMs: 1000 }, models.givesUp);

  const firstMetricsPort = await freePortsInARow(mostServices);
  const installation = await startInstallation({
    METRICS_PORT: String(firstMetricsPort),
    RELAY_PROCESSES: process.env.RELAY_PROCESSES ?? '', // nothing: by the cores, as at every start
    BILLING_PROCESSES: process.env.BILLING_PROCESSES ?? '',
  });
  const { console } = installation;
  const channel = { type: 1, key: 'upstream-key', group: 'default' };
  const everything = [...new Set(Object.values(models))].join(',');
  for (const body of [
    { ...channel, name: 'good', base_url: good.url, models: everything },
    { ...channel, name: 'failing', base_url: failing.url, models: models.failover },
  ])
    await console('/api/channel/', { method: 'POST', body });
  await console('/api/token/', { method: 'POST', body: { name: 'soak', unlimited_quota: true } });
  await console('/api/user/', { method: 'PUT', body: { id: 1, quota: grant } });
  await console('/api/option/', { method: 'PUT', body: { key: 'RetryTimes', value: '2' } });
  const { items } = await console<{ items: { key: string; user_id: number }[] }>('/api/token/?p=1&page_size=10');
  const processes = await installation.processes();
  const services = ['billing', 'relay', 'console'].flatMap((kind) =>
    processes.map(({ name }) => name).filter((name) => name.startsWith(kind)),
  );
  return {
    installation,
    apiKey: `sk-${items[0]?.key}`,
    userId: items[0]?.user_id ?? 0,
    grant,
    metricsPorts: Object.fromEntries(services.map((name, index) => [name, firstMetricsPort + index])),
    providersBegan: async () => (await good.began()) + (await failing.began()),
    async stop() {
      await installation.stop();
      for (const provider of [good, failing]) await provider.stop();
    },
  };
}

async function startProvider(name: string, script: object) {
  const program = await startProgram(name, entry, {
    env: { PORT: '0', KEEP_CALLS: 'false', SCRIPT: JSON.stringify(script) },
    readyWords: /http:\S+/,
  });
  const url = program.words.trim();
  return {
    url,
    answers: (answer: object, model: string) =>
      fetch(`${url}/__script`, { method: 'POST', body: JSON.stringify({ script: answer, model }) }),
    async began() {
      const { totals } = (await (await fetch(`${url}/__seen`)).json()) as { totals: { full: number; partial: number; open: number } };
      return totals.full + totals.partial + totals.open;
    },
    stop: () => program.stop(),
  };
}
