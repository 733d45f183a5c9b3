/** A point, as PNG. */
export const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const mediaType = 'image/png';
export const pictureUrl = `data:${mediaType};base64,${picture}`;

/** How a picture is told to a provider, by his channel's type. */
const told: Record<number, Record<string, string>> = {
  1: { url: pictureUrl },
  14: { type: 'base64', media_type: mediaType, data: picture },
  24: { mimeType: mediaType, data: picture },
};

/** Whether a provider's request shows the picture as its dialect does. */
export function showsPicture(request: unknown, type: number): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const due = Object.entries(told[type] ?? {});
  if (due.length > 0 && due.every(([name, value]) => (request as Record<string, unknown>)[name] === value)) return true;
  return Object.values(request).some((value) => showsPicture(value, type));
}
