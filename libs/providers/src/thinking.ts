import type { JsonObject } from './provider.ts';

/** Moves reasoning into the content, between `<think>` marks, for callers that know no reasoning field. State: one stream. */
export function thinkingToContent(): (chunk: JsonObject) => JsonObject {
  /** Of the choices that are thinking. */
  const open = new Set<unknown>();
  const moved = (choice: JsonObject): JsonObject => {
    const { reasoning, rest: delta } = withoutReasoning((choice.delta ?? {}) as JsonObject);
    const index = choice.index ?? 0;
    let content = textOf(delta.content);
    let opening = '';
    if (reasoning !== '') {
      opening = (open.has(index) ? '' : '<think>\n') + reasoning;
      open.add(index);
    }
    const isAnswering = content !== '' || Array.isArray(delta.tool_calls) || choice.finish_reason;
    if (isAnswering && open.delete(index)) content = `\n</think>\n${content}`;
    return { ...choice, delta: opening + content === '' ? delta : { ...delta, content: opening + content } };
  };
  return (chunk) => ({ ...chunk, choices: choicesIn(chunk).map(moved) });
}

/** The same for a whole answer. */
export function thinkingToWholeContent(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.choices)) return answer;
  return {
    ...answer,
    choices: choicesIn(answer).map((choice) => {
      const { reasoning, rest: message } = withoutReasoning((choice.message ?? {}) as JsonObject);
      if (reasoning === '') return choice;
      return { ...choice, message: { ...message, content: `<think>\n${reasoning}\n</think>\n${textOf(message.content)}` } };
    }),
  };
}

/** The reasoning of a piece under either of its names, and the piece without both. */
function withoutReasoning({ reasoning_content: content, reasoning: named, ...rest }: JsonObject): { reasoning: string; rest: JsonObject } {
  const reasoning = [content, named].find((one) => typeof one === 'string' && one !== '');
  return { reasoning: (reasoning as string | undefined) ?? '', rest };
}

/** A text, or the texts of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: JsonObject | null) => textOf(part?.text)).join('') : '';
}

/** Without what is none. */
function choicesIn({ choices }: JsonObject): JsonObject[] {
  return Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'object' && choice !== null) : [];
}
