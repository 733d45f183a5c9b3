/** The error code of MongoDB-compatible servers when a unique index rejects a write. */
export const duplicateKey = 11_000;

const longestMessage = 1_000;

/**
 * Whether a unique index rejected the write; with `field`, whether that index begins with the field. Servers that send no `keyPattern` name
 * the index in the message, with or without quotes, or only the key: https://www.mongodb.com/docs/manual/core/index-unique/,
 * https://github.com/documentdb/documentdb
 */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== duplicateKey) return false;
  if (field === undefined) return true;
  const pattern = patternOf(error);
  if (pattern !== undefined) return Object.keys(pattern)[0] === field;
  const message = error.message.slice(0, longestMessage);
  const index = indexIn(message);
  if (index !== undefined) return index === field || index.startsWith(`${field}_`);
  return /\bdup key: \{ ["']?([\w.]+)["']?\s*:/.exec(message)?.[1] === field;
}

/** Bulk writes have it in the raw error of each write. */
function patternOf(error: Error): object | undefined {
  const { keyPattern, writeErrors } = error as { keyPattern?: unknown; writeErrors?: { err?: { keyPattern?: unknown } }[] };
  const found = keyPattern ?? (Array.isArray(writeErrors) ? writeErrors[0]?.err?.keyPattern : undefined);
  return typeof found === 'object' && found !== null ? found : undefined;
}

/** `index: name_1`, `index: db.users.$name_1`, `Index 'name_1'`; the text after `dup key` comes from the row. */
function indexIn(message: string): string | undefined {
  const [words = ''] = message.split(/\bdup key\b/, 1);
  const [, quoted, plain] = /\bindex:?\s+(?:["'`]([^"'`]+)["'`]|([\w.$-]+))/i.exec(words) ?? [];
  return (quoted ?? plain)?.split('$').at(-1);
}
