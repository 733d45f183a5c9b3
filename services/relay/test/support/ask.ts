import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';

/** A small chat request. */
export function question(fields: Record<string, unknown> = {}): ChatCompletionCreateParamsNonStreaming {
  return { model: 'test-model', messages: [{ role: 'user', content: 'Hello there' }], ...fields } as ChatCompletionCreateParamsNonStreaming;
}

export interface ToldError {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
}

/** The error object of an answer in OpenAI's shape. */
export async function errorOf(answer: Response): Promise<ToldError> {
  return ((await answer.json()) as { error: ToldError }).error;
}

/** All events of a stream, as they were sent. */
export async function framesOf(answer: Response): Promise<string[]> {
  return (await answer.text()).split('\n\n').filter((frame) => frame !== '');
}
