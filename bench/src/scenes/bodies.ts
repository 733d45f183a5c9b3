const question = 'Which planet has the shortest year, and how long is it? Please answer in one sentence. ';

/** As a caller sends it: about 1 kB, or a conversation of so many questions. */
export function chatBody(model: string, options: { stream?: boolean; questions?: number } = {}): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant who answers briefly.' },
      { role: 'user', content: question.repeat(options.questions ?? 9) },
    ],
    max_tokens: 200,
    temperature: 0.7,
    ...(options.stream ? { stream: true } : {}),
  });
}

export const openAiModel = 'gpt-4o-mini';
export const anthropicModel = 'claude-3-5-haiku-20241022';
/** Answered by an upstream that takes its time. */
export const slowModel = 'gpt-4o';
