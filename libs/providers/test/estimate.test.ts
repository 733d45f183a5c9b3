import { expect } from 'chai';
import { type ChatRequest, estimateChat, estimateInput, OutputMeter, TextScale, textTokens } from '../src/index.ts';

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

  it('weighs what earlier turns have thought, whichever name it has', () => {
    const thought = 'It rains, and so it is wet outside. '.repeat(20);
    const details = [{ type: 'reasoning.text', text: thought, signature: 's' }];
    for (const more of [
      { reasoning_content: thought },
      { reasoning: thought },
      { reasoning: thought, reasoning_details: details },
      { reasoning_details: details },
      { extra_content: { openrouter: { reasoning_details: details } } },
    ]) {
      const { textInput } = estimateChat({ model: 'm', messages: [{ role: 'assistant', content: 'So.', ...more }] });
      expect(textInput, JSON.stringify(more).slice(0, 60)).to.be.closeTo(textTokens(thought) + 9, 3);
    }
  });

  it('weighs a text in pieces, as JSON writes it, as it weighs it in one', () => {
    let random = 7;
    const upTo = (count: number): number => {
      random = (random * 48_271) % 2_147_483_647;
      return random % count;
    };
    const alphabet = [
      'a',
      'b',
      'Z',
      '1',
      '9',
      ' ',
      ' ',
      '\n',
      '\t',
      '.',
      '"',
      '\\',
      '/',
      '世',
      'é',
      '\u2e7f',
      '\u2e80',
      '🎉',
      'ह',
      '\u007f',
    ];
    const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (let round = 0; round < 1000; round += 1) {
      let text = '';
      for (let left = upTo(40); left > 0; left -= 1) text += alphabet[upTo(alphabet.length)];
      let json = JSON.stringify(text).slice(1, -1);
      if (upTo(3) === 0) json = json.replace(/[a1世é\ud83c]/g, escaped).replaceAll('/', '\\/');
      const bytes = Buffer.from(json);
      const scale = new TextScale();
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + upTo(9);
        scale.addJson(bytes.subarray(at, end));
        at = end;
      }
      expect(scale.tokens(), json).to.equal(textTokens(JSON.parse(`"${json}"`) as string));
    }
  });

  it('takes no text that JSON does not know, and gives nothing away for bytes that are no UTF-8', () => {
    const weighed = (bytes: string) => {
      const scale = new TextScale();
      scale.addJson(Buffer.from(bytes, 'latin1'));
      return scale.tokens();
    };
    for (const text of ['\\x', '\\u12g4', 'a\nb', 'cut \\', 'cut \\u00']) expect(() => weighed(text), text).to.throw(SyntaxError);
    for (const byte of ['\x80', '\xbf', '\xc0', '\xff']) expect(weighed(byte.repeat(1000))).to.equal(1000);
  });

  it('takes 8 MB in well under a second of its own', () => {
    const started = process.cpuUsage();
    expect(textTokens('lorem ipsum 12 '.repeat(560_000))).to.be.greaterThan(1_000_000);
    expect(process.cpuUsage(started).user).to.be.below(1_000_000);
  });

  it('counts messages, names, tools, images by detail and audio', () => {
    const request = (content: unknown, rest = {}): ChatRequest =>
      ({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...rest }) as ChatRequest;
    const plain = estimateChat(request('Hi'));
    expect(plain.textInput).to.be.within(7, 10);
    const image = (detail?: string) => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail } });
    expect(estimateChat(request([image('low')])).imageInput).to.equal(85);
    expect(estimateChat(request([image(), image('high')])).imageInput).to.equal(1530);
    expect(estimateChat(request([image('low')], { model: 'gpt-4o-mini' })).imageInput).to.equal(2833);
    expect(estimateChat(request([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])).audioInput).to.equal(100);
    // 3 s of 16-bit mono at 24 kHz say so themselves; what is packed is taken for 32 kbit/s.
    const wav = Buffer.alloc(44 + 144_000);
    wav.write('RIFF', 0, 'latin1');
    wav.write('WAVEfmt ', 8, 'latin1');
    wav.writeUInt32LE(24_000, 24);
    wav.writeUInt32LE(48_000, 28);
    const heard = (data: string, model = 'gpt-4o-audio-preview') =>
      estimateChat(request([{ type: 'input_audio', input_audio: { data } }], { model })).audioInput;
    expect(heard(wav.toString('base64'))).to.equal(100);
    expect(heard(Buffer.concat([wav, Buffer.alloc(48_000 * 27)]).toString('base64'))).to.be.within(300, 302);
    expect(heard(Buffer.alloc(40_000 * 3).toString('base64'))).to.equal(300);
    expect(heard(Buffer.alloc(40_000 * 3).toString('base64'), 'gemini-2.5-flash')).to.equal(960);
    const tools = [{ type: 'function', function: { name: 'f', description: 'a b c', parameters: {} } }];
    expect(estimateChat(request('Hi', { tools })).textInput).to.be.greaterThan(plain.textInput + 8);
  });

  it('weighs an image by the size that stands in it, as its family of models does', () => {
    const png = Buffer.alloc(33);
    png.writeUInt32BE(0x89504e47, 0);
    const sized = (width: number, height: number) => {
      png.writeUInt32BE(width, 16);
      png.writeUInt32BE(height, 20);
      return `data:image/png;base64,${png.toString('base64')}`;
    };
    const weight = (model: string, url: string, detail?: string) =>
      estimateChat({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail } }] }] }).imageInput;
    expect(weight('gpt-4o', sized(100, 100))).to.equal(85 + 170);
    expect(weight('gpt-4o', sized(1024, 1024))).to.equal(85 + 170 * 4);
    expect(weight('gpt-4o', sized(2048, 4096))).to.equal(85 + 170 * 6);
    expect(weight('gpt-4o', sized(4096, 8192), 'low')).to.equal(85);
    expect(weight('gpt-4o-mini', sized(100, 100))).to.equal(2833 + 5667);
    expect(weight('gpt-4.1-mini', sized(1024, 1024))).to.equal(Math.ceil(1024 * 1.62));
    expect(weight('claude-3-7-sonnet-20250219', sized(750, 100))).to.equal(100);
    expect(weight('claude-3-7-sonnet-20250219', sized(8000, 8000))).to.equal(1600);
    expect(weight('gemini-2.5-pro', sized(384, 384))).to.equal(258);
    expect(weight('gemini-2.5-pro', sized(1000, 800))).to.equal(258 * 4);
    expect(weight('gemini-2.5-pro', sized(2 ** 32 - 1, 2 ** 32 - 1)), 'a size that no picture has').to.equal(258 * 16);
    expect(weight('gpt-4o', 'https://images.example/a.png'), 'of unseen size').to.equal(765);
    const jpeg = Buffer.from('ffd8ffe00008000000000000ffc0000b080064006401011100ffd9', 'hex');
    expect(weight('claude-x', `data:image/jpeg;base64,${jpeg.toString('base64')}`)).to.equal(Math.ceil(10_000 / 750));
    const gif = Buffer.from('474946383961640064000000', 'hex');
    expect(weight('claude-x', `data:image/gif;base64,${gif.toString('base64')}`)).to.equal(Math.ceil(10_000 / 750));
  });

  it('counts a prompt that is to be cached as written, at the longest life that it asks for', () => {
    const part = (ttl?: string) => ({ type: 'text', text: 'one two three', cache_control: { type: 'ephemeral', ttl } });
    const weigh = (...content: object[]) => estimateChat({ model: 'claude-x', messages: [{ role: 'user', content }] } as ChatRequest);
    expect(weigh(part())).to.include({ textInput: 0, cacheWrite1h: 0 });
    expect(weigh(part()).cacheWrite5m).to.be.greaterThan(5);
    expect(weigh(part('1h'), part())).to.include({ textInput: 0, cacheWrite5m: 0 });
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

  const said: [name: string, piece: Record<string, unknown>][] = [
    ['content in parts', { content: [{ type: 'text', text: 'one two three four' }] }],
    ['parts that are strings', { content: ['one two ', 'three four'] }],
    ['a refusal in a part', { content: [{ type: 'refusal', refusal: 'one two three four' }] }],
    ['a refusal beside an empty content', { content: '', refusal: 'one two three four' }],
    ['a refusal beside content', { content: 'one two', refusal: 'three four' }],
    ['reasoning beside an empty content', { content: '', reasoning_content: '', reasoning: 'one two three four' }],
    ['reasoning in details', { content: null, reasoning_details: [{ type: 'reasoning.text', text: 'one two three four' }] }],
    ['text beside an empty content', { content: '', text: 'one two three four' }],
    ['speech', { audio: { transcript: 'one two three four' } }],
    ['arguments of a call', { content: '', function_call: { name: 'one', arguments: 'two three four' } }],
  ];
  for (const [name, piece] of said) {
    it(`counts ${name}, once`, () => {
      const meter = new OutputMeter();
      expect(meter.add(piece)).to.equal(true);
      expect(meter.tokens.textOutput + meter.tokens.reasoningOutput).to.be.within(4, 6);
    });
  }

  it('hears nothing in a piece that says nothing', () => {
    for (const piece of [
      {},
      { role: 'assistant', content: '' },
      { content: null, tool_calls: [], audio: {} },
      { content: [], refusal: null },
    ]) {
      expect(new OutputMeter().add(piece), JSON.stringify(piece)).to.equal(false);
    }
  });

  it('does not read a drawn picture as text', () => {
    const meter = new OutputMeter();
    meter.add({ content: `Here: ![image](data:image/png;base64,${'iVBORw0KGgo'.repeat(100_000)})` });
    expect(meter.tokens.textOutput).to.be.within(1000, 2000);
  });
});
