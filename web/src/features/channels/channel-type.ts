import { type ChannelTypeInfo, channelTypeInfo, channelTypes } from '@tollgate/contracts/channel-types';

/** What the editor asks for besides the name; read from the data of the channel type. */
export function needsOf(type: number): Partial<ChannelTypeInfo['needs']> {
  return channelTypeInfo(type)?.needs ?? {};
}

/** The types to choose from: those one can still open a channel of, and the one that the channel has. */
export function choosableTypes(current: number): ChannelTypeInfo[] {
  return channelTypes.filter((info) => info.type === current || (info.status !== 'reserved' && info.status !== 'retired'));
}

export function typeName(type: number, language: string): string {
  const info = channelTypeInfo(type);
  if (!info) return `#${type}`;
  return language.startsWith('zh') ? info.nameZh : info.name;
}

/** Whether providers of this type tell what an account has left. */
export function tellsBalance(type: number): boolean {
  return channelTypeInfo(type)?.tellsBalance === true;
}

/** The models that a provider of this type is known to have. */
export function relatedModels(type: number): string[] {
  const info = channelTypeInfo(type);
  return [...new Set([...(info?.models ?? []), ...(info?.newerModels ?? [])])];
}

/** Whether every line of a key has the parts that the type asks for. */
export function hasKeyParts(key: string, type: number): boolean {
  const { format, parts, separator } = needsOf(type).key ?? {};
  if (format === 'json') return isJsonObject(key);
  if (!parts || !separator) return true;
  return key
    .split('\n')
    .filter((line) => line.trim() !== '')
    .every((line) => line.split(separator).filter((part) => part.trim() !== '').length >= parts.length);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
