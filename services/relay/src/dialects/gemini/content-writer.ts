import type { Usage } from '@tollgate/contracts';
import { type JsonObject, objectsIn, ReasoningDetails, type SseFrame, type StreamReading, thoughtIn } from '@tollgate/providers';
import type { AnswerWriter } from '../../context/route.ts';
import { citedIn, foundFor, type Source } from '../sources.ts';
import { type CallPiece, CallPieces } from '../tool-calls.ts';
import { correctedUsage, finishReasonOf, groundingOf, lastContent, logprobsResultOf, partsOf, toGeminiUsage } from './candidates.ts';

/** A candidate whose pieces come one by one. */
interface Candidate {
  index: number;
  /** Calls of functions are told whole, so their pieces are kept until the candidate ends. */
  pieces: CallPieces;
  calls: Map<number, { call: JsonObject; text: string }>;
  finishReason: string | undefined;
  /** They are told with its end. */
  sources: Source[];
  details: ReasoningDetails;
}

/**
 * Writes a stream as Gemini does: each event is an answer with a part of the words, the last one has the reasons for its end
 * and the bill. Source: https://ai.google.dev/api/generate-content
 */
export class ContentWriter implements AnswerWriter {
  readonly #reading: StreamReading;
  readonly #candidates = new Map<number, Candidate>();
  keptBytes = 0;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  frame(_frame: SseFrame, chunks: readonly JsonObject[]): string | undefined {
    return this.chunks(chunks);
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    let text = '';
    for (const chunk of chunks) {
      const told = objectsIn(chunk.choices).flatMap((choice) => this.#told(choice, chunk));
      if (told.length > 0) text += this.#event({ candidates: told });
    }
    return text === '' ? undefined : text;
  }

  #told(choice: JsonObject, chunk: JsonObject): JsonObject[] {
    const candidate = this.#candidate(typeof choice.index === 'number' ? choice.index : 0);
    const { tool_calls: calls, reasoning_details: details, ...delta } = (choice.delta ?? {}) as JsonObject;
    this.keptBytes += candidate.details.add(details);
    for (const piece of candidate.pieces.piecesIn(calls)) this.keptBytes += keep(candidate, piece);
    const sources = [...citedIn(delta), ...(choice.finish_reason ? foundFor(chunk) : [])];
    for (const source of sources) candidate.sources.push(source);
    this.keptBytes += sources.reduce((sum, { url, title = '' }) => sum + url.length + title.length, 0);
    if (choice.finish_reason) candidate.finishReason = finishReasonOf(choice.finish_reason);
    const parts = partsOf({ ...delta, reasoning_content: thoughtIn({ ...delta, reasoning_details: details }) });
    const likelihoods = logprobsResultOf(choice);
    if (parts.length === 0 && likelihoods.logprobsResult === undefined) return [];
    return [{ content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] }, ...likelihoods, index: candidate.index }];
  }

  #candidate(index: number): Candidate {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = {
        index,
        pieces: new CallPieces(),
        calls: new Map(),
        finishReason: undefined,
        sources: [],
        details: new ReasoningDetails(),
      };
      this.#candidates.set(index, candidate);
      this.keptBytes += callBytes;
    }
    return candidate;
  }

  cut(): string {
    for (const candidate of this.#candidates.values()) candidate.finishReason ??= 'MAX_TOKENS';
    if (this.#candidates.size === 0) this.#candidate(0).finishReason = 'MAX_TOKENS';
    return '';
  }

  end(usage: Usage): string {
    const candidates = [...this.#candidates.values()].map(({ index, calls, finishReason = 'STOP', sources, details }) => ({
      content: lastContent(
        [...calls.values()].map(({ call, text }) => withArguments(call, text)),
        details.take(),
      ),
      finishReason,
      ...groundingOf(sources),
      index,
    }));
    return this.#event({ candidates, usageMetadata: toGeminiUsage(usage) });
  }

  #event(answer: JsonObject): string {
    const { id, model } = this.#reading.head;
    return eventOf({ ...answer, modelVersion: model, responseId: id });
  }
}

export function eventOf(answer: JsonObject): string {
  return `data: ${JSON.stringify(answer)}\r\n\r\n`;
}

/** What a call takes beside its arguments, about. */
const callBytes = 500;

/** How many bytes more are kept. */
function keep({ calls }: Candidate, { key, call, args }: CallPiece): number {
  const known = calls.get(key);
  if (known === undefined) calls.set(key, { call, text: args });
  else known.text += args;
  return args.length + (known === undefined ? callBytes : 0);
}

function withArguments(call: JsonObject, text: string): JsonObject {
  return { ...call, function: { ...(call.function as JsonObject), arguments: text } };
}

/**
 * Passes a provider's events on as they came. The last one that states the bill of a whole answer waits for the end: where less
 * is stated than is charged, the charge stands in it.
 */
export class PassedContents implements AnswerWriter {
  readonly #reading: StreamReading;
  #bill: SseFrame | undefined;
  #isCut = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  frame(frame: SseFrame): Buffer | string | undefined {
    const before = this.#bill?.raw;
    this.#bill = undefined;
    if (!this.#reading.hasBill || !this.#reading.isComplete) return before === undefined ? frame.raw : Buffer.concat([before, frame.raw]);
    this.#bill = frame;
    return before;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return new ContentWriter(this.#reading).chunks(chunks);
  }

  cut(): string {
    this.#isCut = true;
    return '';
  }

  end(usage: Usage): Buffer | string {
    if (this.#bill !== undefined && this.#reading.isUsageCharged) return this.#bill.raw;
    const stated = (this.#bill?.json() ?? this.#lastAnswer()) as JsonObject;
    return eventOf({ ...stated, usageMetadata: correctedUsage(stated.usageMetadata, usage) });
  }

  #lastAnswer(): JsonObject {
    const { id, model } = this.#reading.head;
    const candidate = { content: lastContent(), ...(this.#isCut && { finishReason: 'MAX_TOKENS' }), index: 0 };
    return { candidates: [candidate], modelVersion: model, responseId: id };
  }
}
