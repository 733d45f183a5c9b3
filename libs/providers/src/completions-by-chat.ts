import { parseExact } from './exact-json.ts';
import { allOmittable } from './left-out.ts';
import { objectsIn } from './objects.ts';
import { messageText } from './openai/message-text.ts';
import type { ChatMessage, ChatRequest, CompletionRequest } from './openai/types.ts';
import { outgoing } from './outgoing.ts';
import type { ChatDialect, ChunkDecoder, JsonObject, PassThrough, Stamp, Target, Translation, UsageReading } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import { RequestRefused } from './upstream-error.ts';

/** Marks in a prompt where the missing text belongs, for a model that only chats. */
const gap = '<FILL_IN_HERE>';
const instruction = `Complete the text at the mark ${gap}. Reply with the missing text alone: no explanation, no quotes, no code fence.`;

const known = new WeakMap<ChatDialect, Translation<CompletionRequest, JsonObject>>();

/** Text completions of a provider that only chats: the prompt is the user's message, a gap before a `suffix` is described in words. */
export function completionsByChat(chat: ChatDialect): Translation<CompletionRequest, JsonObject> {
  const made = known.get(chat) ?? translationOf(chat);
  known.set(chat, made);
  return made;
}

function translationOf(chat: ChatDialect): Translation<CompletionRequest, JsonObject> {
  return {
    speaks: 'own',
    streamsOnly: chat.speaks !== 'openai' && chat.streamsOnly === true,
    framing: chat.framing,
    transport: chat.transport,
    modelOf: chat.modelOf,
    url: (request, target) => chat.url({ ...request, messages: [] }, target),
    headers: chat.headers,
    says: allOmittable, // what its chat API is not sent is listed by that
    outputLimit: chat.outputLimit && ((request, target) => chat.outputLimit?.({ ...request, messages: [] }, target)),
    encodeRequest(request, target) {
      const asked = asChat(request);
      if (request.suffix) target.changes?.add('suffix');
      return chatBody(chat, asked, target);
    },
    decodeResponse: (body, stamp) =>
      asText(chat.speaks === 'openai' ? plainAnswer(chat, body, stamp) : { ...chat.decodeResponse(body, stamp) }),
    decodeStream: (stamp, options) => textStream(chat.speaks === 'openai' ? plainStream(chat, stamp) : chat.decodeStream(stamp, options)),
    usageIn: chat.usageIn,
    errorIn: chat.errorIn,
  };
}

/** The chat request for a completion. Throws: RequestRefused for what a chat has no form for. */
function asChat({ prompt, suffix, echo, best_of: best, logprobs, ...rest }: CompletionRequest): ChatRequest {
  const text = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof text !== 'string') throw new RequestRefused('This model takes one prompt, as text', 'prompt');
  for (const [field, value] of Object.entries({ n: rest.n, best_of: best })) {
    if (typeof value === 'number' && value > 1) throw new RequestRefused('This model writes one text', field);
  }
  if (echo === true) throw new RequestRefused('This model does not repeat the prompt', 'echo');
  if (typeof logprobs === 'number') throw new RequestRefused('This model does not state likelihoods', 'logprobs');
  if (rest.max_tokens === 0) throw new RequestRefused('This model writes at least one token', 'max_tokens');
  const content = typeof suffix === 'string' && suffix !== '' ? `${text}${gap}${suffix}` : text;
  const messages: ChatMessage[] = [{ role: 'user', content }];
  if (content !== text) messages.unshift({ role: 'system', content: instruction });
  return { ...rest, n: undefined, messages };
}

function chatBody(chat: ChatDialect, request: ChatRequest, target: Target): JsonObject {
  const {
    body,
    changed = [],
    leftOut = [],
  } = outgoing<ChatRequest>(chat, {
    speaks: 'openai',
    bytes: Buffer.from(JSON.stringify(request)),
    request,
    target,
    includeUsage: request.stream === true,
  });
  for (const field of [...changed, ...leftOut]) target.changes?.add(field);
  return parseExact(body.toString('utf8')) as JsonObject;
}

function plainAnswer(chat: PassThrough<ChatRequest>, body: JsonObject, stamp: Stamp): JsonObject {
  const answer = chat.repair?.(body, { stamp, isChunk: false }) ?? body;
  if (!Array.isArray(answer.choices) || answer.choices.length === 0) throw unreadable('no choices');
  return answer;
}

/** Chunks of a provider that speaks OpenAI's format, as a decoder. */
function plainStream(chat: PassThrough<ChatRequest>, stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  return {
    push({ data }) {
      if (data === '[DONE]') state = 'ended';
      if (data === '[DONE]' || data === '') return [];
      const event = jsonIn(data);
      const error = chat.errorIn(event);
      if (error !== undefined) throw error;
      const chunk = chat.repair?.(event, { stamp, isChunk: true }) ?? event;
      usage = chat.usageIn(event) ?? usage;
      if (objectsIn(chunk.choices).some((choice) => choice.finish_reason)) state = state === 'open' ? 'complete' : state;
      return Array.isArray(chunk.choices) ? [chunk as never] : [];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}

function textStream(inner: ChunkDecoder): ChunkDecoder {
  return {
    push: (event) => inner.push(event).map((chunk) => asText(chunk) as never),
    get state() {
      return inner.state;
    },
    get keptBytes() {
      return inner.keptBytes ?? 0;
    },
    get usage() {
      return inner.usage;
    },
  };
}

function jsonIn(data: string): JsonObject {
  try {
    return JSON.parse(data) as JsonObject;
  } catch {
    throw unreadable('a frame');
  }
}

/** A chat answer, or a chunk of one, as a text completion. Reasoning has no place in one. */
export function asText({ choices, ...answer }: JsonObject): JsonObject {
  return {
    ...answer,
    object: 'text_completion',
    choices: objectsIn(choices).map(({ index = 0, message, delta, finish_reason: reason = null }) => {
      const { refusal, ...said } = (message ?? delta ?? {}) as ChatMessage;
      return { index, text: messageText(said) || (typeof refusal === 'string' ? refusal : ''), logprobs: null, finish_reason: reason };
    }),
  };
}

/** A text completion, or a chunk of one, as a chat answer: the form of fill-in-the-middle at Mistral. */
export function asChatAnswer({ choices, ...answer }: JsonObject, { isChunk }: { isChunk: boolean }): JsonObject {
  return {
    ...answer,
    object: isChunk ? 'chat.completion.chunk' : 'chat.completion',
    choices: objectsIn(choices).map(({ text, index = 0, finish_reason: reason = null }) => {
      const said = { role: 'assistant', content: typeof text === 'string' ? text : '' };
      return { index, [isChunk ? 'delta' : 'message']: said, finish_reason: reason };
    }),
  };
}
