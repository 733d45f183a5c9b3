import { expect } from 'chai';
import { type ChatRequest, estimateChat, estimateInput, OutputMeter, textTokens } from '../src/index.ts';

describe('the token estimate', () => {
  // Counts of real tokenizers (o200k): an estimate for holds must be near, rather above than below.
  const measured: [name: string, text: string, tokens: number][] = [
    ['English', 'The quick brown fox jumps over the lazy dog. It was not amused, and said so in no uncertain terms.', 22],
    ['Chinese', '我们的网关把每一次调用都准确地计费一次，不多也不少。', 20],
    ['code', 'for (let i = 0; i < items.length; i += 1) {\n  total += items[i].price * items[i].count;\n}\n', 31],
    ['numbers', '3.14159265 2024-12-01 1234567890 42', 20],
    ['Russian', 'Быстрая коричневая лиса перепрыгивает через ленивую собаку', 17],
  ];
  for (const [name, text, tokens] of measured) {
    it(`is near for ${name}`, () => {
      expect(textTokens(text)).to.be.within(tokens * 0.75, tokens * 1.9);
    });
  }

  it('grows with every kind of text, also such as is made to look short', () => {
    for (const piece of ['a', '1', ' ', '\n', '世', '🎉', '\u0000', 'é', '.', '\ud800']) {
      expect(textTokens(piece.repeat(100_000)), JSON.stringify(piece)).to.be.greaterThan(5_000);
    }
  });

  it('takes 8 MB in well under a second', () => {
    const started = performance.now();
    expect(textTokens('lorem ipsum 12 '.repeat(560_000))).to.be.greaterThan(1_000_000);
    expect(performance.now() - started).to.be.below(1000);
  });

  it('counts messages, names, tools, images by detail and audio', () => {
    const request = (content: unknown, rest = {}): ChatRequest =>
      ({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...rest }) as ChatRequest;
    const plain = estimateChat(request('Hi'));
    expect(plain.textInput).to.be.within(7, 10);
    const image = (detail?: string) => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail } });
    expect(estimateChat(request([image('low')])).imageInput).to.equal(85);
    expect(estimateChat(request([image(), image('high')])).imageInput).to.equal(1530);
    expect(estimateChat(request([image('low')], { model: 'gpt-4o-mini' })).imageInput).to.equal(2805);
    expect(estimateChat(request([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])).audioInput).to.equal(100);
    const tools = [{ type: 'function', function: { name: 'f', description: 'a b c', parameters: {} } }];
    expect(estimateChat(request('Hi', { tools })).textInput).to.be.greaterThan(plain.textInput + 8);
  });

  it('survives whatever a caller may send in a message', () => {
    const odd = [null, 5, 'x', { type: 'text' }, { type: 'text', text: 'ok' }, { type: 'image_url' }];
    const messages = [{ role: 'user', content: odd, tool_calls: [null, {}] }];
    expect(estimateChat({ model: 'm', messages } as unknown as ChatRequest).textInput).to.be.greaterThan(0);
  });

  it('counts the inputs of completions and embeddings, tokens one by one', () => {
    expect(estimateInput(['one two', 'three']).textInput).to.be.within(3, 4);
    expect(estimateInput([1, 2, 3]).textInput).to.equal(3);
    expect(estimateInput([[1, 2], [3]] as number[][]).textInput).to.equal(3);
  });

  it('adds up what is delivered in pieces', () => {
    const meter = new OutputMeter();
    for (const content of ['Hel', 'lo', ' world']) meter.add({ content });
    meter.add({ reasoning_content: 'hm' });
    meter.add({ tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] });
    expect(meter.tokens.textOutput).to.be.within(6, 12);
    expect(meter.tokens.reasoningOutput).to.equal(1);
  });
});
