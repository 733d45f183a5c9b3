import type {
  BetaContentBlockParam,
  MessageCreateParams as BetaMessageCreateParams,
  BetaOutputConfig,
  BetaToolUnion,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { MessageCreateParams, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { capped, counted, type FieldsOf, free, priced, refused, untold, type Words } from './words.ts';

/** The fields of a message, of the official client's newest version and its trials. */
export const messages = {
  max_tokens: capped,
  messages: free(),
  model: free(),
  betas: untold,
  billing_policy: priced({ type: 'billing_policy', bill_to: 'user_profile' }, 'billing_policy'),
  cache_control: counted,
  compaction: counted,
  container: refused('container_1', 'container'),
  context_management: counted,
  diagnostics: free({ previous_message_id: null }),
  fallback_credit_token: free('credit'), // makes what is counted cheaper, if anything
  fallbacks: priced([{ model: 'dear-model' }], 'fallbacks'),
  inference_geo: priced('us', 'inference_geo=us'),
  mcp_servers: free([{ type: 'url', url: 'https://example.com', name: 'x' }]),
  metadata: free({ user_id: 'ada' }),
  output_config: free(),
  output_format: free(),
  service_tier: free('auto'),
  speed: priced('fast', 'speed=fast'),
  stop_sequences: free(['END']),
  stream: free(),
  system: free('Be brief'),
  thinking: capped,
  thread: refused({ type: 'create' }, 'thread'),
  tool_choice: free(),
  tools: free(),
  user_profile_id: untold,
  workspace_id: untold,
} satisfies Words<FieldsOf<MessageCreateParams> | FieldsOf<BetaMessageCreateParams>>;

export const outputConfig = {
  effort: free({ effort: 'high' }),
  format: free({ format: { type: 'json_schema', schema: { type: 'object' } } }),
  task_budget: free({ task_budget: { type: 'tokens', total: 20_000 } }),
} satisfies Words<FieldsOf<BetaOutputConfig>>;

type Typed<T> = T extends { type?: infer Type } ? NonNullable<Type> & string : never;

const caller = (type: string) => free([{ type, name: 'x' }]);
const provider = (type: string) => priced([{ type, name: 'x' }], `tools=${type}`);
export const tools = {
  custom: free([{ type: 'custom', name: 'x', input_schema: { type: 'object' } }]),
  bash_20241022: caller('bash_20241022'),
  bash_20250124: caller('bash_20250124'),
  text_editor_20241022: caller('text_editor_20241022'),
  text_editor_20250124: caller('text_editor_20250124'),
  text_editor_20250429: caller('text_editor_20250429'),
  text_editor_20250728: caller('text_editor_20250728'),
  computer_20241022: caller('computer_20241022'),
  computer_20250124: caller('computer_20250124'),
  computer_20251124: caller('computer_20251124'),
  computer_toolset_20260801: caller('computer_toolset_20260801'),
  memory_20250818: caller('memory_20250818'),
  browser_toolset_20260801: provider('browser_toolset_20260801'),
  code_execution_20250522: provider('code_execution_20250522'),
  code_execution_20250825: provider('code_execution_20250825'),
  code_execution_20260120: provider('code_execution_20260120'),
  code_execution_20260521: provider('code_execution_20260521'),
  web_search_20250305: provider('web_search_20250305'),
  web_search_20260209: provider('web_search_20260209'),
  web_search_20260318: provider('web_search_20260318'),
  web_fetch_20250910: caller('web_fetch_20250910'),
  web_fetch_20260209: caller('web_fetch_20260209'),
  web_fetch_20260309: caller('web_fetch_20260309'),
  web_fetch_20260318: caller('web_fetch_20260318'),
  tool_search_tool_bm25: caller('tool_search_tool_bm25'),
  tool_search_tool_bm25_20251119: caller('tool_search_tool_bm25_20251119'),
  tool_search_tool_regex: caller('tool_search_tool_regex'),
  tool_search_tool_regex_20251119: caller('tool_search_tool_regex_20251119'),
  advisor_20260301: provider('advisor_20260301'),
  mcp_toolset: caller('mcp_toolset'),
} satisfies Words<Typed<ToolUnion> | Typed<BetaToolUnion>>;

/** What a message may be made of: what is no text weighs, and tools may be added in its midst. */
const adding = (tool: object) => [{ role: 'user', content: [{ type: 'tool_addition', tool }] }];
export const blocks = {
  text: free(),
  image: counted,
  document: counted,
  search_result: free(),
  thinking: free(),
  redacted_thinking: free(),
  tool_use: free(),
  tool_result: free(),
  server_tool_use: free(),
  web_search_tool_result: free(),
  web_fetch_tool_result: free(),
  advisor_tool_result: free(),
  code_execution_tool_result: free(),
  bash_code_execution_tool_result: free(),
  text_editor_code_execution_tool_result: free(),
  tool_search_tool_result: free(),
  mcp_tool_use: free(),
  mcp_tool_result: free(),
  container_upload: free(),
  compaction: free(),
  tool_removal: free(),
  mcp_tool_listing: free(),
  fallback: free(),
  tool_addition: priced(
    adding({ type: 'tool_definition', definition: { type: 'web_search_20250305', name: 'web_search' } }),
    'tools=web_search_20250305',
  ),
} satisfies Words<Typed<BetaContentBlockParam>>;
export const moreBlocks = {
  servers: priced(adding({ type: 'mcp_toolset_reference', server_name: 'x' }), 'tools=mcp_toolset_reference'),
  own: free(adding({ type: 'tool_definition', definition: { name: 'x', input_schema: { type: 'object' } } })),
};
