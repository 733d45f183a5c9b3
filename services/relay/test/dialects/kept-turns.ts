import type { JsonObject } from '@tollgate/providers';
import type { CallerName } from './next-turn.ts';

export const objects = (text: string): JsonObject[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as JsonObject] : []));

/** What a caller keeps of an answer, calls of tools included, and sends back with his next question. */
export const keptTurn: Record<
  CallerName,
  { whole(text: string): unknown; stream(text: string): unknown; next(turn: unknown): JsonObject }
> = {
  openai: {
    whole: (text) => (JSON.parse(text) as { choices: { message: unknown }[] }).choices[0]?.message,
    stream: (text) => {
      const message: JsonObject & { reasoning_details: JsonObject[] } = { role: 'assistant', content: '', reasoning_details: [] };
      for (const { choices } of objects(text)) {
        const { delta } = (choices as { delta: JsonObject }[])[0] as { delta: JsonObject };
        message.content = `${message.content}${delta.content ?? ''}`;
        if (delta.tool_calls) message.tool_calls = delta.tool_calls;
        for (const detail of (delta.reasoning_details ?? []) as JsonObject[]) {
          const last = message.reasoning_details.at(-1);
          if (last?.type !== detail.type) message.reasoning_details.push({ ...detail });
          else Object.assign(last as JsonObject, detail, { text: `${last?.text}${detail.text ?? ''}` });
        }
      }
      return message;
    },
    next: (turn) => ({
      model: 'm',
      messages: [{ role: 'user', content: 'go' }, turn, { role: 'tool', tool_call_id: 'call_1', content: 'rain' }],
    }),
  },
  anthropic: {
    whole: (text) => (JSON.parse(text) as { content: unknown }).content,
    stream: (text) => {
      const blocks: JsonObject[] = [];
      for (const { type, content_block: block, delta } of objects(text)) {
        const last = blocks.at(-1);
        const { text: words, thinking, partial_json: input } = (delta ?? {}) as JsonObject;
        if (type === 'content_block_start') blocks.push({ ...(block as JsonObject) });
        if (type !== 'content_block_delta' || last === undefined) continue;
        if (words !== undefined) last.text = `${last.text}${words}`;
        if (thinking !== undefined) last.thinking = `${last.thinking}${thinking}`;
        if (input !== undefined) last.input = JSON.parse(input as string);
      }
      return blocks;
    },
    next: (content) => ({
      model: 'm',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'rain' }] },
      ],
    }),
  },
  gemini: {
    whole: (text) => [(JSON.parse(text) as { candidates: { content: JsonObject }[] }).candidates[0]?.content.parts],
    stream: (text) =>
      objects(text).flatMap(({ candidates }) => (candidates as { content: JsonObject }[]).map(({ content }) => content.parts)),
    next: (parts) => ({
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: (parts as unknown[]).flat() },
        { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'look', response: { output: 'rain' } } }] },
      ],
    }),
  },
  responses: {
    whole: (text) => (JSON.parse(text) as { output: unknown }).output,
    stream: (text) => (objects(text).at(-1)?.response as { output: unknown } | undefined)?.output,
    next: (output) => ({
      model: 'm',
      input: [
        { role: 'user', content: 'go' },
        ...(output as unknown[]),
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      ],
    }),
  },
};
