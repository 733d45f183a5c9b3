import { expect } from 'chai';
import { openStreamReading } from '../src/open-stream-reading.ts';
import type { JsonObject } from '../src/provider.ts';
import { RepeatedJson } from '../src/repeated-json.ts';
import { SseFrame } from '../src/sse.ts';
import { dialectOf } from './corners.ts';

const texts = [
  ' gateway',
  '',
  'naïve 网关 🚪',
  'two\nlines and a "quote"',
  'ends in a backslash \\',
  '\\"content":"x',
  '"content":"x","text":"y"',
  '\u0000\u001f\u007f\u2028',
  '\x7fone\x7f',
  '\ud800',
  '__proto__',
];

/** How providers write a piece, besides OpenAI's own way. */
const layouts: Record<string, (text: string) => string> = {
  plain: (text) => chunk({ content: text }),
  'beside its padding': (text) => chunk({ content: text }, { obfuscation: text.slice(1).replaceAll('\ud800', '') }),
  'of thoughts': (text) => chunk({ content: null, reasoning_content: text }),
  'of a completion': (text) => JSON.stringify({ id: 'a', choices: [{ index: 0, text, finish_reason: null }] }),
  'with blanks': (text) => `{"id": "a", "choices" : [ {"delta" : {"content" : ${JSON.stringify(text)} } } ] }`,
  'in escapes alone': (text) => `{"choices":[{"delta":{"content":"${escaped(text)}"}}]}`,
  'said twice': (text) => `{"choices":[{"delta":{"content":${JSON.stringify(text)},"content":"last"}}]}`,
  'said twice, once in escapes': (text) => `{"choices":[{"delta":{"content":${JSON.stringify(text)},"c\\u006fntent":"last"}}]}`,
  'under a key that ends so': (text) => `{"choices":[{"delta":{"\\"content":${JSON.stringify(text)},"content":"kept"}}]}`,
  'of four choices': (text) => JSON.stringify({ choices: [0, 1, 2, 3].map((index) => ({ index, delta: { content: text } })) }),
  'beside a mark': (text) => chunk({ content: text, role: '\x7fone\x7f' }),
  'under __proto__': (text) => `{"choices":[{"delta":{"__proto__":{"content":${JSON.stringify(text)}}}}]}`,
  'that is no JSON': (text) => `{"choices":[{"delta":{"content":"${text}"}}`,
  'in a list': (text) => JSON.stringify([text, { content: text }]),
};

function chunk(delta: object, more: object = {}): string {
  return JSON.stringify({ id: 'chatcmpl-1', meta: { of: [1] }, choices: [{ index: 0, delta, finish_reason: null }], ...more });
}

