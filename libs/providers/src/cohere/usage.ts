import { noUsage } from '@tollgate/contracts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { usageReading } from '../usage-reading.ts';

/** What Cohere charges (`billed_units`), else what it counted (`tokens`, which is more). */
export function readCohereUsage(value: unknown): UsageReading | undefined {
  const { billed_units: billed, tokens } = (value ?? {}) as Record<string, JsonObject | null | undefined>;
  const stated = billed ?? tokens;
  if (!stated) return undefined;
  return usageReading((count) => ({
    ...noUsage,
    textInput: count('input_tokens', stated.input_tokens),
    textOutput: count('output_tokens', stated.output_tokens),
  }));
}
