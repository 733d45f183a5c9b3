/** The fields of a Messages request that can be said to others, or that say nothing to the model. Source: https://docs.anthropic.com/en/api/messages */
export const spokenFields = new Set([
  ...['model', 'messages', 'max_tokens', 'system', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'metadata'],
  ...[
    'thinking',
    'tools',
    'tool_choice',
    'cache_control',
    'output_config',
    'output_format',
    'service_tier',
    'speed',
    'inference_geo',
    'container',
  ],
  'context_management', // what Anthropic would cut out of a conversation, others are told whole
]);

/** All fields that a Messages request may have. */
export const knownFields = new Set([
  ...spokenFields,
  ...['mcp_servers', 'compaction', 'diagnostics', 'user_profile_id', 'workspace_id'],
  ...['fallbacks', 'fallback_credit_token', 'billing_policy', 'thread'],
]);
