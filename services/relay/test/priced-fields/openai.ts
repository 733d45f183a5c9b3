import type { ChatCompletionCreateParams, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { CompletionCreateParams } from 'openai/resources/completions';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import type { ModerationCreateParams } from 'openai/resources/moderations';
import type { ResponseCreateParams, ServiceTier, Tool } from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import { capped, counted, type FieldsOf, free, priced, refused, stored, type Words } from './words.ts';

/** The fields of a chat, of the official client's newest version. */
export const chat = {
  messages: free(),
  model: free(),
  audio: counted,
  frequency_penalty: free(0.5),
  function_call: free(),
  functions: free(),
  logit_bias: free({ '50256': -100 }),
  logprobs: free(true),
  max_completion_tokens: capped,
  max_tokens: capped,
  metadata: free({ trip: 'one' }),
  modalities: counted,
  moderation: free({ model: 'omni-moderation-latest' }), // the models that judge cost nothing
  n: capped,
  parallel_tool_calls: free(),
  prediction: counted,
  presence_penalty: free(0.5),
  prompt_cache_key: free('trip'),
  prompt_cache_options: free({ mode: 'explicit' }), // what is written to a cache is counted apart
  prompt_cache_retention: free('24h'),
  reasoning_effort: free(),
  response_format: free({ type: 'json_object' }),
  safety_identifier: free('ada'),
  seed: free(7),
  service_tier: free(),
  stop: free(['END']),
  store: free(false),
  stream: free(),
  stream_options: free(),
  temperature: free(0.5),
  tool_choice: free(),
  tools: free(),
  top_logprobs: free(2),
  top_p: free(0.5),
  user: free('ada'),
  verbosity: free('low'),
  web_search_options: priced({ search_context_size: 'high' }, 'web_search_options'),
} satisfies Words<FieldsOf<ChatCompletionCreateParams>>;

export const chatTiers = {
  auto: free('auto'),
  default: free('default'),
  flex: priced('flex', 'service_tier=flex'),
  scale: priced('scale', 'service_tier=scale'),
  priority: priced('priority', 'service_tier=priority'),
  fast: priced('fast', 'service_tier=fast'),
} satisfies Words<NonNullable<ChatCompletionCreateParams['service_tier']>>;

export const chatTools = {
  function: free([{ type: 'function', function: { name: 'weather' } }]),
  custom: free([{ type: 'custom', custom: { name: 'patch' } }]),
} satisfies Words<ChatCompletionTool['type']>;

export const completion = {
  model: free(),
  prompt: free(),
  best_of: capped,
  echo: free(),
  frequency_penalty: free(0.5),
  logit_bias: free({ '50256': -100 }),
  logprobs: free(2),
  max_tokens: capped,
  n: capped,
  presence_penalty: free(0.5),
  seed: free(7),
  stop: free(['END']),
  stream: free(),
  stream_options: free(),
  suffix: free('the end'),
  temperature: free(0.5),
  top_p: free(0.5),
  user: free('ada'),
} satisfies Words<FieldsOf<CompletionCreateParams>>;

export const embedding = {
  input: free(),
  model: free(),
  dimensions: free(3),
  encoding_format: free('float'),
  user: free('ada'),
} satisfies Words<FieldsOf<EmbeddingCreateParams>>;

export const moderation = { input: free(), model: free() } satisfies Words<FieldsOf<ModerationCreateParams>>;

/** Of Responses, at a channel that has them itself: there nothing is translated. */
export const responses = {
  access_programs: free({ cyber: 'standard' }),
  background: stored,
  context_management: counted,
  conversation: stored,
  image: free({ context_compression: 'auto' }),
  include: free(['reasoning.encrypted_content']),
  input: free(),
  instructions: free('Be brief'),
  max_output_tokens: capped,
  max_tool_calls: free(3),
  metadata: free({ trip: 'one' }),
  model: free(),
  moderation: free({ model: 'omni-moderation-latest' }),
  parallel_tool_calls: free(true),
  previous_response_id: stored,
  prompt: refused({ id: 'pmpt_1' }, 'prompt'),
  prompt_cache_key: free('trip'),
  prompt_cache_options: free({ mode: 'explicit', ttl: '12h' }),
  prompt_cache_retention: free('24h'),
  reasoning: free(),
  safety_identifier: free('ada'),
  service_tier: free(),
  store: stored,
  stream: free(),
  stream_options: free(),
  temperature: free(0.5),
  text: free({ verbosity: 'low' }),
  tool_choice: free('auto'),
  tools: free(),
  top_logprobs: free(2),
  top_p: free(0.5),
  truncation: free('disabled'),
  user: free('ada'),
} satisfies Words<FieldsOf<ResponseCreateParams>>;

export const responsesTiers = {
  ...chatTiers,
  ultrafast: priced('ultrafast', 'service_tier=ultrafast'),
} satisfies Words<NonNullable<ServiceTier>>;

export const reasoning = {
  context: free({ context: 'auto' }),
  effort: free({ effort: 'high' }),
  generate_summary: free({ generate_summary: 'auto' }),
  mode: priced({ mode: 'pro' }, 'reasoning.mode=pro'),
  summary: free({ summary: 'auto' }),
} satisfies Words<FieldsOf<Reasoning>>;

const tool = (type: string) => priced([{ type }], `tools=${type}`);
export const responsesTools = {
  function: free([{ type: 'function', name: 'weather', parameters: {} }]),
  custom: free([{ type: 'custom', name: 'patch' }]),
  computer_use_preview: free([{ type: 'computer_use_preview' }]), // the screen is the caller's
  computer: free([{ type: 'computer' }]),
  file_search: tool('file_search'),
  web_search: tool('web_search'),
  web_search_2025_08_26: tool('web_search_2025_08_26'),
  web_search_preview: tool('web_search_preview'),
  web_search_preview_2025_03_11: tool('web_search_preview_2025_03_11'),
  mcp: tool('mcp'),
  code_interpreter: tool('code_interpreter'),
  programmatic_tool_calling: tool('programmatic_tool_calling'),
  image_generation: tool('image_generation'),
  local_shell: free([{ type: 'local_shell' }]), // so are its commands and patches
  shell: priced([{ type: 'shell', environment: { type: 'container_auto' } }], 'tools=shell'),
  namespace: free([{ type: 'namespace', name: 'crm', description: '', tools: [{ type: 'custom', name: 'patch' }] }]),
  tool_search: free([{ type: 'tool_search' }]), // it searches among the tools of the request
  apply_patch: free([{ type: 'apply_patch' }]),
} satisfies Words<Tool['type']>;

/** Tools may come in the midst of a conversation. */
export const responsesItems = {
  additional_tools: priced([{ type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }], 'tools=web_search'),
  tool_search_output: priced([{ type: 'tool_search_output', tools: [{ type: 'mcp' }] }], 'tools=mcp'),
};
