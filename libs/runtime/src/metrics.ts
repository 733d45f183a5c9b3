import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { closeServer } from './close-server.ts';
import { listen } from './listen.ts';

export { Counter, Gauge, Histogram } from 'prom-client';

const slowestReadMs = 2_000;
const stopGraceMs = 1_000;

/** The metrics of this process. */
export const metrics = new Registry();

/**
 * Registers a gauge that is read on each scrape and replaces one of the same name. A source that fails or takes longer than 2 s shows NaN:
 * the last value would hide the problem, and a scrape must not hang.
 */
export function exposeGauge(name: string, help: string, read: () => number | Promise<number>): void {
  metrics.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    registers: [metrics],
    async collect() {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<number>((resolve) => {
        timer = setTimeout(resolve, slowestReadMs, Number.NaN);
      });
      this.set(
        await Promise.race([
          Promise.resolve()
            .then(read)
            .catch(() => Number.NaN),
          silence,
        ]),
      );
      clearTimeout(timer);
    },
  });
}

/**
 * Serves `/metrics` on its own address and port, so that it is never public by accident; port 0 disables it. Rejects with the names of the
 * settings.
 */
export async function startMetricsServer({ port, host }: { port: number; host: string }): Promise<{ stop(): Promise<void> }> {
  if (port === 0) return { stop: async () => {} };
  collectDefaultMetrics({ register: metrics });
  const server: Server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
  });
  await listen(server, { address: port, host }).catch((error: Error) => {
    throw new Error(`METRICS_PORT (or METRICS_HOST): ${error.message}`, { cause: error });
  });
  return { stop: () => closeServer(server, stopGraceMs) };
}
