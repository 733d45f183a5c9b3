import type { JsonObject } from './provider.ts';

/** Moves reasoning into the content, between `<think>` marks, for callers that know no reasoning field. State: one stream. */
export function thinkingToContent(): (chunk: JsonObject) => JsonObject {
  let isOpen = false;
  return (chunk) => ({
    ...chunk,
    choices: (Array.isArray(chunk.choices) ? chunk.choices : []).map((choice: JsonObject) => {
      const { reasoning_content: reasoning, ...delta } = (choice.delta ?? {}) as JsonObject;
      let content = typeof delta.content === 'string' ? delta.content : '';
      let opening = '';
      if (typeof reasoning === 'string' && reasoning !== '') {
        opening = (isOpen ? '' : '<think>\n') + reasoning;
        isOpen = true;
      }
      const isAnswering = content !== '' || Array.isArray(delta.tool_calls) || choice.finish_reason;
      if (isOpen && isAnswering) {
        content = `\n</think>\n${content}`;
        isOpen = false;
      }
      return { ...choice, delta: opening + content === '' ? delta : { ...delta, content: opening + content } };
    }),
  });
}

/** The same for a whole answer. */
export function thinkingToWholeContent(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.choices)) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice: JsonObject) => {
      const { reasoning_content: reasoning, ...message } = (choice.message ?? {}) as JsonObject;
      if (typeof reasoning !== 'string' || reasoning === '') return choice;
      return { ...choice, message: { ...message, content: `<think>\n${reasoning}\n</think>\n${message.content ?? ''}` } };
    }),
  };
}
