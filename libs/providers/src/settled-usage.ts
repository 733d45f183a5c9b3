import type { Usage } from '@tollgate/contracts';
import type { UsageReading } from './provider.ts';

/** What is known of a call's consumption when it is over. */
export interface Consumption {
  /** The provider's bill. */
  reading: UsageReading | undefined;
  /** Our estimate of the prompt. */
  prompt: Usage;
  /** Our count of what came. */
  delivered: { textOutput: number; reasoningOutput: number };
  /** False when the answer broke off, for whatever reason. */
  isComplete: boolean;
}

/**
 * What to charge, and whose count it is: the provider's when the answer is whole and its counts can be true; else ours. Of a
 * bill that breaks off, the prompt stands, and the output is the larger of what it says so far and what we counted.
 */
export function settledUsage(consumption: Consumption): { usage: Usage; source: 'upstream' | 'counted' | 'estimated' } {
  const { reading, prompt, delivered, isComplete } = consumption;
  if (reading?.trusted && isComplete) return { usage: reading.usage, source: 'upstream' };
  if (reading?.trusted) {
    const { usage } = reading;
    return {
      usage: {
        ...usage,
        textOutput: Math.max(usage.textOutput, delivered.textOutput),
        reasoningOutput: Math.max(usage.reasoningOutput, delivered.reasoningOutput),
      },
      source: 'estimated',
    };
  }
  return { usage: { ...prompt, ...delivered }, source: reading === undefined && isComplete ? 'counted' : 'estimated' };
}
