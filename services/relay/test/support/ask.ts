import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';

/** A small chat request. */
export function question(fields: Record<string, unknown> = {}): ChatCompletionCreateParamsNonStreaming {
  return { model: 'test-model', messages: [{ role: 'user', content: 'Hello there' }], ...fields } as ChatCompletionCreateParamsNonStreaming;
}

/** Asks a relay a small chat question over plain HTTP. */
export function askAt(url: string, authorization: string, fields: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(question(fields)),
  });
}

export interface ClientError {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
}

/** The error object of an answer in OpenAI's shape. */
export async function errorOf(answer: Response): Promise<ClientError> {
  return ((await answer.json()) as { error: ClientError }).error;
}

/** All events of a stream, as they were sent. */
export async function framesOf(answer: Response): Promise<string[]> {
  return (await answer.text()).split('\n\n').filter((frame) => frame !== '');
}
