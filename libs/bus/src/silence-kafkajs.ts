let silenced = false;

/**
 * Drops the one warning that kafkajs 2.2.4 causes on newer Node: it computes a negative timeout, which Node takes as 1 ms. All other
 * warnings are printed, also those of the same name from elsewhere.
 */
export function silenceKafkajs(): void {
  if (silenced) return;
  silenced = true;
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = ((...args: unknown[]) => {
    const kind = args[1];
    const name = typeof kind === 'object' && kind !== null ? (kind as { type?: string }).type : kind;
    if (name === 'TimeoutNegativeWarning' && new Error().stack?.includes('kafkajs')) return;
    emitWarning(...args);
  }) as typeof process.emitWarning;
}
