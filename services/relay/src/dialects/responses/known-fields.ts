/** The fields of a Responses request that can be said to others, or that say nothing to the model. Source: https://platform.openai.com/docs/api-reference/responses/create */
export const spokenFields = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'temperature', 'top_p', 'tools', 'tool_choice'],
  ...['parallel_tool_calls', 'reasoning', 'text', 'user', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
  ...['prompt_cache_retention', 'include', 'truncation', 'top_logprobs'],
  'client_metadata', // what Codex says of itself
]);

/** What would need answers to be kept, or a call to go on without its caller. It is refused, unless it says that it is not wanted. */
export const refusedFields = ['previous_response_id', 'conversation', 'prompt', 'background', 'store'] as const;

/** Values with which a field asks for nothing. */
export const wishesNothing = new Set<unknown>([null, false, 0]);

/** All fields that a Responses request may have. */
export const knownFields = new Set([
  ...spokenFields,
  ...refusedFields,
  ...['max_tool_calls', 'context_management', 'moderation', 'stream_id', 'access_programs', 'image', 'prompt_cache_options'],
]);
