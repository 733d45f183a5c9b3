import { type ChannelTypeInfo, channelTypes } from '@tollgate/contracts';
import { providerOf } from '@tollgate/providers';
import type { TestConsole, Visitor } from '../support/console.ts';

/** A console, an administrator of it, and where a provider answers. */
export interface Scene {
  tollgate: TestConsole;
  admin: Visitor;
  upstreamUrl: string;
}

export const unbuilt = channelTypes.find(({ type }) => !providerOf(type))?.type ?? 0;
export const body = {
  name: 'upstream',
  type: 1,
  key: 'sk-canary-upstream-key',
  models: 'gpt-4o, gpt-4o-mini,,gpt-4o',
  group: 'default,vip',
};

/** A key of the form that a type wants. */
export function wellFormedKey({ parts, separator }: ChannelTypeInfo['needs']['key']): string {
  if (parts === undefined) return 'sk-key';
  return separator ? parts.join(separator) : JSON.stringify(Object.fromEntries(parts.map((part) => [part, 'x'])));
}
