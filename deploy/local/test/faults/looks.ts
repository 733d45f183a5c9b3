import { setTimeout as delay } from 'node:timers/promises';
import { model, type Site } from './site.ts';

/** One answer of the public port. */
export interface Look {
  what: 'call' | 'other key' | 'page' | 'api';
  /** 0: none came. */
  status: number;
  retryAfter: string | null;
  text: string;
  ms: number;
}

const everyMs = 200;
const longestMs = 20_000;

/** Looks at the public port again and again: a call with a good key, one with a key that nobody knows, a page, and the console's API. */
export function startLooking(site: Site): { looks: readonly Look[]; stop(): Promise<Look[]> } {
  const { address } = site.installation;
  const looks: Look[] = [];
  let isRunning = true;

  const chat = (key: string) =>
    fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      signal: AbortSignal.timeout(longestMs),
    });
  let strangers = 0;
  const asked: Record<Look['what'], () => Promise<Response>> = {
    call: () =>
      fetch(`${address}/v1/models`, { headers: { authorization: `Bearer ${site.apiKey}` }, signal: AbortSignal.timeout(longestMs) }),
    'other key': () => chat(`sk-nobody${strangers++}`),
    page: () => fetch(address, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(longestMs) }),
    api: () => site.installation.asRoot('/api/user/self'),
  };

  async function look(what: Look['what']): Promise<void> {
    while (isRunning) {
      const startedAt = performance.now();
      const answer = await asked[what]().then(
        async (response) => ({ status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }),
        (error: Error) => ({ status: 0, retryAfter: null, text: `${error.message} ${String(error.cause ?? '')}` }),
      );
      const isStranger = what === 'other key' && answer.status === 401; // MongoDB has said so
      looks.push({
        what,
        ...answer,
        ...(isStranger && { status: 200 }),
        text: answer.text.slice(0, 600),
        ms: Math.round(performance.now() - startedAt),
      });
      await delay(everyMs);
    }
  }

  const looking = (Object.keys(asked) as Look['what'][]).map(look);
  return {
    looks,
    async stop() {
      isRunning = false;
      await Promise.all(looking);
      return looks;
    },
  };
}
