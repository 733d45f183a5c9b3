import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, statedError } from '../error-text.ts';
import { chatChunk, chatResponse } from '../openai/chunk.ts';
import type { ChatResponse } from '../openai/types.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { newsIn, read } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';

const whole = z.object({
  answer: z.string(),
  message_id: z.string().nullish(),
  created_at: z.number().nullish(),
});
const piece = z.object({ event: z.string().nullish(), answer: z.string().nullish(), message_id: z.string().nullish() });

/** An answer in one, of somebody who streams none. */
export function decodeResponse(body: JsonObject, stamp: Stamp): ChatResponse {
  const { answer, message_id, created_at } = read(whole, body);
  const head = { ...stamp, id: message_id || stamp.id, createdSeconds: created_at || stamp.createdSeconds };
  return chatResponse(head, [{ text: answer, finishReason: 'stop' }]);
}

export function usageIn(answer: JsonObject): UsageReading | undefined {
  const usage = (answer.metadata as JsonObject | null | undefined)?.usage as JsonObject | null | undefined;
  if (!usage) return undefined;
  return usageReading((count) => ({
    ...noUsage,
    textInput: count('prompt_tokens', usage.prompt_tokens),
    textOutput: count('completion_tokens', usage.completion_tokens),
  }));
}

export function errorIn(body: JsonObject): UpstreamError | undefined {
  if (body.event !== 'error') return undefined;
  return errorFrom(statedError(body), { status: typeof body.status === 'number' ? body.status : 200 });
}

/**
 * An app's events; those of its workflow carry no text. `message_end` brings the bill. What moderation puts in the place of an
 * answer (`message_replace`) cannot take back what is out already and is told as more text; of an answer that is told whole it is the text.
 */
export function decodeStream(stamp: Stamp, { isWhole = false } = {}): ChunkDecoder {
  let kept = '';
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const { event: name, answer, message_id } = read(piece, body);
      const head = { ...stamp, id: message_id || stamp.id };
      if (name === 'message_end') {
        usage = usageIn(body) ?? usage;
        state = 'ended';
        const said = kept === '' ? [] : [chatChunk(head, { role: 'assistant', content: kept })];
        return [...said, chatChunk(head, {}, { finishReason: 'stop' })];
      }
      if (name !== 'message' && name !== 'agent_message' && name !== 'message_replace') return [];
      const text = answer ?? '';
      if (!isWhole) return text === '' ? [] : [chatChunk(head, { role: 'assistant', content: text })];
      kept = name === 'message_replace' ? text : kept + text;
      return [];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}
