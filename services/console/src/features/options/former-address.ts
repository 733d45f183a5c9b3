import type { OptionKey } from '@tollgate/contracts';
import type { Context } from '../../context.ts';

const hostOf = (address: string): string | undefined => URL.parse(address)?.hostname;

/**
 * What `FormerServerAddress` becomes when `ServerAddress` changes in a request to `host`: the address by which whoever changes it reached us. Undefined
 * where it stays, as it does while they still come by an older one.
 */
export function formerAddressAfter(
  { options }: Pick<Context, 'options'>,
  changes: ReadonlyMap<OptionKey, string | undefined>,
  host: string | undefined,
): string | undefined {
  const { ServerAddress } = options.values;
  if (!changes.has('ServerAddress') || changes.has('FormerServerAddress')) return undefined;
  if (ServerAddress === '' || hostOf(`http://${host}`) !== hostOf(ServerAddress)) return undefined;
  return hostOf(changes.get('ServerAddress') ?? '') === hostOf(ServerAddress) ? undefined : ServerAddress;
}

/** Whether root has reached us by the new address, so that the former one is needed no more. */
export function isNewAddressSeen({ options }: Pick<Context, 'options'>, host: string | undefined): boolean {
  const { ServerAddress, FormerServerAddress } = options.values;
  return FormerServerAddress !== '' && hostOf(`http://${host}`) === hostOf(ServerAddress);
}
