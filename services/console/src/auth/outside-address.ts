import { role } from '@tollgate/contracts';
import { AppError, type EgressByOrigin } from '@tollgate/runtime';
import type { Caller } from './caller.ts';

/**
 * Refuses an address that the product is to call by itself (a webhook, a sign-in provider) when it may not be called at all, or
 * when what is sent there could be read on the way: http is for administrators, to hosts that the operator named.
 */
export function refuseInsecure(address: string, caller: Pick<Caller, 'role'>, all: EgressByOrigin): void {
  const egress = all[originOf(caller)];
  const url = egress.check(address);
  if (url.protocol === 'https:') return;
  if (caller.role < role.admin || !egress.names(url)) throw new AppError('address_needs_https');
}

/** By which policy a webhook is called: an administrator's is a service of the operator, anyone else's is what a user typed. */
export function originOf({ role: rank }: Pick<Caller, 'role'>): 'services' | 'users' {
  return rank >= role.admin ? 'services' : 'users';
}
