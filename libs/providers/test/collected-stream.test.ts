import { expect } from 'chai';
import { CollectedStream, UpstreamError } from '../src/index.ts';
import { dialectOf } from './corners.ts';

const stamp = { id: 'chatcmpl-1', createdSeconds: 1, model: 'm' };
const options = { stamp, speaks: 'openai' } as const;
const piece = (choice: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [choice], ...more })}\n\n`;
const said = [
  piece({ index: 0, delta: { role: 'assistant', content: '' } }),
  ...['Naïve ', '网关 ', '🚪'].map((content) => piece({ index: 0, delta: { content } })),
  piece({ index: 0, delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }),
].join('');

function collected(text: string, size: number): { stream: CollectedStream<unknown>; readTo: number } {
  const stream = new CollectedStream(dialectOf(1, 'chat'), options);
  const bytes = Buffer.from(text);
  let at = 0;
  for (let isDone = false; at < bytes.length && !isDone; at += size) isDone = stream.push(bytes.subarray(at, at + size));
  return { stream, readTo: at };
}

describe('A whole answer that comes as a stream', () => {
  for (const size of [1, 7, 100_000]) {
    it(`is the same in pieces of ${size} bytes, and over at its end mark`, () => {
      const { stream, readTo } = collected(`${said}data: [DONE]\n\n${': still there\n\n'.repeat(1_000)}`, size);
      const { answer, usage, isUsageLast } = stream.whole();
      expect(answer.choices).to.deep.equal([
        { index: 0, message: { role: 'assistant', content: 'Naïve 网关 🚪' }, logprobs: null, finish_reason: 'stop' },
      ]);
      expect(usage).to.have.nested.property('usage.textOutput', 4);
      expect(isUsageLast).to.equal(true);
      if (size < 100) expect(readTo).to.be.below(Buffer.byteLength(said) + 30);
    });
  }

  it('is none that breaks off, says nothing, or says an error', () => {
    for (const [text, code] of [
      [said.slice(0, said.length / 2), 'upstream_interrupted'],
      ['data: [DONE]\n\n', 'upstream_bad_answer'],
      ['data: {"error":{"message":"busy","type":"server_error"}}\n\n', undefined],
    ] as const) {
      const { stream } = collected(text, 10);
      expect(() => stream.whole(), text)
        .to.throw(UpstreamError)
        .that.satisfies((error: UpstreamError) => code === undefined || error.code === code);
    }
  });
});
