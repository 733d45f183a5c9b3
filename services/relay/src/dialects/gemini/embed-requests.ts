import type { Usage } from '@tollgate/contracts';
import type { EmbeddingsRequest, JsonObject, WholeReading } from '@tollgate/providers';
import type { SentRequest } from '../../pipeline/route.ts';
import { checkInteger, isObject, unpriced, wrong } from '../fields.ts';
import { Unsaid } from '../unsupported-features.ts';
import { field, listField, namesIn, objectField } from './fields.ts';
import { toGeminiUsage } from './usage.ts';

const spoken = new Set(['model', 'content', 'outputDimensionality']);
const longestVector = 100_000;
/** What would be read besides the texts, at a price that nobody here knows. */
const unpricedWishes = ['documentOcr', 'audioTrackExtraction'];

/** One text to embed. Throws: AppError `invalid_request`. Source: https://ai.google.dev/api/embeddings */
export function embedRequest(sent: SentRequest): EmbeddingsRequest {
  const unsaid = new Unsaid();
  sent.unsaid = unsaid;
  const { text, dimensions } = one(sent.json, '', unsaid);
  return { model: sent.address.model ?? '', input: text, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) };
}

/** Many of them. One alone goes on as such: there are two ways to say the same, and channels are told the shorter one. */
export function batchEmbedRequest(sent: SentRequest): EmbeddingsRequest {
  const unsaid = new Unsaid();
  sent.unsaid = unsaid;
  const requests = listField(sent.json, 'requests');
  if (requests.length === 0) throw wrong('requests is required: a list of requests', 'requests');
  const read = requests.map((request, at) => one(request, `requests[${at}].`, unsaid));
  const dimensions = read[0]?.dimensions;
  if (read.some((other) => other.dimensions !== dimensions)) unsaid.note('vectors of several lengths', 'requests');
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) {
    sent.json = only;
    sent.bytes = Buffer.from(JSON.stringify(only));
  }
  const input = read.map(({ text }) => text);
  return { model: sent.address.model ?? '', input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) };
}

function one(request: JsonObject, prefix: string, unsaid: Unsaid): { text: string; dimensions: number | undefined } {
  for (const name of namesIn(request)) if (!spoken.has(name)) unsaid.note('this field', `${prefix}${name}`);
  for (const holder of [request, objectField(request, 'embedContentConfig') ?? {}]) {
    for (const name of unpricedWishes) if (field(holder, name) === true) throw unpriced(name);
  }
  const dimensions = field(request, 'outputDimensionality') ?? undefined;
  checkInteger({ dimensions }, 'dimensions', { least: 1, most: longestVector });
  const content = objectField(request, 'content');
  if (content === undefined) throw wrong(`${prefix}content is required`, `${prefix}content`);
  const parts = listField(content, 'parts');
  for (const part of parts) if (typeof part.text !== 'string') unsaid.note('what is no text', `${prefix}content.parts`);
  const text = parts.map((part) => (typeof part.text === 'string' ? part.text : JSON.stringify(part))).join('');
  if (text === '') throw wrong(`${prefix}content must hold a text`, `${prefix}content`);
  return { text, dimensions: dimensions as number | undefined };
}

/** The vector of one text. */
export function wholeEmbedding(reading: WholeReading, usage: Usage): Buffer {
  const [embedding] = embeddingsIn(reading);
  return reading.body ?? Buffer.from(JSON.stringify({ embedding, usageMetadata: toGeminiUsage(usage) }));
}

/** The vectors of many. */
export function wholeEmbeddings(reading: WholeReading, usage: Usage): Buffer {
  if (reading.body !== undefined && Array.isArray(reading.stated.embeddings)) return reading.body;
  return Buffer.from(JSON.stringify({ embeddings: embeddingsIn(reading), usageMetadata: toGeminiUsage(usage) }));
}

function embeddingsIn({ answer }: WholeReading): JsonObject[] {
  const data = Array.isArray(answer.data) ? (answer.data as unknown[]) : [];
  return data.filter(isObject).map(({ embedding }) => ({ values: embedding }));
}
