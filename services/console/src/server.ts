import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerHealth, type HealthChecks } from '@tollgate/runtime';
import type { Express } from 'express';
import type { RelayProxy } from './relay-proxy.ts';

export interface ConsoleServer {
  port: number;
  /** Lets requests at work end, for at most `graceMs`; long streams to the relay are cut after that. */
  stop(graceMs?: number): Promise<void>;
}

/** One port for all: health, the relay's paths, then the console. */
export async function startServer({
  app,
  proxy,
  health,
  port,
  host,
}: {
  app: Express;
  proxy: RelayProxy;
  health: HealthChecks;
  port: number;
  host: string;
}): Promise<ConsoleServer> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    if (proxy.handles(request, response) || answerHealth(request, response, health)) return;
    app(request, response);
  });
  server.on('upgrade', (request, socket, head) => proxy.upgrade(request, socket as Socket, head));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, stop: (graceMs = 10_000) => stop(server, graceMs) };
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
