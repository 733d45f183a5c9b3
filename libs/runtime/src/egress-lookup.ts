import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { AddressPolicy } from './egress-policy.ts';
import type { AppError } from './errors.ts';

/** A DNS lookup that returns only allowed addresses. */
export type CheckedLookup = (hostname: string, options: { all?: boolean; family?: number | string }, callback: LookupCallback) => void;
type LookupCallback = (error: Error | null, address: LookupAddress[] | string, family?: number) => void;

type LookUp = (hostname: string, family: number, tell: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** Uses the operating system, on the small shared thread pool. */
export const lookUpShared: LookUp = (hostname, family, tell) => lookUp(hostname, { family, all: true }, tell);

/** Queries the name servers directly, without blocking a thread. */
export function lookUpApart(timeoutMs: number): LookUp {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  return (hostname, _family, tell) => {
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    void Promise.allSettled(asked).then((answers) => {
      const addresses = answers.flatMap((answer, at) =>
        answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
      );
      const [first] = answers;
      const failure = first?.status === 'rejected' ? (first.reason as Error) : new Error(`no address of ${hostname}`);
      tell(addresses.length === 0 ? failure : null, addresses);
    });
  };
}

/** A name that the operator allows may be known to this machine only. */
export function checkedLookup(policy: AddressPolicy, ask: LookUp, refused: (host: string) => AppError): CheckedLookup {
  return (hostname, options, callback) => {
    const by = policy.allowsName(hostname) ? lookUpShared : ask;
    by(hostname, Number(options.family) || 0, (error, addresses) => {
      if (error) return callback(error, '');
      const forbidden = !policy.allowsName(hostname) && addresses.some(({ address }) => !policy.allowsAddress(address));
      const [first] = addresses;
      if (forbidden || !first) return callback(refused(hostname), '');
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
