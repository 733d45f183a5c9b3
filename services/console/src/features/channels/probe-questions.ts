import { factsOf } from '@tollgate/contracts/catalog';
import {
  type AnyDialect,
  type AnyRequest,
  type ChatRequest,
  chatDialectFor,
  type JsonObject,
  type Outgoing,
  outgoing,
  type Provider,
  readWhole,
  type Target,
} from '@tollgate/providers';

/** A small question, and how its answer is read. */
export interface Question {
  to(target: Target): Promise<Outgoing & { contentType: string; headers: Record<string, string> }>;
  /** Throws: UpstreamError when the body is no answer. */
  read(body: Buffer, contentType: string): void;
}

type Ask = (provider: Provider, model: string) => [AnyDialect | undefined, AnyRequest];

/** What a model is asked that is not for conversations. */
const asks = {
  rerank: ({ rerank }, model) => [rerank as AnyDialect, { model, query: 'hi', documents: ['hi'] }],
  embeddings: ({ embeddings }, model) => [embeddings as AnyDialect, { model, input: 'hi' }],
  moderations: ({ moderations }, model) => [moderations as AnyDialect, { model, input: 'hi' }],
  transcription: ({ transcription }, model) => [transcription as AnyDialect, { model }],
  speech: ({ speech }, model) => [speech as AnyDialect, { model, input: 'hi', voice: 'alloy' }],
  images: ({ images }, model) => [images as AnyDialect, { model, prompt: 'a dot', n: 1 }],
  completions: ({ completions }, model) => [completions as AnyDialect, { model, prompt: 'hi', max_tokens: 10 }],
} satisfies Record<string, Ask>;

type Purpose = keyof typeof asks;

/** The purpose of models that the catalog does not know, by their names. */
const byName: readonly [name: RegExp, purpose: Purpose][] = [
  [/rerank/i, 'rerank'],
  [/embedding|^m3e|bge-/i, 'embeddings'],
  [/moderation/i, 'moderations'],
  [/whisper|transcri|sensevoice/i, 'transcription'],
  [/^tts|-tts|cosyvoice|^speech-/i, 'speech'],
  [/dall-e|image|imagen|^wanx|flux|cogview|kolors|seedream|stable-diffusion/i, 'images'],
];

interface Probed {
  /** The name by which the channel offers the model. */
  model: string;
  /** The name after model mapping, which says what the model is for. */
  upstream: string;
  /** The provider answers this model by streams alone. */
  isStreamed?: boolean;
}

/**
 * The question for a model: at the endpoint that the catalog states, else by its name, else a conversation, else what the provider offers.
 * Returns undefined where it offers nothing.
 */
export function questionFor(provider: Provider, { model, upstream, isStreamed = false }: Probed): Question | undefined {
  const purposes = purposesOf(upstream);
  const rest = (Object.keys(asks) as Purpose[]).filter((purpose) => !purposes.includes(purpose));
  const all: Ask[] = [...purposes.map((purpose) => asks[purpose]), conversation(upstream), ...rest.map((purpose) => asks[purpose])];
  for (const ask of all) {
    const [dialect, request] = ask(provider, model);
    if (dialect !== undefined && dialect.transport !== 'websocket')
      return question(dialect, isStreamed ? { ...request, stream: true } : request);
  }
  return undefined;
}

/** What a model is for, apart from conversations. A model of which the catalog knows that it writes text converses. */
function purposesOf(upstream: string): Purpose[] {
  const { rules, modalities } = factsOf(upstream) ?? {};
  const endpoint = rules?.endpoint;
  if (endpoint !== undefined && endpoint in asks) return [endpoint as Purpose];
  if (endpoint !== undefined && modalities?.output.includes('text')) return [];
  return byName.filter(([name]) => name.test(upstream)).map(([, purpose]) => purpose);
}

/** By Responses where the model answers there alone. */
function conversation(upstream: string): Ask {
  const isRenamed = factsOf(upstream)?.rules.parameters?.renamed?.max_tokens !== undefined;
  const limit = isRenamed ? { max_completion_tokens: 10 } : { max_tokens: 10 };
  return (provider, model) => {
    const request: ChatRequest = { model, messages: [{ role: 'user', content: 'hi' }], ...limit };
    return [chatDialectFor(provider, { model: upstream, request }) as AnyDialect | undefined, request];
  };
}

function question(dialect: AnyDialect, request: AnyRequest): Question {
  const stamp = { id: 'test', createdSeconds: Math.floor(Date.now() / 1000), model: request.model };
  return {
    async to(target) {
      const out = outgoing(dialect, { speaks: 'openai', bytes: Buffer.from(JSON.stringify(request)), request, target });
      return { ...out, ...(await bodyOf(dialect, out.body)), headers: dialect.headers?.(target) ?? {} };
    },
    read(body, contentType) {
      if (/^(?:audio|image)\//.test(contentType) && body.length > 0) return;
      if (dialect.polls !== undefined && isTaken(dialect.polls, JSON.parse(body.toString('utf8')) as JsonObject)) return;
      readWhole(dialect, body, { stamp, speaks: 'openai', contentType });
    },
  };
}

/** It is at work, and named where to ask. */
function isTaken({ place, isRunning }: NonNullable<AnyDialect['polls']>, answer: JsonObject): boolean {
  return isRunning(answer) && place(answer, { baseUrl: '' }) !== undefined;
}

async function bodyOf(dialect: AnyDialect, json: Buffer): Promise<{ body: Buffer; contentType: string }> {
  if (dialect.sends === undefined) return { body: json, contentType: 'application/json' };
  const sound = silence();
  if (dialect.sends === 'file') return { body: sound, contentType: 'application/octet-stream' };
  const form = new FormData();
  for (const [name, value] of Object.entries(JSON.parse(json.toString('utf8')) as JsonObject)) form.append(name, String(value));
  form.append('file', new Blob([new Uint8Array(sound)], { type: 'audio/wav' }), 'silence.wav');
  const encoded = new Response(form);
  return { body: Buffer.from(await encoded.arrayBuffer()), contentType: encoded.headers.get('content-type') ?? '' };
}

/** A tenth of a second and a bit, which is the least that is heard: 8 kHz, 8 bits, as a WAV file. */
function silence(): Buffer {
  const samples = 1600;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 8000],
    [40, samples],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36, 'latin1');
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}
