import { Agent, request } from 'undici';

export interface LimitedLoad {
  /** The relays, asked in turns. */
  urls: readonly string[];
  calls: number;
  atOnce: number;
  headers: Record<string, string>;
  body: object;
}

export interface Seen {
  statuses: Map<number, number>;
  elapsedMs: number;
}

/** Sends so many calls over relays, and counts how they were answered. */
export async function limitedLoad({ urls, calls, atOnce, headers, body }: LimitedLoad): Promise<Seen> {
  const agent = new Agent({ connections: atOnce });
  const statuses = new Map<number, number>();
  const text = JSON.stringify(body);
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      const url = urls[next++ % urls.length];
      const answer = await request(`${url}/v1/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/json', ...headers },
      });
      await answer.body.dump();
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  await agent.close();
  return { statuses, elapsedMs: performance.now() - startedAt };
}
