import { z } from 'zod';
import { RequestRefused } from '../upstream-error.ts';
import type { ChatRequest } from './types.ts';

// What translators read of a caller's request. Everything else is kept and looked at by nobody.

const part = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string(), detail: z.string().nullish() })]).nullish(),
  input_audio: z.looseObject({ data: z.string(), format: z.string().nullish() }).nullish(),
  file: z.looseObject({ filename: z.string().nullish(), file_data: z.string().nullish(), file_id: z.string().nullish() }).nullish(),
});

const toolCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
});

const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().nullish(),
  thinking_blocks: z.array(z.looseObject({ type: z.string() })).nullish(),
});

const tool = z.looseObject({
  type: z.string().nullish(),
  function: z
    .looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.record(z.string(), z.unknown()).nullish() })
    .nullish(),
});

const chatRequest = z.looseObject({
  messages: z.array(message).min(1),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  n: z.number().nullish(),
  seed: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  user: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ function: z.looseObject({ name: z.string() }).nullish() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: z
    .looseObject({
      type: z.string().nullish(),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).nullish() }).nullish(),
    })
    .nullish(),
});

/** The request, once everything that translators read of it has the right type. Throws: RequestRefused that names the field. */
export function readChatRequest(request: ChatRequest): ChatRequest {
  for (const field of ['functions', 'function_call']) {
    if (isSaid(request[field])) throw new RequestRefused(`This model knows tools in the place of ${field}`, field);
  }
  const result = chatRequest.safeParse(request);
  if (result.success) return result.data as unknown as ChatRequest;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  throw new RequestRefused(`${path.slice(1) || 'The request'}: ${issue?.message ?? 'wrong type'}`, path.slice(1) || null);
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== 'none' && !(Array.isArray(value) && value.length === 0);
}
