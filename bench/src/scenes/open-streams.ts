import type { Bench, Row } from '../bench.ts';
import { rssMegabytes } from '../processes.ts';
import { chatBody, openAiModel } from './bodies.ts';

/** What 1 000 streams hold in memory while they are open, and what is left of it afterwards. */
export async function openStreams(bench: Bench): Promise<Row[]> {
  const { relay = 0 } = bench.stack.pids;
  const order = {
    port: bench.stack.relayPort,
    path: '/v1/chat/completions',
    key: bench.stack.apiKey,
    body: chatBody(openAiModel, { stream: true }),
    durationMs: 6000,
  };
  await bench.load.run({ ...order, connections: 100, durationMs: 2000 });
  const before = rssMegabytes(relay);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rssMegabytes(relay));
  }, 200);
  const figures = await bench.load.run({ ...order, connections: 1000 });
  clearInterval(watch);
  if (figures.failed > 0) throw new Error(`${figures.failed} streams failed: ${figures.firstFailure}`);
  await bench.untilBilled();
  return [
    { name: 'memory of 1 000 open streams', value: most - before, unit: 'MB', atMost: 50 },
    { name: 'relay, resident before them', value: before, unit: 'MB' },
  ];
}
