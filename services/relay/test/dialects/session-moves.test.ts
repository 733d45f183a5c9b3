import { noUsage } from '@tollgate/contracts';
import {
  type AnyDialect,
  type ChatRequest,
  openStreamReading,
  outgoing,
  type Provider,
  providerOf,
  readWhole,
  serverSentEvents,
  spokenBy,
} from '@tollgate/providers';
import { expect } from 'chai';
import type { SentRequest } from '../../src/context/route.ts';
import { type AgentRequest, type Json, readRequest, writeTurn } from '../agents/scripted-formats.ts';
import { refusalOf, type UpstreamKind } from '../agents/strict-rules.ts';
import { targetOf } from './four-corners.ts';
import { type CallerName, callerNames, routes } from './next-turn.ts';
import { kindNames, kinds, ownMark, sides } from './session-sides.ts';

interface Step {
  caller: CallerName;
  kind: UpstreamKind;
  isStream: boolean;
  seed: string;
}

function dialectFor(kind: UpstreamKind): AnyDialect {
  const { type, model, format } = kinds[kind];
  const provider = spokenBy(providerOf(type) as Provider, model);
  return (format === 'responses' ? provider.responses : provider.chat) as AnyDialect;
}

/** One turn of a session: what the upstream is sent, and what the caller gets. */
function turn(request: Json, { caller, kind, isStream, seed }: Step): { sent: AgentRequest; body: Json; answer: string } {
  const route = routes[caller];
  const { type, model, format } = kinds[kind];
  const dialect = dialectFor(kind);
  const json = caller === 'gemini' ? request : { ...request, model, ...(isStream && { stream: true }) };
  const sentRequest: SentRequest = { bytes: Buffer.from(JSON.stringify(json)), long: undefined, json, address: { model, isStream } };
  const asked = route.read(sentRequest) as ChatRequest;
  const out = outgoing(dialect, { ...sentRequest, speaks: route.dialect.name, request: asked, target: targetOf(type, model) });
  const body = JSON.parse(out.body.toString()) as Json;
  const sent = readRequest(new URL(out.url).pathname + new URL(out.url).search, body);
  const scripted = { thinking: 'Hm.', text: 'I look.', calls: [{ name: 'look', args: { city: 'Oslo' } }] };
  const { thinking: _none, ...unthought } = scripted;
  const written = writeTurn(kind === 'openai-chat' ? unthought : scripted, { ...sent, format, isStream }, seed).body;
  const stamp = { id: `chatcmpl-${seed}`, createdSeconds: 1, model };
  const isSame = dialect.speaks === route.dialect.name;
  if (!isStream) {
    const reading = readWhole(dialect, Buffer.from(written), { stamp, speaks: route.dialect.name });
    return { sent, body, answer: route.whole(reading, noUsage, json).toString() };
  }
  const reading = openStreamReading(dialect, { stamp });
  const words = route.writer(reading, { request: asked, sent: json, isSame });
  let answer = '';
  for (const frame of serverSentEvents.open().push(Buffer.from(written)))
    answer += words.frame(frame, reading.read(frame))?.toString() ?? '';
  return { sent, body, answer: answer + words.end(noUsage).toString() };
}

describe('A session with thinking that moves between providers', () => {
  for (const caller of callerNames) {
    for (const isStream of [false, true]) {
      it(`is taken by each, which gets its own thinking back, for callers of ${caller}, ${isStream ? 'streamed' : 'whole'}`, () => {
        const wrong: string[] = [];
        for (const first of kindNames) {
          for (const second of kindNames) {
            let request = sides[caller].begin();
            const seeds: string[] = [];
            for (const [at, kind] of [first, second, first, second].entries()) {
              const seed = `${kind.replaceAll('-', '')}x${at}`;
              const { sent, body, answer } = turn(request, { caller, kind, isStream, seed });
              const refusal = refusalOf(kind, body, sent);
              const place = `${first} -> ${second}, turn ${at + 1}`;
              if (refusal !== undefined) wrong.push(`${place}: ${refusal}`);
              const own = at < 2 ? undefined : ownMark[kind](seeds[at - 2] as string);
              if (own !== undefined && !JSON.stringify(body).includes(own)) wrong.push(`${place}: lost ${own}`);
              seeds.push(seed);
              request = sides[caller].next(request, answer, isStream);
            }
          }
        }
        expect(wrong).to.deep.equal([]);
      });
    }
  }
});
