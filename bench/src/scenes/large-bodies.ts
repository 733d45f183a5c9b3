import type { Bench, Row } from '../bench.ts';
import { pairs } from '../pairs.ts';
import { forgetMostMemory, mostMegabytes, rssMegabytes } from '../processes.ts';
import { anthropicModel, openAiModel } from './bodies.ts';
import { sides } from './calls.ts';

const picture = 'iVBORw0KGgo/'.repeat(1e7 / 12);
const prose = 'The quick brown fox jumps over the lazy dog while the gateway counts every token, "quoted" or not.\n';
const megabyte = 1 << 20;

/** Bodies that are large, one at a time: CPU a call in pairs with the bare relay, and memory beyond that at rest. */
export async function largeBodies(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, body, budget] of [
    ['picture of 10 MB, passed through', withPicture(openAiModel), 25],
    ['picture of 10 MB, translated', withPicture(anthropicModel), 25],
    ['1 MB of text in one string', withTexts(openAiModel, 1), 8],
    ['1 MB of text in 250 strings', withTexts(openAiModel, 250), 8],
    ['1 MB of text in one string, translated', withTexts(anthropicModel, 1), 8],
  ] as const) {
    const { ours, bare } = sides(bench, body, 1);
    const rest = rssMegabytes(ours.pid);
    forgetMostMemory(ours.pid);
    const result = await pairs(bench.load, { ours, bare }, { slices: Math.max(3, bench.slices / 2), unit: 'calls' });
    rows.push({
      name,
      value: result.oursCost / 1000,
      unit: 'ms/call',
      atMost: budget,
      parts: {
        'bare relay': result.bareCost / 1000,
        'MB of the body': body.length / megabyte,
        'MB beyond rest at most': mostMegabytes(ours.pid) - rest,
      },
    });
    await bench.untilBilled();
  }
  return rows;
}

function withPicture(model: string): string {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}`, detail: 'low' } },
  ];
  return JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content }] });
}

function withTexts(model: string, count: number): string {
  const text = prose.repeat(Math.ceil(megabyte / count / prose.length));
  const messages = Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text }));
  return JSON.stringify({ model, max_tokens: 50, messages: [...messages, { role: 'user', content: 'Go on.' }] });
}
