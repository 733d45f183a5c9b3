import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Row } from '../bench.ts';

const program = new URL('../../../services/billing/bench/full-bus.ts', import.meta.url).pathname;
const events = 200_000;
const users = 200;
const models = 5;
const batch = 1000;

/** Billing eats a full bus, with engines of its own: its CPU time an event once it is warm. */
export async function fullBus(): Promise<Row[]> {
  const args = [events, users, models, batch].map(String);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const found = new Promise<{ microsPerEvent: number; perSecond: number }>((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as { microsPerEvent: number; perSecond: number }));
    child.once('exit', (code) => reject(new Error(`full-bus.ts ended with code ${code} and without figures`)));
  });
  const { microsPerEvent, perSecond } = await found;
  if (child.exitCode === null) await once(child, 'exit');
  return [
    { name: 'billing from a full bus', value: microsPerEvent, unit: 'us/event', atMost: 35, aim: 25 },
    { name: 'billing from a full bus: events a second on one core', value: 1e6 / microsPerEvent, unit: '/s' },
    { name: 'billing from a full bus: beside its engines, here', value: perSecond, unit: '/s' },
  ];
}
