import data from './data/channel-types.json' with { type: 'json' };

/** The family of a provider, as a number in a channel's `type`; it selects the adapter, nothing else looks at it. */
export type ChannelType = number;

export interface ChannelTypeInfo {
  type: ChannelType;
  key: string;
  name: string;
  nameZh: string;
  /** `retired` ones the provider has switched off; `reserved` are numbers only. */
  status: 'active' | 'legacy' | 'retired' | 'reserved' | 'optional' | 'newer';
  protocol: string;
  ownedBy: string;
  /** '' when the channel must name one, or when it is derived. */
  defaultBaseUrl: string;
  auth: string;
  keyHint: string;
  keyHintZh: string;
  /** What the editor asks for besides the name: base_url, organization, other, key. */
  needs: Record<string, unknown>;
  modes: string[];
  extraModes?: string[];
  /** How the usage of a stream is had: by asking, unasked, by our own count, or there are no streams. */
  streamUsage: 'option' | 'always' | 'none' | null;
  models: string[];
  newerModels?: string[];
}

export const channelTypes = data as unknown as ChannelTypeInfo[];

const byNumber = new Map(channelTypes.map((info) => [info.type, info]));

/** What is known of a channel type; undefined for a number that is none. */
export function channelTypeInfo(type: ChannelType): ChannelTypeInfo | undefined {
  return byNumber.get(type);
}
