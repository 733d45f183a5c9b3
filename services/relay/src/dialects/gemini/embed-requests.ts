import type { Usage } from '@tollgate/contracts';
import { type ContentPart, type EmbeddingsRequest, isObject, type JsonObject, patchJson, type WholeReading } from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { UnsupportedFeatures } from '../dialect.ts';
import { checkInteger, refuseUnread, unpriced, wrong } from '../fields.ts';
import { toGeminiUsage } from './candidates.ts';
import { Contents } from './contents.ts';
import { field, listField, namesIn, objectField } from './fields.ts';

const spoken = new Set(['model', 'content', 'outputDimensionality']);
const longestVector = 100_000;
/** What would be read besides the texts, at a price that nobody here knows. */
const unpricedWishes = ['documentOcr', 'audioTrackExtraction'];

/** One text to embed. Throws: AppError `invalid_request`. Source: https://ai.google.dev/api/embeddings */
export function embedRequest(sent: SentRequest): EmbeddingsRequest {
  const unsupported = new UnsupportedFeatures();
  sent.unsupported = unsupported;
  const { text, media, dimensions } = one(sent.json, '', unsupported);
  return toHub(sent, { input: text, media, dimensions });
}

/** Many of them. One alone goes on as such: there are two ways to say the same, and channels are told the shorter one. */
export function batchEmbedRequest(sent: SentRequest): EmbeddingsRequest {
  const unsupported = new UnsupportedFeatures();
  sent.unsupported = unsupported;
  const requests = listField(sent.json, 'requests');
  if (requests.length === 0) throw wrong('requests is required: a list of requests', 'requests');
  const read = requests.map((request, at) => one(request, `requests[${at}].`, unsupported));
  const dimensions = read[0]?.dimensions;
  if (read.some((other) => other.dimensions !== dimensions)) unsupported.note('vectors of several lengths', 'requests');
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) {
    sent.json = only;
    sent.bytes = Buffer.from(JSON.stringify(only));
  }
  const input = read.map(({ text }) => text);
  const media = read.flatMap((each) => each.media);
  return toHub(sent, { input, media, dimensions });
}

interface Wish {
  input: string | string[];
  media: ContentPart[];
  dimensions: number | undefined;
}

function toHub({ address }: SentRequest, { input, media, dimensions }: Wish): EmbeddingsRequest {
  return {
    model: address.model ?? '',
    input,
    encoding_format: 'float',
    ...(dimensions !== undefined && { dimensions }),
    ...(media.length > 0 && { media }),
  };
}

function one(request: JsonObject, prefix: string, unsupported: UnsupportedFeatures): { text: string } & Pick<Wish, 'media' | 'dimensions'> {
  refuseUnread(request, () => false);
  for (const name of namesIn(request)) if (!spoken.has(name)) unsupported.note('this field', `${prefix}${name}`);
  for (const holder of [request, objectField(request, 'embedContentConfig') ?? {}]) {
    for (const name of unpricedWishes) if (field(holder, name) === true) throw unpriced(name);
  }
  const dimensions = field(request, 'outputDimensionality') ?? undefined;
  checkInteger({ dimensions }, 'dimensions', { least: 1, most: longestVector });
  const content = objectField(request, 'content');
  if (content === undefined) throw wrong(`${prefix}content is required`, `${prefix}content`);
  const parts = new Contents(unsupported).parts(content, `${prefix}content`);
  const media = parts.filter(({ type }) => type !== 'text');
  if (media.length > 0) unsupported.note('what is no text', `${prefix}content.parts`);
  if (parts.length === 0) throw wrong(`${prefix}content must hold a text`, `${prefix}content`);
  return { text: parts.map((part) => part.text ?? '').join(''), media, dimensions: dimensions as number | undefined };
}

/** The vector of one text. */
export function wholeEmbedding(reading: WholeReading, usage: Usage): Buffer {
  const { body } = reading;
  const usageMetadata = usageShown(reading, usage);
  if (body !== undefined) return usageMetadata === reading.stated.usageMetadata ? body : patchJson(body, { set: { usageMetadata } });
  const [embedding] = embeddingsIn(reading);
  return Buffer.from(JSON.stringify({ embedding, usageMetadata }));
}

/** The vectors of many. */
export function wholeEmbeddings(reading: WholeReading, usage: Usage): Buffer {
  const { body, stated } = reading;
  const usageMetadata = usageShown(reading, usage);
  if (body !== undefined && Array.isArray(stated.embeddings))
    return usageMetadata === stated.usageMetadata ? body : patchJson(body, { set: { usageMetadata } });
  return Buffer.from(JSON.stringify({ embeddings: embeddingsIn(reading), usageMetadata }));
}

/** Google's own words where they say what is charged; where it states nothing, an answer of its own stays without. */
function usageShown({ body, stated, usage }: WholeReading, charged: Usage): unknown {
  if (usage?.trusted === true && usage.usage === charged) return stated.usageMetadata ?? toGeminiUsage(charged);
  return body !== undefined && usage === undefined ? stated.usageMetadata : toGeminiUsage(charged);
}

function embeddingsIn({ answer }: WholeReading): JsonObject[] {
  const data = Array.isArray(answer.data) ? (answer.data as unknown[]) : [];
  return data.filter(isObject).map(({ embedding }) => ({ values: embedding }));
}
