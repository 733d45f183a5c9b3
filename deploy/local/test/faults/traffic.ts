import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Site, model as usual } from './site.ts';

/** One call as its caller saw it. */
export interface Call {
  mark: string;
  isStream: boolean;
  /** `whole`: all of a good answer came; `part`: some content came; `none`: nothing that could be charged for. */
  got: 'whole' | 'part' | 'none';
  /** 0 when the line broke before an answer. */
  status: number;
  requestId: string;
  /** An error event was in it. */
  hasError: boolean;
  /** When its last byte came, or the line broke; ms since 1970. */
  startedAt: number;
  endedAt: number;
}

/** Calls that begin at a fixed rate, whatever becomes of those before them. */
export interface Traffic {
  calls: Call[];
  /** How many have begun and not ended. */
  inHand(): number;
  /** Begins no more and waits for those under way. */
  stop(): Promise<Call[]>;
}

export const usualPerSecond = 40;

export function startTraffic(site: Site, { perSecond = usualPerSecond, streamShare = 0.5 } = {}): Traffic {
  const agent = new Agent({ connections: 200, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const calls: Call[] = [];
  const underWay = new Set<Promise<void>>();
  let isRunning = true;
  const beginning = (async () => {
    for (let number = 0; isRunning; number += 1) {
      const call = oneCall(site, agent, { mark: `call-${number}`, isStream: (number * 0.618) % 1 < streamShare }).then(
        (seen) => void calls.push(seen),
      );
      underWay.add(call);
      void call.finally(() => underWay.delete(call));
      await delay(1000 / perSecond);
    }
  })();
  return {
    calls,
    inHand: () => underWay.size,
    async stop() {
      isRunning = false;
      await beginning;
      await Promise.all(underWay);
      await agent.destroy();
      return calls;
    },
  };
}

interface Question {
  mark: string;
  isStream: boolean;
  /** By default the site's caller. */
  apiKey?: string;
  /** By default the site's model. */
  model?: string;
}

/** Asks once and takes the answer as it comes. */
export async function oneCall(site: Site, agent: Agent, { mark, isStream, apiKey = site.apiKey, model = usual }: Question): Promise<Call> {
  const call: Call = { mark, isStream, got: 'none', status: 0, requestId: '', hasError: false, startedAt: Date.now(), endedAt: 0 };
  try {
    const answer = await request(`${site.installation.address}/v1/chat/completions`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, user: mark, stream: isStream, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    call.status = answer.statusCode;
    call.requestId = String(answer.headers['x-oneapi-request-id'] ?? '');
    let text = '';
    for await (const piece of answer.body) {
      text += String(piece);
      if (call.status === 200 && /"content":"[^"]/.test(text)) call.got = 'part';
    }
    call.hasError = text.includes('"error"');
    if (call.status === 200 && (isStream ? text.includes('data: [DONE]') : text.trimEnd().endsWith('}'))) call.got = 'whole';
  } catch {
    // The line broke: `got` says how far the answer had come.
  }
  call.endedAt = Date.now();
  return call;
}
