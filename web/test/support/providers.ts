import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Providers {
  url: string;
  /** Where people are led back to. */
  site: string;
  close(): void;
}

/** A GitHub Enterprise Server where everybody agrees at once, a WeChat server that knows one code, and a Turnstile. */
export async function openProviders(): Promise<Providers> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const url = new URL(request.url ?? '', 'http://x');
    const say = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    switch (url.pathname) {
      case '/login/oauth/authorize':
        return response.writeHead(302, { location: `${providers.site}/oauth/github?code=c&state=${url.searchParams.get('state')}` }).end();
      case '/login/oauth/access_token':
        return say({ access_token: 'token' });
      case '/api/v3/user':
        return say({ id: 4711, name: 'Grace Hopper' });
      case '/api/wechat/user':
        return say({ success: true, data: url.searchParams.get('code') === '246810' ? 'wx-grace' : '' });
      case '/turnstile':
        return say({ success: (JSON.parse(body) as { response: string }).response === 'solved' });
      default:
        return say([]);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const providers: Providers = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    site: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return providers;
}

/** What Telegram would say of somebody, signed (https://core.telegram.org/widgets/login#checking-authorization). */
export function telegramUser(botToken: string): Record<string, string | number> {
  const fields = { auth_date: Math.floor(Date.now() / 1000), first_name: 'Grace', id: 77 };
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHash('sha256').update(botToken).digest();
  return { ...fields, hash: createHmac('sha256', key).update(lines.join('\n')).digest('hex') };
}

/** The code that an authenticator app shows (https://www.rfc-editor.org/rfc/rfc6238), some steps of 30 s from now. */
export function appCode(secret: string, steps = 0): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
