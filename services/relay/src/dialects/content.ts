import type { JsonObject } from '@tollgate/providers';

/** The objects in a list of an answer; what is no list has none. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one): one is JsonObject => typeof one === 'object' && one !== null) : [];
}

/** A text of an answer, or the texts of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** The addresses of pictures that were drawn into an answer. Source: https://openrouter.ai/docs/features/multimodal/image-generation */
export function picturesIn(images: unknown): string[] {
  return objectsIn(images).flatMap(({ image_url: image }) => {
    const url = objectsIn([image])[0]?.url ?? image;
    return typeof url === 'string' ? [url] : [];
  });
}

/** The same for who has no word for them: as words, as Markdown has it. */
export function drawnIn(images: unknown): string {
  return picturesIn(images)
    .map((url) => `![image](${url})`)
    .join('');
}
