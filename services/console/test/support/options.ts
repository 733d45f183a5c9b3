import type { TestConsole } from './console.ts';

type Console = Pick<TestConsole, 'root'>;
type Values = Record<string, string>;

export async function setOptions({ root }: Console, values: Values): Promise<void> {
  for (const [key, value] of Object.entries(values)) await root.ok('PUT', '/api/option/', { key, value, confirm: true });
}

/** Sets options for one piece of work. */
export async function whileSet(tollgate: Console, values: Values, work: () => Promise<void>): Promise<void> {
  const before = await tollgate.root.ok<{ key: string; value: string }[]>('GET', '/api/option/');
  await setOptions(tollgate, values);
  try {
    await work();
  } finally {
    await setOptions(tollgate, Object.fromEntries(before.filter(({ key }) => key in values).map(({ key, value }) => [key, value])));
  }
}
