/** Resolves to the result of `work`, or rejects with the message `otherwise` after `timeoutMs`. The work itself goes on. */
export async function within<T>(timeoutMs: number, work: Promise<T>, otherwise: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(otherwise)), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
