import type { JsonObject } from '@tollgate/providers';
import { anthropicTools, geminiTools, open, openaiTools, others, type Piece, responsesTools, schema } from './piece.ts';

const named = { name: 'weather', description: 'of a city' };

/** A choice of tools, where three are known. */
function choosing(choice: { openai: JsonObject; anthropic?: JsonObject; gemini?: JsonObject; responses: JsonObject }): Omit<Piece, 'says'> {
  return {
    openai: { tools: openaiTools(others), ...choice.openai },
    anthropic: choice.anthropic && { tools: anthropicTools(others), ...choice.anthropic },
    gemini: choice.gemini && { tools: geminiTools(others), toolConfig: { functionCallingConfig: choice.gemini } },
    responses: { tools: responsesTools(others), ...choice.responses },
  };
}

/** How it is to be answered. */
export const wishes: Piece[] = [
  {
    says: 'how much to think',
    openai: { reasoning_effort: 'medium', max_tokens: 20_000 },
    anthropic: { thinking: { type: 'enabled', budget_tokens: 4096 }, max_tokens: 20_000 },
    gemini: { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 }, maxOutputTokens: 20_000 } },
    responses: { reasoning: { effort: 'medium' }, max_output_tokens: 20_000 },
  },
  {
    says: 'a strict schema of the answer',
    openai: { response_format: { type: 'json_schema', json_schema: { name: 'trip', schema, strict: true } } },
    anthropic: { output_config: { format: { type: 'json_schema', schema } } },
    gemini: { generationConfig: { responseMimeType: 'application/json', responseSchema: open } },
    responses: { text: { format: { type: 'json_schema', name: 'trip', schema, strict: true } } },
  },
  {
    says: 'an answer in JSON',
    openai: { response_format: { type: 'json_object' } },
    gemini: { generationConfig: { responseMimeType: 'application/json' } },
    responses: { text: { format: { type: 'json_object' } } },
  },
  {
    says: 'a strict tool',
    openai: { tools: [{ type: 'function', function: { ...named, parameters: schema, strict: true } }] },
    anthropic: { tools: [{ ...named, input_schema: schema, strict: true }] },
    responses: { tools: [{ type: 'function', ...named, parameters: schema, strict: true }] },
  },
  {
    says: 'tools as they like',
    ...choosing({
      openai: { tool_choice: 'auto' },
      anthropic: { tool_choice: { type: 'auto' } },
      gemini: { mode: 'AUTO' },
      responses: { tool_choice: 'auto' },
    }),
  },
  {
    says: 'no tool now',
    ...choosing({
      openai: { tool_choice: 'none' },
      anthropic: { tool_choice: { type: 'none' } },
      gemini: { mode: 'NONE' },
      responses: { tool_choice: 'none' },
    }),
  },
  {
    says: 'some tool',
    ...choosing({
      openai: { tool_choice: 'required' },
      anthropic: { tool_choice: { type: 'any' } },
      gemini: { mode: 'ANY' },
      responses: { tool_choice: 'required' },
    }),
  },
  {
    says: 'this tool',
    ...choosing({
      openai: { tool_choice: { type: 'function', function: { name: 'time' } } },
      anthropic: { tool_choice: { type: 'tool', name: 'time' } },
      gemini: { mode: 'ANY', allowedFunctionNames: ['time'] },
      responses: { tool_choice: { type: 'function', name: 'time' } },
    }),
  },
  {
    says: 'one of these tools',
    ...choosing({
      openai: {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: ['time', 'map'].map((name) => ({ type: 'function', function: { name } })) },
        },
      },
      gemini: { mode: 'ANY', allowedFunctionNames: ['time', 'map'] },
      responses: {
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: ['time', 'map'].map((name) => ({ type: 'function', name })) },
      },
    }),
  },
  {
    says: 'one call at a time',
    ...choosing({
      openai: { tool_choice: 'auto', parallel_tool_calls: false },
      anthropic: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      responses: { tool_choice: 'auto', parallel_tool_calls: false },
    }),
  },
  {
    says: 'tools that run at the provider',
    anthropic: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    gemini: { tools: [{ googleSearch: {} }] },
    responses: { tools: [{ type: 'web_search' }] },
  },
  {
    says: 'tools of free text',
    openai: { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    responses: { tools: [{ type: 'custom', name: 'patch' }] },
  },
  {
    says: 'functions, as before there were tools',
    openai: { functions: [{ name: 'weather', parameters: open }] },
  },
  {
    says: 'words to stop at',
    openai: { stop: ['END', 'STOP'] },
    anthropic: { stop_sequences: ['END', 'STOP'] },
    gemini: { generationConfig: { stopSequences: ['END', 'STOP'] } },
  },
  {
    says: 'chance',
    openai: { temperature: 0.7, seed: 7, presence_penalty: 0.5, frequency_penalty: 0.25 },
    anthropic: { temperature: 0.7, top_k: 20 },
    gemini: { generationConfig: { temperature: 0.7, topK: 20, seed: 7, presencePenalty: 0.5, frequencyPenalty: 0.25 } },
    responses: { temperature: 0.7 },
  },
  {
    says: 'the most likely words alone',
    openai: { top_p: 0.5 },
    anthropic: { top_p: 0.5 },
    gemini: { generationConfig: { topP: 0.5 } },
    responses: { top_p: 0.5 },
  },
  {
    says: 'how long an answer may be',
    openai: { max_completion_tokens: 500 },
    anthropic: { max_tokens: 500 },
    gemini: { generationConfig: { maxOutputTokens: 500 } },
    responses: { max_output_tokens: 500 },
  },
  {
    says: 'nothing of how long an answer may be',
    openai: { max_tokens: undefined },
    gemini: { generationConfig: { temperature: 1, maxOutputTokens: undefined } },
    responses: { max_output_tokens: undefined },
  },
  { says: 'several answers', openai: { n: 2 }, gemini: { generationConfig: { candidateCount: 2 } } },
  { says: 'whose question it is', openai: { user: 'ada' }, anthropic: { metadata: { user_id: 'ada' } }, responses: { user: 'ada' } },
  {
    says: 'what to keep in a cache',
    anthropic: {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }] }],
    },
    responses: { prompt_cache_key: 'trip' },
  },
  { says: 'how safe it must be', gemini: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }] } },
  { says: 'what was answered before', responses: { previous_response_id: 'resp_1' } },
];
