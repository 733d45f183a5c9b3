import type { Stamp } from '../provider.ts';
import { chatResponse, type TranslatedChoice } from './chunk.ts';
import type { ChatChunk, ChatResponse, ToolCall } from './types.ts';

/** The answer that the chunks of a stream say together. */
export function wholeOf(chunks: readonly ChatChunk[], head: Stamp): ChatResponse {
  const choices: TranslatedChoice[] = [];
  for (const { index, delta, finish_reason: reason } of chunks.flatMap((chunk) => chunk.choices)) {
    choices[index] ??= { text: '', reasoning: '', toolCalls: [], finishReason: 'stop' };
    const choice = choices[index];
    choice.text += delta.content ?? '';
    choice.reasoning += delta.reasoning_content ?? '';
    choice.finishReason = reason ?? choice.finishReason;
    for (const call of delta.tool_calls ?? []) addTo(choice.toolCalls ?? [], call);
  }
  return chatResponse(head, choices.filter(Boolean));
}

function addTo(calls: ToolCall[], { index = calls.length, id, function: piece, ...rest }: ToolCall): void {
  const known = calls[index];
  if (known === undefined) {
    calls[index] = { ...rest, index, id, type: 'function', function: { name: piece.name, arguments: piece.arguments ?? '' } };
    return;
  }
  known.function.arguments = (known.function.arguments ?? '') + (piece.arguments ?? '');
}
