import type { Egress, ExchangeOptions } from './egress.ts';
import { AppError } from './errors.ts';

/** Where somebody else fetches in this server's place, and the key by which he knows us; an address of '' is nobody. */
export interface FetchWorker {
  WorkerUrl: string;
  WorkerValidKey: string;
}

type Guard = Pick<Egress, 'check' | 'lookup' | 'names'>;
type Question = Pick<ExchangeOptions, 'method' | 'headers' | 'body'>;

/**
 * What has to be asked, and whom, to have an address asked: the worker, where there is one, in the words that workers of the product family read (`url`, `key`, and of what is no
 * GET `method`, `headers` and `body`, which is JSON). The address is held to the rules of the egress whoever asks it. What the operator named in `EGRESS_ALLOW` is near, and
 * asked by ourselves. Throws: AppError `egress_refused`, `invalid_parameter`.
 */
export async function askedBy(
  egress: Guard,
  { WorkerUrl, WorkerValidKey }: FetchWorker,
  { address, ...question }: Question & { address: string },
): Promise<Question & { address: string }> {
  const url = egress.check(address);
  if (WorkerUrl === '' || egress.names(url)) return { address, ...question };
  if (url.protocol !== 'https:') throw new AppError('invalid_parameter', { reason: 'the worker asks https addresses only' });
  await refuseInside(egress, url.hostname);
  const { method = 'GET', headers, body } = question;
  const asked = {
    url: address,
    key: WorkerValidKey,
    ...(method !== 'GET' && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body: JSON.parse(body.toString()) as unknown }),
  };
  return {
    address: `${WorkerUrl}/`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  };
}

/** A name that leads inside is refused; one that is not known here may be known to the worker. */
function refuseInside(egress: Guard, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    egress.lookup(hostname, { all: true }, (error) => (error instanceof AppError ? reject(error) : resolve()));
  });
}
