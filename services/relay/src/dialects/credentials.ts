/** The token of an `Authorization` header; the word `Bearer` may be missing. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const text = authorization?.trim();
  return text !== undefined && /^bearer(?:\s|$)/i.test(text) ? text.slice('bearer'.length).trimStart() : text;
}

/** Those of the places of a credential that hold one. */
export function given(...places: (string | string[] | null | undefined)[]): string[] {
  return places.filter((place) => typeof place === 'string' && place !== '') as string[];
}
