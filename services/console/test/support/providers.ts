import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Somebody as a provider knows them. */
export interface Person {
  id: number;
  name?: string | null;
  username?: string;
  emails?: { email: string; primary: boolean; verified: boolean }[];
  active?: boolean;
  silenced?: boolean;
  trust_level?: number;
}

export interface Providers {
  url: string;
  /** Whom a code stands for, at GitHub and LinuxDO. */
  people: Map<string, Person>;
  /** Whose a code of the official account is. */
  followers: Map<string, string>;
  /** What was asked, the newest last. */
  asked: { path: string; authorization: string | undefined; body: string }[];
  /** Answers everything so, until it is undefined again. */
  broken: { status: number; body: string } | undefined;
  /** What answers wait for. */
  held: Promise<void> | undefined;
  close(): void;
}

export const clients = {
  github: { id: 'github-client', secret: 'canary-github-secret' },
  linuxdo: { id: 'linuxdo-client', secret: 'canary-linuxdo-secret' },
  wechat: 'canary-wechat-token',
  turnstile: 'canary-turnstile-secret',
};

/** A GitHub Enterprise Server, a LinuxDO, a WeChat server and a Turnstile in one, each with its own way of saying yes and no. */
export async function startProviders(): Promise<Providers> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const url = new URL(request.url ?? '', 'http://x');
    providers.asked.push({ path: url.pathname, authorization: request.headers.authorization, body });
    await providers.held;
    const { status, body: answer } = providers.broken ?? answerTo(request, url, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  });
  const providers: Providers = { url: '', people: new Map(), followers: new Map(), asked: [], broken: undefined, held: undefined, close };

  function answerTo(request: IncomingMessage, url: URL, body: string): { status: number; body: string } {
    const say = (value: unknown, status = 200) => ({ status, body: JSON.stringify(value) });
    const bearer = /^Bearer token-of-(.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const person = providers.people.get(bearer);
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /login/oauth/access_token': {
        const { client_id, client_secret, code } = JSON.parse(body) as Record<string, string>;
        const isKnown = client_id === clients.github.id && client_secret === clients.github.secret && providers.people.has(code ?? '');
        // GitHub says no with a 200, too.
        return say(isKnown ? { access_token: `token-of-${code}` } : { error: 'bad_verification_code', error_description: client_secret });
      }
      case 'GET /api/v3/user':
        return person ? say({ login: 'renamed-often', ...person }) : say({ message: 'Bad credentials' }, 401);
      case 'GET /api/v3/user/emails':
        return say(person?.emails ?? []);
      case 'POST /oauth2/token': {
        const basic = `Basic ${Buffer.from(`${clients.linuxdo.id}:${clients.linuxdo.secret}`).toString('base64')}`;
        const form = new URLSearchParams(body);
        const code = form.get('code') ?? '';
        const isKnown = request.headers.authorization === basic && form.get('redirect_uri')?.endsWith('/oauth/linuxdo');
        return isKnown && providers.people.has(code) ? say({ access_token: `token-of-${code}` }) : say({ error: 'invalid_grant' }, 400);
      }
      case 'GET /api/user':
        return person ? say({ active: true, trust_level: 2, ...person }) : say({ error: 'invalid_token' }, 401);
      case 'GET /api/wechat/user': {
        if (request.headers.authorization !== clients.wechat) return say({ success: false, message: 'no permission' });
        return say({ success: true, message: '', data: providers.followers.get(url.searchParams.get('code') ?? '') ?? '' });
      }
      case 'POST /turnstile': {
        const { secret, response } = JSON.parse(body) as Record<string, string>;
        return say({ success: secret === clients.turnstile && response === 'solved' });
      }
      default:
        return say({}, 404);
    }
  }

  function close(): void {
    server.closeAllConnections();
    server.close();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  providers.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return providers;
}
