import { noUsage } from '@tollgate/contracts';
import {
  type AnyDialect,
  type JsonObject,
  openStreamReading,
  providerOf,
  readWhole,
  SseFrame,
  serverSentEvents,
  spokenBy,
  streamOfOne,
  UpstreamError,
} from '@tollgate/providers';
import { spoiled, type WireSample, wireBytes, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';
import type { RelayRoute } from '../../src/context/route.ts';
import { batchEmbedRoute, embedRoute } from '../../src/dialects/gemini/gemini.ts';
import { imagesRoute, rerankRoute, transcriptionRoute } from '../../src/dialects/openai/media-answers.ts';
import { completionsRoute, embeddingsRoute } from '../../src/dialects/openai/routes.ts';
import { modelOf, targetOf } from './four-corners.ts';
import { callers } from './heard.ts';
import { richAnswers, richEvents } from './rich-answers.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };
const chats = callers.map(({ route }) => route);
/** Of each kind of call, the routes that write its answers. */
const routesOf: Record<string, RelayRoute[]> = {
  chat: chats,
  error: chats,
  'stream-error': chats,
  'usage-decision': chats,
  completion: [completionsRoute],
  embeddings: [embeddingsRoute, embedRoute, batchEmbedRoute],
  images: [imagesRoute],
  transcription: [transcriptionRoute],
  rerank: [rerankRoute],
};

/** What a provider's answer may come to, whatever stands in it; anything else is a fault of ours. */
function allowed(bad: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw new Error(`${bad}: ${String((error as Error).stack)}`);
  }
}

/** Reads a whole answer and writes it for every caller, also as the stream that he asked for. */
function told(dialect: AnyDialect, routes: readonly RelayRoute[], bad: string): void {
  const bytes = Buffer.from(bad);
  for (const { dialect: caller, whole, writer, asEvents } of routes) {
    allowed(bad, () => {
      const reading = readWhole(dialect, bytes, { stamp, speaks: caller.name });
      expect(reading.counted().textOutput).to.be.at.least(0);
      JSON.parse(whole(reading, noUsage, {}).toString());
      asEvents?.(reading, noUsage);
      const one = streamOfOne(reading.answer, stamp);
      if (one === undefined) return;
      const words = writer(one.reading, { request: { model: 'm' }, sent: {}, isSame: false });
      words.chunks(one.chunks);
      words.end(noUsage);
    });
  }
  allowed(bad, () => readWhole(dialect, bytes, { stamp, speaks: 'openai', thinkingToContent: true, encodingFormat: 'base64' }));
}

/** Reads a stream and writes it for every caller at once. */
function heard(dialect: AnyDialect, frames: readonly SseFrame[], { bad, thinkingToContent }: { bad: string; thinkingToContent?: boolean }) {
  const reading = openStreamReading(dialect, { stamp, thinkingToContent });
  const request = { model: 'm', stream_options: { include_usage: true } };
  const writers = chats.map((route) => {
    const words = route.writer(reading, { request, sent: {}, isSame: dialect.speaks === route.dialect.name });
    return { words, isOver: false };
  });
  const each = (tell: (words: ReturnType<RelayRoute['writer']>) => void) => {
    for (const one of writers) {
      if (one.isOver) continue;
      one.isOver = true; // unless it goes well
      allowed(bad, () => {
        tell(one.words);
        one.isOver = false;
      });
    }
  };
  allowed(bad, () => {
    for (const frame of frames) {
      const chunks = reading.read(frame);
      each((words) => words.frame(frame, chunks));
    }
  });
  each((words) => words.end(noUsage));
  expect(reading.delivered.textOutput).to.be.at.least(0);
}

function framesIn(dialect: AnyDialect, bytes: Buffer): SseFrame[] {
  const reader = (dialect.framing ?? serverSentEvents).open();
  return [...reader.push(bytes), ...reader.end()];
}

/** Every stream in which a value of a frame is spoiled, of events of one name once. How many there are. */
function heardSpoiled(dialect: AnyDialect, frames: readonly SseFrame[], seen = new Set<string>()): number {
  let count = 0;
  for (const [at, frame] of frames.entries()) {
    const stated = frame.json();
    if (stated === undefined) continue;
    const { event = frame.event } = (stated ?? {}) as JsonObject;
    for (const value of spoiled(stated, seen, String(event))) {
      const bad = JSON.stringify(value);
      const spoiltFrame = new SseFrame(Buffer.from(`${frame.event && `event: ${frame.event}\n`}data: ${bad}\n\n`));
      heard(dialect, frames.with(at, spoiltFrame), { bad, thinkingToContent: count % 4 === 0 });
      count += 1;
    }
  }
  return count;
}

function dialectFor(sample: WireSample, routes: readonly RelayRoute[]): AnyDialect | undefined {
  const provider = providerOf(sample.channelTypes[0] as number);
  return provider && routes[0]?.rules.dialectOf(spokenBy(provider, modelOf(sample)));
}

const isStream = ({ response }: WireSample) => /event-?stream|websocket/.test(response.contentType);

describe('hostile answers', () => {
  /** What has been spoiled, of all that is read by the same code. */
  const places = new Map<string, Set<string>>();
  const placesOf = (kind: string) => places.get(kind) ?? places.set(kind, new Set()).get(kind);

  for (const sample of wireSamples()) {
    const routes = routesOf[sample.expect?.kind ?? 'images'];
    const dialect = routes && dialectFor(sample, routes);
    if (routes === undefined || dialect === undefined || sample.unspoken !== undefined) continue;
    const bytes = wireBytes(sample.response.bodyFile);
    const [type = 0] = sample.channelTypes;
    const isOwn = dialect.speaks === 'own' || ('repair' in dialect && dialect.repair !== undefined) || sample.response.status !== 200;
    const seen = placesOf(`${isOwn ? type : dialect.speaks} ${routes[0]?.rules.mode} ${isStream(sample)}`);
    it(`${sample.provider}/${sample.case}: each value of it may be anything`, () => {
      if (isStream(sample)) {
        heardSpoiled(dialect, framesIn(dialect, bytes), seen);
        return;
      }
      const { status } = sample.response;
      for (const value of spoiled(JSON.parse(bytes.toString()), seen)) {
        const bad = JSON.stringify(value);
        if (status === 200) told(dialect, routes, bad);
        else expect(providerOf(type)?.error({ status, body: bad }, 'test-key')).to.be.instanceOf(UpstreamError);
        if (typeof value !== 'object' || value === null) continue;
        dialect.polls?.place(value as JsonObject, targetOf(type, ''));
        dialect.polls?.isRunning(value as JsonObject);
      }
    });
  }

  for (const { title, dialect, answer } of richAnswers()) {
    it(`${title}: each value of a whole answer that says all there is may be anything`, () => {
      for (const value of spoiled(answer, new Set())) told(dialect, chats, JSON.stringify(value));
    });
  }

  for (const { title, dialect, bytes } of richEvents()) {
    it(`${title}: each value of a stream that says all there is may be anything`, () => {
      expect(heardSpoiled(dialect, framesIn(dialect, bytes))).to.be.greaterThan(100);
    });
  }
});
