import { figures } from './figures.ts';
import { sizeFor, sizeLines, usualDemand } from './size.ts';

const installations = [100, 1_000, 10_000, 100_000];
/** Of calls a second: answers that take some five seconds to stream. */
const streamsPerCall = 5;

/** The table in deploy/SIZING.md. */
export function sizingTable(): string {
  const columns = installations.map((calls) => {
    const demand = { ...usualDemand, calls, streams: calls * streamsPerCall };
    return new Map(sizeLines(sizeFor(demand, figures)));
  });
  const parts = [...(columns[0]?.keys() ?? [])];
  const head = ['', ...installations.map((calls) => `${calls.toLocaleString('en-US').replaceAll(',', ' ')} calls/s`)];
  const lines = [head, head.map(() => '---'), ...parts.map((part) => [part, ...columns.map((column) => column.get(part) ?? '')])];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
