import { Agent, request } from 'undici';

/** What callers do, by its share in a hundred calls. */
export const kinds = {
  /** A whole answer. */
  json: 40,
  stream: 30,
  /** A stream whose caller leaves after some of it. */
  leaves: 8,
  /** A caller who does not wait for the first byte. */
  givesUp: 4,
  /** One of the two channels fails every time. */
  failover: 13,
  /** The provider breaks off in the middle of the stream. */
  broken: 5,
};
export type Kind = keyof typeof kinds;

export const models: Record<Kind, string> = {
  json: 'gpt-4o-mini',
  stream: 'gpt-4o-mini',
  leaves: 'gpt-4o-mini',
  givesUp: 'gpt-4.1-nano',
  failover: 'gpt-4o',
  broken: 'gpt-4.1',
};

export interface Traffic {
  /** Calls that began, by kind. */
  readonly begun: Record<Kind, number>;
  /** Whole answers, answers of which some came, and calls of which nothing came. */
  readonly got: { whole: number; part: number; nothing: number };
  /** Calls of kinds that must be answered whole and were not, by what came instead. */
  readonly unexpected: Map<string, number>;
  /** Begins no more, and waits for those under way. */
  stop(): Promise<void>;
}

interface TrafficOptions {
  address: string;
  apiKey: string;
  perSecond: number;
  /** An answer came, whole or in part, so it must be charged. `isOver`: at this moment, so that its lag can be told. */
  answered(requestId: string, isOver: boolean): void;
}

const tickMs = 5;
const wordsBeforeLeaving = 3;

/** Calls that begin at a fixed rate, whatever becomes of those before them. */
export function startTraffic({ address, apiKey, perSecond, answered }: TrafficOptions): Traffic {
  const agent = new Agent({ connections: null, keepAliveTimeout: 4_000, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const deck = Object.entries(kinds).flatMap(([kind, share]) => Array.from({ length: share }, () => kind as Kind));
  const traffic = {
    begun: Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0])) as Record<Kind, number>,
    got: { whole: 0, part: 0, nothing: 0 },
    unexpected: new Map<string, number>(),
  };
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) / 1000) * perSecond; begun < due; begun += 1) begin(deck[(begun * 61) % 100] as Kind);
  }, tickMs);

  function begin(kind: Kind): void {
    traffic.begun[kind] += 1;
    const call = make(kind).then((outcome) => {
      traffic.got[outcome.got] += 1;
      if (outcome.got !== 'nothing') answered(outcome.requestId, outcome.isOver);
      if (outcome.got === 'whole' || kind === 'leaves' || kind === 'givesUp' || kind === 'broken') return;
      const what = `${kind}: ${outcome.why}`;
      traffic.unexpected.set(what, (traffic.unexpected.get(what) ?? 0) + 1);
    });
    underWay.add(call);
    void call.finally(() => underWay.delete(call));
  }

  interface Outcome {
    got: 'whole' | 'part' | 'nothing';
    requestId: string;
    isOver: boolean;
    why: string;
  }

  async function make(kind: Kind): Promise<Outcome> {
    const isStream = kind !== 'json' && kind !== 'failover';
    const outcome: Outcome = { got: 'nothing', requestId: '', isOver: true, why: '' };
    const leaving = new AbortController();
    if (kind === 'givesUp') setTimeout(() => leaving.abort(), 50);
    try {
      const answer = await request(`${address}/v1/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        signal: leaving.signal,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: models[kind],
          stream: isStream,
          max_tokens: 100,
          messages: [{ role: 'user', content: 'Hello there' }],
        }),
      });
      outcome.requestId = String(answer.headers['x-oneapi-request-id'] ?? '');
      outcome.why = `status ${answer.statusCode}`;
      let text = '';
      for await (const piece of answer.body) {
        text += String(piece);
        if (answer.statusCode !== 200) continue;
        const words = text.split(/"content":"[^"]/).length - 1;
        if (words > 0) outcome.got = 'part';
        if (kind === 'leaves' && words >= wordsBeforeLeaving) {
          outcome.isOver = false; // the relay reads on for the provider's count
          leaving.abort();
        }
      }
      if (answer.statusCode === 200 && (isStream ? text.includes('data: [DONE]') : text.trimEnd().endsWith('}'))) outcome.got = 'whole';
    } catch (error) {
      outcome.why ||= (error as Error).message;
    }
    return outcome;
  }

  return Object.assign(traffic, {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      await agent.destroy();
    },
  });
}
