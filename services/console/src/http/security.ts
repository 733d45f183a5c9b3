import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ContentPage, contentPageOf, type OptionValues } from '@tollgate/contracts';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Beyond so many hosts any https address is let through: proxies refuse long headers. */
const mostHosts = 30;
const known = new WeakMap<OptionValues, Map<ContentPage | '', string[]>>();

/** The origins that the operator's content of a page names: what the page may load pictures and frames from besides our own. */
function contentHosts(values: OptionValues, path: string): string[] {
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

/** Of the answer that is being made: what lets the page's own style tags through. */
export function nonceOf(res: Response): string {
  return String(res.locals.nonce);
}

/**
 * The headers that keep pages to themselves. Scripts only of our own files, and of the two providers that have one while they are
 * switched on. Pictures and frames only of our own, but where a page shows an operator's content (see `contentHosts`).
 */
export function security(options: () => OptionValues): RequestHandler[] {
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'script-src': [() => ["'self'", ...strangeScripts(options())].join(' ')],
        'style-src': ["'self'", (_req, res) => `'nonce-${nonceOf(res as Response)}'`],
        // Attributes are written by the component library while it measures; they cannot load anything.
        'style-src-attr': ["'unsafe-inline'"],
        'img-src': [(req) => ["'self'", 'data:', ...contentHosts(options(), pathOf(req))].join(' ')],
        'font-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'frame-src': [(req) => ["'self'", ...strangeFrames(options()), ...contentHosts(options(), pathOf(req))].join(' ')],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': [() => ["'self'", 'https:', ...plainPayer(options())].join(' ')],
        'frame-ancestors': ["'none'"],
      },
    },
    crossOriginOpenerPolicy: false, // below
    crossOriginEmbedderPolicy: false,
    // Only a server that is reached by https may ask for it for good; that is for the one who ends TLS to say.
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  return [nonce, openers(options), headers];
}

const nonce: RequestHandler = (_req, res, next) => {
  res.locals.nonce = randomBytes(16).toString('base64');
  next();
};

/** No page that we open may reach back to ours; Telegram's has to, to say who somebody is. */
function openers(options: () => OptionValues): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('cross-origin-opener-policy', options().TelegramOAuthEnabled ? 'same-origin-allow-popups' : 'same-origin');
    next();
  };
}

/** A payer that is asked by http, as one in the same house may be: the form that leads there is let through, and to no other. */
function plainPayer({ PayAddress }: OptionValues): string[] {
  const payer = URL.parse(PayAddress);
  return payer?.protocol === 'http:' ? [payer.origin] : [];
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

function strangeFrames({ TurnstileCheckEnabled, TelegramOAuthEnabled }: OptionValues): string[] {
  return [
    ...(TurnstileCheckEnabled ? ['https://challenges.cloudflare.com'] : []),
    ...(TelegramOAuthEnabled ? ['https://oauth.telegram.org'] : []),
  ];
}

function strangeScripts({ TurnstileCheckEnabled, TelegramOAuthEnabled }: OptionValues): string[] {
  return [
    ...(TurnstileCheckEnabled ? ['https://challenges.cloudflare.com'] : []),
    ...(TelegramOAuthEnabled ? ['https://telegram.org'] : []),
  ];
}
