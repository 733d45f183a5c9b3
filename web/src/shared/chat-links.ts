import type { StatusView } from '@tollgate/contracts/api/status';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';

/** A chat client that the site recommends: an address with places for a token's key and for ours. */
export interface ChatLink {
  name: string;
  template: string;
}

type Configured = Pick<StatusView, 'chat_link' | 'chat_link2' | 'chats'>;

const settings = '/#/?settings={"key":"{key}","url":"{address}"}';

/** The clients that are configured. The two single links of old stand in place of the list, where one of them is set. */
export function chatLinksOf({ chat_link, chat_link2, chats }: Configured): ChatLink[] {
  const old = [
    { name: 'ChatGPT Next Web', template: chat_link },
    { name: 'ChatGPT Next Midjourney', template: chat_link2 },
  ].flatMap(({ name, template }) => (template ? [{ name, template: `${withoutEndSlashes(template)}${settings}` }] : []));
  if (old.length > 0) return old;
  return chats.flatMap((entry) => Object.entries(entry).map(([name, template]) => ({ name, template })));
}

/** Where a link leads with a token; undefined where it is no address, or one that would run something here. */
export function chatAddress({ template }: ChatLink, key: string, serverAddress: string): string | undefined {
  const address = encodeURIComponent(withoutEndSlashes(serverAddress || location.origin));
  const text = template.replaceAll('{key}', `sk-${key}`).replaceAll('{address}', address).trim();
  if (!URL.canParse(text)) return undefined;
  return /^(?:javascript|data|vbscript|blob|file):$/i.test(new URL(text).protocol) ? undefined : text;
}

/** Whether an address can be shown in a frame of ours. */
export function canBeFramed(address: string): boolean {
  const { protocol, origin } = new URL(address);
  return protocol === 'https:' || origin === location.origin;
}
