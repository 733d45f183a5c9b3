import { channelTypeInfo, keyPartsOf } from '@tollgate/contracts';
import { UpstreamError } from './upstream-error.ts';

/** The parts of a channel's key. Throws: UpstreamError when it has not the form that its type wants. */
export function keyParts(type: number, key: string): string[] {
  const info = channelTypeInfo(type);
  const parts = info && keyPartsOf(info, key);
  if (parts === undefined) throw wrongKey(info?.keyHint ?? '');
  return parts;
}

/** A key that no call can be made with. */
export function wrongKey(hint: string): UpstreamError {
  const message = `The key of this channel has the wrong form. ${hint}`;
  return new UpstreamError({ kind: 'credentials', status: 401, message, type: 'authentication_error', code: 'invalid_auth' });
}
