import { type ContentPage, contentPageOf, type OptionValues } from '@tollgate/contracts';

/** Beyond so many hosts any https address is let through: proxies refuse long headers. */
const mostHosts = 30;
const known = new WeakMap<OptionValues, Map<ContentPage | '', string[]>>();

/** The origins that the operator's content of a page names: what the page may load pictures and frames from besides our own. */
export function contentHosts(values: OptionValues, path: string): string[] {
  const page = contentPageOf(path) ?? '';
  const pages = known.get(values) ?? new Map<ContentPage | '', string[]>();
  known.set(values, pages);
  const hosts = pages.get(page) ?? originsIn([...onEveryPage(values), ...onPage(values, page)]);
  pages.set(page, hosts);
  return hosts;
}

function onEveryPage({ Logo, WeChatAccountQRCodeImageURL, Footer, Notice }: OptionValues): string[] {
  return [Logo, WeChatAccountQRCodeImageURL, Footer, Notice];
}

function onPage({ HomePageContent, About, Chats, ChatLink, ChatLink2 }: OptionValues, page: ContentPage | ''): string[] {
  if (page === 'home') return [HomePageContent];
  if (page === 'about') return [About];
  return page === 'chat' ? [...Chats.flatMap((each) => Object.values(each)), ChatLink, ChatLink2] : [];
}

function originsIn(texts: string[]): string[] {
  const origins = new Set<string>();
  for (const text of texts)
    for (const [address] of text.matchAll(/(?:https?:)?\/\/[^\s"'<>()[\]\\/?#]+/gi)) {
      const { origin = '' } = URL.parse(address, 'https://x.invalid') ?? {};
      if (/^https?:\/\/[a-z0-9.:-]+$/.test(origin)) origins.add(origin);
    }
  return origins.size > mostHosts ? ['https:'] : [...origins].sort();
}
