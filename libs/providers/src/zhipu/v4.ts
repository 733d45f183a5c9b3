import type { ChannelTypeInfo } from '@tollgate/contracts';
import type { JsonEdits } from '../json-bytes.ts';
import { withChangedPieces } from '../openai/changed-pieces.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { readDataUrl } from '../openai/data-url.ts';
import { withFilesAs } from '../openai/file-parts.ts';
import { imageUrlOf, outputLimitOf } from '../openai/message-text.ts';
import { readChatRequest } from '../openai/request-schema.ts';
import type { ChatMessage, ChatRequest, ContentPart } from '../openai/types.ts';
import type { JsonObject, Provider, RepairContext } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { zhipuJwt } from './jwt.ts';

/** Zhipu's GLM: OpenAI's dialect within limits of its own. Source: https://docs.bigmodel.cn/api-reference */
export function zhipuV4(info: ChannelTypeInfo): Provider {
  const provider = openaiCompatible(info, { pathPrefix: '/api/paas/v4/', chatEdits, repair, fileAddressesOnly: true });
  return {
    ...provider,
    headers: (): Record<string, string> => ({}),
    sign({ target, atMs }) {
      const parts = partsOf(target.key);
      return { headers: { authorization: parts === undefined ? `Bearer ${target.key}` : zhipuJwt(parts.id, parts.secret, atMs) } };
    },
  };
}

/** Older keys sign, newer ones have no dot and are shown as they are. */
function partsOf(key: string): { id: string; secret: string } | undefined {
  const [id = '', secret = '', ...more] = key.split('.');
  return id !== '' && secret !== '' && more.length === 0 ? { id, secret } : undefined;
}

function chatEdits(sent: ChatRequest): JsonEdits {
  const request = readChatRequest(sent);
  const { top_p: topP, temperature, stop, tool_choice: choice, messages } = request;
  if (choice !== undefined && choice !== null && choice !== 'auto' && choice !== 'none') {
    throw new RequestRefused('This model chooses its tools itself: only `auto` and `none` can be asked for', 'tool_choice');
  }
  const limit = outputLimitOf(request);
  const filed = withFilesAs(messages, fileUrlOf) ?? messages;
  const changed = filed.some(hasInlineImage) ? filed.map(withBareImages) : filed;
  return {
    set: {
      ...(typeof topP === 'number' && topP >= 1 && { top_p: 0.99 }),
      ...(temperature === 0 && { do_sample: false }),
      ...(typeof temperature === 'number' && temperature > 1 && { temperature: 1 }),
      ...(typeof stop === 'string' && { stop: [stop] }),
      ...(limit !== undefined && { max_tokens: limit }),
      ...(changed !== messages && { messages: changed }),
    },
    remove: [
      ...(temperature === 0 ? ['temperature'] : []),
      ...(request.max_completion_tokens === undefined ? [] : ['max_completion_tokens']),
      ...(choice === 'none' ? ['tools', 'tool_choice'] : []),
    ],
  };
}

function hasInlineImage({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some((part) => bareImage(part) !== undefined);
}

/** It fetches files itself, and takes no bytes of them. Source: https://docs.z.ai/guides/vlm/glm-4.6v */
function fileUrlOf({ file_data: address = '' }: NonNullable<ContentPart['file']>): ContentPart {
  if (/^https?:/i.test(address)) return { type: 'file_url', file_url: { url: address } };
  throw new RequestRefused('This model takes files by their http(s) addresses only', 'messages');
}

/** What of a data URL it takes: the data alone. */
function bareImage(part: ContentPart): string | undefined {
  return part?.type === 'image_url' ? readDataUrl(imageUrlOf(part))?.data : undefined;
}

function withBareImages(message: ChatMessage): ChatMessage {
  if (!Array.isArray(message.content)) return message;
  const bare = (part: ContentPart): ContentPart => {
    const data = bareImage(part);
    return data === undefined ? part : { ...part, image_url: { url: data } };
  };
  return { ...message, content: message.content.map(bare) };
}

const finishReasons = new Map<unknown, string>([
  ['sensitive', 'content_filter'],
  ['network_error', 'error'],
]);

function repair(answer: JsonObject, { isChunk, stamp }: RepairContext): JsonObject {
  const repaired = withChangedPieces(
    answer,
    (piece) => piece,
    (choice) => ({ ...choice, finish_reason: finishReasons.get(choice.finish_reason) ?? choice.finish_reason ?? null }),
  );
  if (!Array.isArray(answer.choices)) return repaired;
  const object = isChunk ? 'chat.completion.chunk' : 'chat.completion';
  return { id: stamp.id, created: stamp.createdSeconds, model: stamp.model, ...repaired, object: answer.object ?? object };
}
