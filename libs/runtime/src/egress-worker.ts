import type { Egress, ExchangeOptions } from './egress.ts';
import type { EgressByOrigin } from './egress-by-origin.ts';
import { AppError } from './errors.ts';

/** An operator's service that fetches instead of this server, and its key. An empty address: none. */
export interface FetchWorker {
  WorkerUrl: string;
  WorkerValidKey: string;
}

type Question = Pick<ExchangeOptions, 'method' | 'headers' | 'body'>;

interface Asking {
  egress: EgressByOrigin;
  /** The origin of the address. */
  origin: 'channels' | 'services' | 'users';
  worker: FetchWorker;
}

/**
 * Builds the request for an address and selects its egress. If there is a worker, it fetches, in the format of workers of the one-api
 * family (`url`, `key`, and for other methods than GET `method`, `headers` and a JSON `body`). The rules of the origin apply either way.
 * Addresses on the origin's allow list are fetched directly. Throws: AppError `egress_refused`, `invalid_parameter`.
 */
export async function askedBy(
  { egress, origin, worker }: Asking,
  { address, ...question }: Question & { address: string },
): Promise<Question & { address: string; by: Egress }> {
  const own = egress[origin];
  const url = own.check(address);
  if (worker.WorkerUrl === '' || own.names(url)) return { by: own, address, ...question };
  if (url.protocol !== 'https:') throw new AppError('invalid_parameter', { reason: 'the worker asks https addresses only' });
  await refuseInside(own, url.hostname);
  const { method = 'GET', headers, body } = question;
  const asked = {
    url: address,
    key: worker.WorkerValidKey,
    ...(method !== 'GET' && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body: JSON.parse(body.toString()) as unknown }),
  };
  return {
    by: egress.services,
    address: `${worker.WorkerUrl}/`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  };
}

/** Refuses names that resolve to internal addresses. The worker may know a name that does not resolve here. */
function refuseInside(egress: Egress, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    egress.lookup(hostname, { all: true }, (error) => (error instanceof AppError ? reject(error) : resolve()));
  });
}
