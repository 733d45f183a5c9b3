import { createParser } from 'eventsource-parser';
import i18next from 'i18next';
import type { TokensUsed } from './conversation.ts';

/** What came of an answer, piece by piece. */
export interface AnswerPiece {
  text?: string;
  reasoning?: string;
  tools?: { index: number; name?: string; arguments?: string }[];
  used?: TokensUsed;
}

/** The server refused, or its answer broke. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      reasoning?: string | null;
      tool_calls?: { index?: number; function?: { name?: string; arguments?: string } }[];
    };
  }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  error?: { message?: string } | string;
}

interface Asking {
  userId: number;
  signal: AbortSignal;
  onPiece: (piece: AnswerPiece) => void;
}

/** Asks a model and hands on what it says as it comes. Resolves once the answer is whole; throws `AnswerError`, or what the signal was aborted with. */
export async function streamChat(body: object, { userId, signal, onPiece }: Asking): Promise<void> {
  const answer = await fetch('/pg/chat/completions', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', 'new-api-user': String(userId), 'accept-language': i18next.language },
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok || !answer.body) throw await refusalOf(answer);
  let failure: AnswerError | undefined;
  let isWhole = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') {
        isWhole = true;
        return;
      }
      const chunk = chunkOf(data);
      if (chunk.error) failure ??= new AnswerError(messageIn(chunk) ?? data);
      else onPiece(pieceOf(chunk));
    },
  });
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    if (failure) throw failure;
  }
  if (!isWhole) throw new AnswerError(i18next.t('playground:broken'));
}

async function refusalOf(answer: Response): Promise<AnswerError> {
  const text = await answer.text();
  return new AnswerError(messageIn(chunkOf(text)) ?? i18next.t('shared:error.status', { status: answer.status }), answer.status);
}

function chunkOf(text: string): Chunk & { message?: string } {
  try {
    return JSON.parse(text) as Chunk;
  } catch {
    return { error: i18next.t('playground:unreadable') };
  }
}

function messageIn({ error, message }: Chunk & { message?: string }): string | undefined {
  return (typeof error === 'string' ? error : error?.message) ?? message;
}

function pieceOf({ choices, usage }: Chunk): AnswerPiece {
  const delta = choices?.[0]?.delta;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  return {
    ...(delta?.content && { text: delta.content }),
    ...(reasoning && { reasoning }),
    ...(delta?.tool_calls && {
      tools: delta.tool_calls.map(({ index = 0, function: called }) => ({
        index,
        ...(called?.name && { name: called.name }),
        ...(called?.arguments && { arguments: called.arguments }),
      })),
    }),
    ...(usage && { used: { input: usage.prompt_tokens ?? 0, output: usage.completion_tokens ?? 0 } }),
  };
}
