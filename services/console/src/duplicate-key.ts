/** A unique index refused the write; with `field`, the one on that field. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 11_000) return false;
  return field === undefined || ('keyPattern' in error && Object.hasOwn(error.keyPattern as object, field));
}
