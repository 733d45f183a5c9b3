import { z } from 'zod';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

// Only the fields that we read, so that Anthropic may add or drop what we do not use.

const contentBlock = z.object({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
  citations: z.unknown().optional(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  content: z.unknown().optional(),
});
export type ContentBlock = z.infer<typeof contentBlock>;

/** Counts are read with care elsewhere; here they may be anything. */
const usage = z.custom<JsonObject>(isObject).nullish();

export const message = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  content: z.array(contentBlock),
  stop_reason: z.string().nullish(),
  usage,
});

export const messageStart = z.object({ message: z.object({ id: z.string().nullish(), model: z.string().nullish(), usage }) });
export const contentBlockStart = z.object({ index: z.number(), content_block: contentBlock });
export const contentBlockDelta = z.object({
  index: z.number(),
  delta: z.object({
    type: z.string(),
    text: z.string().nullish(),
    thinking: z.string().nullish(),
    partial_json: z.string().nullish(),
    signature: z.string().nullish(),
    citation: z.unknown().optional(),
  }),
});
export const contentBlockStop = z.object({ index: z.number() });
export const messageDelta = z.object({ delta: z.object({ stop_reason: z.string().nullish() }), usage });
