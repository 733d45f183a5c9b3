const question = 'Which planet has the shortest year, and how long is it? Please answer in one sentence. ';

const instructions = 'You are a helpful assistant who answers briefly.';

/** As a caller sends it: about 1 kB, or a conversation of so many questions. */
export function chatBody(model: string, options: { stream?: boolean; questions?: number } = {}): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: question.repeat(options.questions ?? 9) },
    ],
    max_tokens: 200,
    temperature: 0.7,
    ...(options.stream ? { stream: true } : {}),
  });
}

/** The same question for the Responses API. */
export function responsesBody(model: string, { stream, store }: { stream?: boolean; store: boolean }): string {
  const input = [{ role: 'user', content: question.repeat(9) }];
  return JSON.stringify({ model, instructions, input, max_output_tokens: 200, temperature: 0.7, store, ...(stream && { stream }) });
}

export const openAiModel = 'gpt-4o-mini';
export const anthropicModel = 'claude-3-5-haiku-20241022';
/** Served by the Responses API only. */
export const responsesModel = 'gpt-5.1-codex';
/** Answered by an upstream that takes its time. */
export const slowModel = 'gpt-4o';
