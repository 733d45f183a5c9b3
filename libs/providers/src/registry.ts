import { type ChannelType, type ChannelTypeInfo, channelTypeInfo } from '@tollgate/contracts';
import { openaiCompatible } from './openai/compatible.ts';
import type { Provider } from './provider.ts';

function info(type: ChannelType): ChannelTypeInfo {
  const found = channelTypeInfo(type);
  if (found === undefined) throw new Error(`there is no channel type ${type}`);
  return found;
}

/** Channel type -> how it is spoken to. A type whose protocol is not built yet is not here: see `providerOf`. */
export const providers: Partial<Record<ChannelType, Provider>> = {
  1: openaiCompatible(info(1)),
};

/** The provider of a channel type; undefined when none is built for it, which callers are told as `mode_not_supported`. */
export function providerOf(type: ChannelType): Provider | undefined {
  return providers[type];
}
