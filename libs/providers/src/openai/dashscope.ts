import type { JsonObject, Target } from '../provider.ts';
import { withChangedPieces } from './changed-pieces.ts';
import type { Differences } from './compatible.ts';
import type { ChatRequest, ToolCall } from './types.ts';

/**
 * Alibaba's DashScope by its OpenAI-compatible routes: `top_p` must lie between 0 and 1, later pieces of a tool call carry an
 * empty id. Source: https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope
 */
export const dashscope: Differences = {
  pathPrefix: '/compatible-mode/v1/',
  headers: ({ key, other }: Target) => ({
    authorization: `Bearer ${key}`,
    'x-dashscope-sse': 'enable',
    ...(other && { 'x-dashscope-plugin': other }),
  }),
  chatEdits: ({ top_p: topP }: ChatRequest) => {
    if (typeof topP !== 'number') return undefined;
    return { set: { top_p: Math.min(0.999, Math.max(0.001, topP)) } };
  },
  repair: (answer) => withChangedPieces(answer, withoutEmptyIds),
};

function withoutEmptyIds(piece: JsonObject): JsonObject {
  if (!Array.isArray(piece.tool_calls)) return piece;
  const calls = piece.tool_calls as ToolCall[];
  return { ...piece, tool_calls: calls.map(({ id, ...call }) => (id === '' ? call : { ...call, id })) };
}
