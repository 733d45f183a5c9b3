import type { Bench, Row } from '../bench.ts';
import { median, pairs } from '../pairs.ts';
import { anthropicModel, chatBody, openAiModel, responsesBody, responsesModel } from './bodies.ts';

const chatPath = '/v1/chat/completions';
const responsesPath = '/v1/responses';

/** Streams between the Responses API and other formats, in pairs with the bare relay; and what storing a response costs its call. */
export async function responsesCalls(bench: Bench): Promise<Row[]> {
  const stream = { stream: true, store: false };
  const translations = [
    { name: 'chat to Responses', path: chatPath, body: chatBody(responsesModel, stream) },
    { name: 'Responses to chat', path: responsesPath, body: responsesBody(openAiModel, stream) },
    { name: 'Responses to Anthropic', path: responsesPath, body: responsesBody(anthropicModel, stream) },
  ];
  const rows: Row[] = [];
  for (const { name, path, body } of translations) {
    const bareOrder = { port: bench.barePort, key: 'x', path: chatPath, body: chatBody(openAiModel, stream) };
    const bare = { pid: bench.bare.pid, order: { ...bareOrder, connections: 100, durationMs: bench.sliceMs } };
    const result = await pairs(
      bench.load,
      { ours: side(bench, { path, body, connections: 100 }), bare },
      { slices: Math.max(4, bench.slices / 2), unit: 'frames', warmUpMs: bench.warmUpMs },
    );
    rows.push(
      {
        name: `SSE ${name}: relay`,
        value: result.oursCost,
        unit: 'us/frame',
        atMost: 45,
        median: median(result.ours.map(({ cost }) => cost)),
      },
      { name: `SSE ${name}: ratio`, value: result.ratio, unit: 'x' },
    );
    await bench.untilBilled();
  }
  return [...rows, ...(await stored(bench))];
}

/** The same call with and without `store`, one at a time, each from our relay. */
async function stored(bench: Bench): Promise<Row[]> {
  const asking = (store: boolean) => side(bench, { path: responsesPath, body: responsesBody(openAiModel, { store }), connections: 1 });
  const result = await pairs(
    bench.load,
    { ours: asking(true), bare: asking(false) },
    { slices: bench.slices, unit: 'calls', warmUpMs: bench.warmUpMs / 4 },
  );
  const p50 = (slices: readonly { p50: number }[]) => median(slices.map((slice) => slice.p50)) / 1000;
  return [
    { name: 'stored response: latency added, p50', value: p50(result.ours) - p50(result.bare), unit: 'ms', median: p50(result.ours) },
    { name: 'stored response: relay CPU after the answer', value: result.oursCost - result.bareCost, unit: 'us/call' },
    { name: 'stored response: relay CPU, ratio to one not stored', value: result.ratio, unit: 'x' },
  ];
}

function side(bench: Bench, order: { path: string; body: string; connections: number }) {
  const { relayPort: port, apiKey: key, pids } = bench.stack;
  return { pid: pids.relay as number, order: { ...order, port, key, durationMs: bench.sliceMs } };
}
