import type { Turn } from './conversation.ts';
import type { Parameters } from './settings.ts';

/** A question to a model, in the words of OpenAI's API; what is left to the model is not sent. Turns that failed or said nothing are no part of it. */
export function requestOf(
  model: string,
  turns: readonly Turn[],
  { group, temperature, maxTokens, system, tools }: Parameters,
): Record<string, unknown> {
  const said = turns.filter(({ role, status, text }) => role === 'user' || (status !== 'error' && text !== ''));
  return {
    model,
    ...(group !== '' && { group }),
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...said.map(messageOf)],
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== null && { temperature }),
    ...(maxTokens > 0 && { max_tokens: maxTokens }),
    ...(tools.trim() !== '' && { tools: JSON.parse(tools) as unknown }),
  };
}

function messageOf({ role, text, images = [] }: Turn): object {
  if (images.length === 0) return { role, content: text };
  return { role, content: [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))] };
}

/** Whether a text is what `tools` may be: nothing, or a JSON array. */
export function areTools(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
