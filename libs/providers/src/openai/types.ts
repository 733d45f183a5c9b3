/**
 * OpenAI's dialect as far as we read it, and the hub in which all other dialects meet. A caller's request is checked where it is
 * read; every field that is not named here travels on, hence the index signatures.
 */
export interface AnyRequest {
  model: string;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean | null; [field: string]: unknown } | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  reasoning_effort?: string | null;
  encoding_format?: string | null;
  [field: string]: unknown;
}

export interface ChatRequest extends AnyRequest {
  messages: ChatMessage[];
  n?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  stop?: string | string[] | null;
  tools?: Tool[] | null;
  tool_choice?: ToolChoice | null;
  parallel_tool_calls?: boolean | null;
  response_format?: {
    type?: string;
    json_schema?: { schema?: Record<string, unknown>; [field: string]: unknown };
    [field: string]: unknown;
  } | null;
  user?: string | null;
}

export interface ChatMessage {
  role: string;
  content?: string | ContentPart[] | null;
  name?: string;
  tool_calls?: ToolCall[] | null;
  tool_call_id?: string;
  reasoning_content?: string | null;
  [field: string]: unknown;
}

export interface ContentPart {
  type: string;
  text?: string;
  image_url?: { url?: string; detail?: string } | string;
  input_audio?: { data?: string; format?: string };
  file?: { filename?: string; file_data?: string; file_id?: string };
  [field: string]: unknown;
}

export interface Tool {
  type: string;
  function?: { name: string; description?: string; parameters?: Record<string, unknown> | null; strict?: boolean | null };
  [field: string]: unknown;
}

export type ToolChoice = string | { type: string; function?: { name: string }; allowed_tools?: unknown };

export interface ToolCall {
  index?: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments?: string };
  [field: string]: unknown;
}

export interface CompletionRequest extends AnyRequest {
  prompt: string | string[] | number[] | number[][];
  n?: number | null;
}

export interface EmbeddingsRequest extends AnyRequest {
  input: string | string[] | number[] | number[][];
  dimensions?: number | null;
  /** Pictures, sound and files to embed with the texts: only Gemini's own dialect carries them, so here they are but weighed. */
  media?: ContentPart[];
}

export interface EmbeddingsResponse {
  object: 'list';
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  model: string;
  [field: string]: unknown;
}

/** `error`: the answer was given up; callers are told that it was cut short (`given-up.ts`). */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call' | 'error';

export interface ChatDelta {
  role?: 'assistant';
  content?: string | null;
  reasoning_content?: string | null;
  tool_calls?: ToolCall[];
  [field: string]: unknown;
}

/** How likely each token was. */
export interface Likelihoods {
  content: (Likelihood & { top_logprobs: Likelihood[] })[];
  refusal: null;
}

interface Likelihood {
  token: string;
  logprob: number;
  bytes: number[];
}

export interface ChatChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: { index: number; delta: ChatDelta; logprobs: Likelihoods | null; finish_reason: FinishReason | null }[];
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
}

export interface ChatResponse {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: {
    index: number;
    message: { role: 'assistant'; content: string | null; reasoning_content?: string; tool_calls?: ToolCall[]; [field: string]: unknown };
    logprobs: Likelihoods | null;
    finish_reason: FinishReason;
  }[];
  [field: string]: unknown;
}

export interface OpenAiUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: Record<string, number>;
  completion_tokens_details?: Record<string, number>;
}

/** One event of a caller in a session. Source: https://platform.openai.com/docs/api-reference/realtime-client-events */
export interface RealtimeRequest extends AnyRequest {
  type?: string;
  event_id?: string | null;
  session?: Record<string, unknown> | null;
  response?: Record<string, unknown> | null;
  item?: Record<string, unknown> | null;
  audio?: string;
}