function escaped(text: string): string {
  return [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

const frameOf = (json: string) => new SseFrame(Buffer.from(`data: ${json}\n\n`));

/** What is read of frames one after the other is what each of them says by itself. */
function assertSame(frames: SseFrame[]): unknown[] {
  const repeated = new RepeatedJson();
  return frames.map((frame) => {
    const value = repeated.again(frame.raw) ?? repeated.anew(frame);
    expect(value, frame.raw.toString()).to.deep.equal(new SseFrame(frame.raw).json());
    return value;
  });
}

function pieceIn([chunk]: readonly JsonObject[]): unknown {
  return (chunk as { choices: { delta: JsonObject }[] }).choices[0]?.delta.reasoning_content;
}

/** Whether the pieces alone were read: then frames share what does not change. */
function isShared(values: unknown[]): boolean {
  const [one, other] = (values as { meta: object }[]).slice(-2).map(({ meta }) => meta);
  return one !== undefined && one === other;
}

describe('JSON that is said again with other pieces', () => {
  for (const [name, layout] of Object.entries(layouts)) {
    it(`a piece ${name}, whatever it says`, () => {
      for (const text of texts) assertSame(['first', 'second', 'third', 'fourth', text, 'sixth', text, text].map(layout).map(frameOf));
      for (const text of texts) assertSame([text, text, text, text, 'fifth', 'sixth'].map(layout).map(frameOf));
    });
  }

  it('frames whose piece is in another place than before', () => {
    const names = Object.keys(layouts);
    for (let step = 1; step < names.length; step += 1) {
      const frames = Array.from({ length: 80 }, (_, i) => {
        const layout = layouts[names[(Math.floor(i / 5) * step) % names.length] as string] as (text: string) => string;
        return frameOf(layout(texts[(i * 7) % texts.length] as string));
      });
      assertSame(frames);
    }
  });

  it('bytes that are no UTF-8, lines that end otherwise, and data on two lines', () => {
    const raw = (before: string, text: Buffer, after: string) =>
      new SseFrame(Buffer.concat([Buffer.from(before), text, Buffer.from(after)]));
    const ways = [
      ['data: {"choices":[{"delta":{"content":"', '"}}]}\n\n'],
      [': note\r\nevent: x\r\ndata:{"choices":[{"delta":{"content":"', '"}}]}\r\n\r\n'],
      ['data: {"choices":[{"delta":\ndata: {"content":"', '"}}]}\n\n'],
      ['\ufeffdata: {"choices":[{"delta":{"content":"', '"}}]}\n\n'],
    ] as const;
    for (const [before, after] of ways) {
      for (const bytes of [
        [0xff],
        [0xe4, 0xbd],
        [0xc3, 0x22],
        [0x5c],
        [0x5c, 0x5c],
        [0x5c, 0x75, 0x64],
        [0x0d],
        [0x0a],
        [0x09],
        [0xef, 0xbb, 0xbf],
      ]) {
        const odd = Buffer.from(bytes);
        assertSame(['a', 'b', 'c', 'd', odd, 'e', odd].map((text) => raw(before, Buffer.from(text as string), after)));
      }
    }
  });

  it('every byte of a frame changed', () => {
    const good = frameOf(layouts.plain?.(' gateway') as string);
    for (let at = 0; at < good.raw.length; at += 1) {
      for (const byte of [0x22, 0x5c, 0x20, 0x7d, 0x30, 0x80, 0x00]) {
        const spoilt = Buffer.from(good.raw);
        spoilt[at] = byte;
        assertSame([good, good, good, good, new SseFrame(spoilt), good]);
      }
      assertSame([good, good, good, good, new SseFrame(good.raw.subarray(0, at)), good]);
    }
  });

  it('the pieces alone are read, escapes and padding and all, and a new form is learned', () => {
    const pieces = (layout: string) =>
      ['a', 'b', 'c', 'd', 'two\n"lines"', '网关'].map(layouts[layout] as (text: string) => string).map(frameOf);
    expect(isShared(assertSame(pieces('plain')))).to.equal(true);
    expect(isShared(assertSame(pieces('beside its padding')))).to.equal(true);
    expect(isShared(assertSame([...pieces('of thoughts'), ...pieces('plain')]))).to.equal(true);
    const ofTwo = Array.from({ length: 12 }, (_, i) => JSON.stringify({ meta: {}, choices: [{ index: i % 2, delta: { content: 'a' } }] }));
    const ofOne = (values: unknown[]) => values.filter((_, i) => i % 2 === 0);
    expect(isShared(ofOne(assertSame(ofTwo.map(frameOf))))).to.equal(true);
    expect(isShared(assertSame(pieces('beside a mark'))), 'a frame that says a mark itself').to.equal(false);
  });

  it('what repeats is counted like what does not, and told as it is', () => {
    const said = ['Hello', ' there', ', 网关', '', ' two\n"lines"', ' ', 'the end'];
    const repeated = Array.from({ length: 8 }, () => said).flat();
    const layout = layouts['of thoughts'] as (text: string) => string;
    const apart = repeated.map((text, i) => layout(text).replace('chatcmpl-1', `chatcmpl-${i}`));
    const read = (frames: string[]) => {
      const reading = openStreamReading(dialectOf(1, 'chat'), { stamp: { id: 'a', createdSeconds: 1, model: 'm' } });
      const texts = frames.map(frameOf).map((frame) => pieceIn(reading.read(frame)));
      return { texts, delivered: reading.delivered, news: reading.news, isComplete: reading.isComplete };
    };
    expect(read(repeated.map(layout))).to.deep.equal(read(apart));
    expect(read(repeated.map(layout)).texts).to.deep.equal(repeated);
    const ended = JSON.stringify({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] });
    expect(read([...repeated.map(layout), ended, ended]).isComplete).to.equal(true);
  });

  it('nothing is learned of what never comes again, nor kept of long frames', () => {
    const ids = Array.from({ length: 20 }, (_, id) => frameOf(chunk({ content: 'a' }, { id })));
    const after = ['a', 'b', 'c', 'd', 'e'].map((text) => frameOf(chunk({ content: text })));
    expect(isShared(assertSame([...ids, ...after]))).to.equal(false);
    const long = ['a', 'b', 'c', 'd', 'e'].map((text) => frameOf(chunk({ content: text }, { picture: 'x'.repeat(5_000) })));
    expect(isShared(assertSame(long))).to.equal(false);
  });
});
