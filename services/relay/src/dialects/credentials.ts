/** What stands behind `Bearer` in an `Authorization` header; the word may be missing. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const text = authorization?.trim();
  return text !== undefined && /^bearer(?:\s|$)/i.test(text) ? text.slice('bearer'.length).trimStart() : text;
}
