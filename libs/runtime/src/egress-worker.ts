import type { Egress, ExchangeOptions } from './egress.ts';
import type { EgressByOrigin } from './egress-by-origin.ts';
import { AppError } from './errors.ts';

/** A service of the operator's that fetches in this server's place, and the key by which it knows us; an address of '' is none. */
export interface FetchWorker {
  WorkerUrl: string;
  WorkerValidKey: string;
}

type Question = Pick<ExchangeOptions, 'method' | 'headers' | 'body'>;

interface Asking {
  egress: EgressByOrigin;
  /** Who typed the address. */
  origin: 'channels' | 'services' | 'users';
  worker: FetchWorker;
}

/**
 * What to send, and through which egress, to have an address asked: the worker, where there is one, in the format that workers of the product family read (`url`, `key`, and of what is no
 * GET `method`, `headers` and `body`, which is JSON). The address is held to the rules of its origin whoever asks it. What that origin's allow list names is near, and
 * asked directly. Throws: AppError `egress_refused`, `invalid_parameter`.
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

/** A name that leads inside is refused; one that is not known here may be known to the worker. */
function refuseInside(egress: Egress, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    egress.lookup(hostname, { all: true }, (error) => (error instanceof AppError ? reject(error) : resolve()));
  });
}
