import { pathToFileURL } from 'node:url';

/** Settings under which the clocks of services are off, by so many ms. */
export function clocksOff(shifts: Record<string, number>): Record<string, string> {
  const pairs = Object.entries(shifts).map(([service, shift]) => `${service}=${shift}`);
  return { NODE_OPTIONS: `--import=${pathToFileURL(`${import.meta.dirname}/shifted-clock.mjs`)}`, CLOCK_SHIFTS: pairs.join(',') };
}

/** The clocks of every run in which something dies: those of the machines are never the same. */
export const faultClocks: Record<string, string> = clocksOff({ relay: 120_000, billing: -120_000, console: 90_000 });
