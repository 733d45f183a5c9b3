import type { Load } from './load/client.ts';
import type { Program } from './processes.ts';
import type { Stack } from './stack.ts';

/** What every scene works with. */
export interface Bench {
  stack: Stack;
  load: Load;
  bare: Program;
  barePort: number;
  mockPort: number;
  slices: number;
  sliceMs: number;
  /** Before the slices of a scene that counts microseconds a call. */
  warmUpMs: number;
  /** Waits until every call so far is in the log and no hold is open. */
  untilBilled(): Promise<void>;
}

/** One figure, and the budget it is held against, if it has one. */
export interface Row {
  name: string;
  value: number;
  unit: string;
  atMost?: number | undefined;
  atLeast?: number | undefined;
  /** What is hoped for beyond the budget. */
  aim?: number | undefined;
  median?: number | undefined;
  parts?: Record<string, number> | undefined;
}

/** `met`, `missed`, or '' where there is no budget. */
export function verdict({ value, atMost, atLeast }: Row): 'met' | 'missed' | '' {
  if (atMost !== undefined) return value <= atMost ? 'met' : 'missed';
  if (atLeast !== undefined) return value >= atLeast ? 'met' : 'missed';
  return '';
}
