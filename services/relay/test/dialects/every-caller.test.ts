import { noUsage } from '@tollgate/contracts';
import {
  type ChatRequest,
  type JsonObject,
  openStreamReading,
  providerOf,
  readWhole,
  type StreamReading,
  serverSentEvents,
  spokenBy,
  UpstreamError,
} from '@tollgate/providers';
import { type WireSample, wireBytes, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';
import { toClientError } from '../../src/context/errors.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { dialectOf, modelOf, targetOf } from './four-corners.ts';
import { type Caller, callers, type Heard } from './heard.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

/** What a caller gets of a stream that arrives in pieces of `size`. */
function streamOf(
  { route }: Caller,
  type: number,
  { bytes, size, model }: { bytes: Buffer; size: number; model: string },
): { text: string; reading: StreamReading } {
  const dialect = dialectOf(type, 'chat', model);
  const reading = openStreamReading(dialect, { stamp });
  const words = route.writer(reading, { request: { model: 'm' }, sent: {}, isSame: dialect.speaks === route.dialect.name });
  const reader = (dialect.framing ?? serverSentEvents).open();
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.push(bytes.subarray(at, at + size))) text += words.frame(frame, reading.read(frame))?.toString() ?? '';
    }
    for (const frame of reader.end()) text += words.frame(frame, reading.read(frame))?.toString() ?? '';
    text += words.end(reading.usage?.trusted ? reading.usage.usage : noUsage).toString();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    text += route.dialect.errorEvent(toClientError(error, { id: 'test', language: 'en' }));
  }
  return { text, reading };
}

function check(sample: WireSample, caller: Caller, heard: Heard): void {
  const wanted = sample.expect;
  if (wanted === undefined || wanted.kind === 'usage-decision') return;
  if (wanted.contentStartsWith !== undefined) expect(heard.text.startsWith(wanted.contentStartsWith)).to.equal(true);
  else expect(heard.text).to.equal(wanted.content ?? '');
  if (wanted.reasoning_content !== undefined) expect(heard.thought).to.equal(wanted.reasoning_content);
  if (typeof wanted.finish_reason === 'string') expect(heard.end).to.equal(caller.ends[wanted.finish_reason]);
  const calls = wanted.tool_calls ?? [];
  expect(heard.calls.map(({ name, args }) => ({ name, args }))).to.deep.equal(calls.map(({ name, arguments: args }) => ({ name, args })));
  for (const [at, { id }] of calls.entries()) if (id !== '*') expect(heard.calls[at]?.id).to.equal(id);
}

function isChat({ request: { path }, expect: wanted }: WireSample): boolean {
  return (wanted?.kind === 'chat' || wanted?.kind === 'stream-error') && !/embed|images|audio|rerank|files|billing/.test(path);
}

describe('recorded answers, for callers of other dialects', () => {
  for (const sample of wireSamples().filter(isChat)) {
    for (const type of sample.channelTypes) {
      const provider = providerOf(type);
      const model = modelOf(sample);
      const dialect = provider && spokenBy(provider, model).chat;
      if (dialect === undefined || sample.unspoken !== undefined) continue;
      for (const caller of callers.filter(({ route }) => route.dialect.name !== 'openai')) {
        const isSame = dialect.speaks === caller.route.dialect.name;
        it(`${sample.provider}/${sample.case} (type ${type}) is heard by callers of ${caller.route.dialect.name}`, () => {
          const bytes = wireBytes(sample.response.bodyFile);
          if (!/event-?stream/.test(sample.response.contentType)) {
            const whole = readWhole(dialect, bytes, { stamp, speaks: caller.route.dialect.name });
            const usage = whole.usage?.trusted ? whole.usage.usage : noUsage;
            const written = caller.route.whole(whole, usage, {});
            if (isSame && whole.usage !== undefined) expect(written).to.equal(bytes);
            return check(sample, caller, caller.whole(JSON.parse(written.toString()) as JsonObject));
          }
          for (const size of [1, 7, 64, bytes.length]) {
            const { text } = streamOf(caller, type, { bytes, size, model });
            const heard = caller.streamed(text);
            if (sample.expect?.kind !== 'stream-error') {
              expect(heard.error).to.equal(undefined);
              check(sample, caller, heard);
              if (isSame && dialect.framing === undefined) expect(text).to.equal(bytes.toString());
            } else {
              expect(heard.error).to.include(sample.expect.messageContains);
              expect(heard.text).to.equal(sample.expect.contentSoFar);
            }
          }
        });
      }
    }
  }
});

describe('recorded requests, there and back through the hub', () => {
  const [, gemini] = [14, 24];
  for (const { provider, case: name, request } of wireSamples()) {
    const type = { anthropic: 14, gemini: 24 }[provider];
    if (type === undefined || request.bodyFile === undefined || /embed|predict/.test(request.path)) continue;
    it(`${provider}/${name} says the same`, () => {
      const json = JSON.parse(wireBytes(request.bodyFile as string).toString()) as JsonObject;
      const model = type === gemini ? (/models\/([^:]+):/.exec(request.path)?.[1] ?? '') : String(json.model);
      const isStream = request.path.includes(':stream');
      const route = type === gemini ? generateRoute : messagesRoute;
      const sent = {
        bytes: Buffer.alloc(0),
        long: undefined,
        json: structuredClone(json),
        address: { model, isStream },
      };
      const hub = route.read(sent) as ChatRequest;
      const dialect = providerOf(type)?.chat;
      if (dialect === undefined || dialect.speaks === 'openai') throw new Error(`type ${type} speaks a dialect of its own`);
      expect(JSON.parse(JSON.stringify(dialect.encodeRequest(hub, targetOf(type, model))))).to.deep.equal(json);
    });
  }
});
