import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';

/** The metrics of this process. */
export const metrics = new Registry();

/** Serves `/metrics` on a port of its own, so that it is never public by accident; port 0 serves nothing. */
export async function startMetricsServer({ port, host = '0.0.0.0' }: { port: number; host?: string }): Promise<{ stop(): Promise<void> }> {
  if (port === 0) return { stop: async () => {} };
  collectDefaultMetrics({ register: metrics });
  const server: Server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
