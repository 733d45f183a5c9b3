import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OptionValues } from '@tollgate/contracts';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { contentHosts } from './content-hosts.ts';

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
