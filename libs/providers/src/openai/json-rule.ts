import type { ChatRequest } from './types.ts';

/** An answer's form in words, for models that cannot be bound to it; '' where none is asked for. */
export function jsonRuleOf({ response_format: format }: ChatRequest): string {
  if (format?.type === 'json_object') return 'Answer with one JSON object and nothing else: no prose, no code fence.';
  if (format?.type !== 'json_schema') return '';
  return `Answer with JSON that matches this JSON schema and nothing else: no prose, no code fence.\n${JSON.stringify(format.json_schema?.schema ?? {})}`;
}
