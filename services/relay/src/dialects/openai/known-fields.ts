/** The fields of OpenAI's requests at their top level. */
export const knownFields = new Set([
  ...['model', 'messages', 'prompt', 'suffix', 'input', 'dimensions', 'encoding_format', 'stream', 'stream_options', 'n', 'best_of'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'seed', 'user', 'echo', 'group', 'metadata'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'response_format', 'modalities', 'audio'],
  ...['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'service_tier', 'web_search_options', 'prediction', 'store'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'verbosity', 'plugins', 'extra_body'],
  ...['moderation', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
]);
