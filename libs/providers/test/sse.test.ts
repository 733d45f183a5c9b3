import { expect } from 'chai';
import { SseFrameTooLarge, SseReader } from '../src/index.ts';

function framesOf(text: string, size: number) {
  const reader = new SseReader();
  const bytes = Buffer.from(text);
  const frames = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  return { frames, rest: reader.end() };
}

describe('the event-stream reader', () => {
  const text =
    ': keep-alive\n\nevent: ping\ndata: {"type":"ping"}\n\ndata:no blank\n\ndata: one\ndata: two\n\nid: 7\r\ndata: Grüße 世界 🎉\r\n\r\ndata: [DONE]\n\n';

  for (const size of [1, 2, 3, 7, 64, 1000]) {
    it(`finds the same frames in pieces of ${size} bytes, and loses no byte`, () => {
      const { frames, rest } = framesOf(text, size);
      expect(Buffer.concat(frames.map(({ raw }) => raw)).toString()).to.equal(text);
      expect(frames.map(({ event, data }) => ({ event, data }))).to.deep.equal([
        { event: '', data: '' },
        { event: 'ping', data: '{"type":"ping"}' },
        { event: '', data: 'no blank' },
        { event: '', data: 'one\ntwo' },
        { event: '', data: 'Grüße 世界 🎉' },
        { event: '', data: '[DONE]' },
      ]);
      expect(frames.map(({ hasData }) => hasData)).to.deep.equal([false, true, true, true, true, true]);
      expect(frames.map(({ isDone }) => isDone)).to.deep.equal([false, false, false, false, false, true]);
      expect(frames[1]?.json()).to.deep.equal({ type: 'ping' });
      expect(rest).to.deep.equal([]);
    });
  }

  for (const size of [1, 2, 3, 7, 64, 1000]) {
    it(`gives lines that end with CR alone a LF, in pieces of ${size} bytes`, () => {
      const { frames, rest } = framesOf('event: ping\rdata: one\rdata: two\r\rdata: Grüße\r\rdata: [DONE]\r\r', size);
      expect(frames.map(({ event, data }) => [event, data])).to.deep.equal([
        ['ping', 'one\ntwo'],
        ['', 'Grüße'],
        ['', '[DONE]'],
      ]);
      expect(frames[1]?.raw.toString()).to.equal('data: Grüße\n\n');
      expect(rest).to.deep.equal([]);
    });
  }

  for (const size of [1, 2, 3, 7, 64, 1000]) {
    it(`takes lines that no blank one sets apart for an event each, where each says all, in pieces of ${size} bytes`, () => {
      const lines = '\uFEFFdata: {"a":1}\nevent: b\ndata: {"a":2}\n: on\ndata: {"a":3}\r\nevent: c\ndata: {"a":4}\n\n\n';
      const { frames } = framesOf(`${lines}data: {"a":\ndata: 5}\n\ndata: {"a":6}\ndata: [DONE]\n`, size);
      expect(frames.map(({ event, data }) => [event, data])).to.deep.equal([
        ['', '{"a":1}'],
        ['b', '{"a":2}'],
        ['', '{"a":3}'],
        ['c', '{"a":4}'],
        ['', '{"a":\n5}'],
        ['', '{"a":6}'],
        ['', '[DONE]'],
      ]);
      expect(frames[5]?.raw.toString()).to.equal('data: {"a":6}\n\n');
    });
  }

  it('reads a last frame that lacks its blank line, but not half a frame', () => {
    expect(framesOf('data: {"a":1}', 5).rest.map((frame) => frame.json())).to.deep.equal([{ a: 1 }]);
    expect(framesOf('data: [DONE]\n', 5).rest.map((frame) => frame.isDone)).to.deep.equal([true]);
    expect(framesOf('data: {"a":', 5).rest).to.deep.equal([]);
    expect(framesOf(': comment', 5).rest).to.deep.equal([]);
  });

  for (const size of [1, 2, 3, 7, 64, 1000]) {
    it(`reads two events that nothing but a line end sets apart, where the body ends with the second, in pieces of ${size} bytes`, () => {
      const datas = (text: string) => framesOf(text, size).rest.map(({ data }) => data);
      expect(datas('data: {"a":1}\ndata: {"a":2}')).to.deep.equal(['{"a":1}', '{"a":2}']);
      expect(datas('event: a\ndata: {"a":1}\nevent: b\ndata: [DONE]')).to.deep.equal(['{"a":1}', '[DONE]']);
      expect(datas('data: {"a":1}\r\ndata: {"a":'), 'half of the second').to.deep.equal(['{"a":1}']);
      expect(datas('data: {"a":\ndata: 1}'), 'one on two lines').to.deep.equal(['{"a":\n1}']);
    });
  }

  it('takes a frame of 5 MB in small pieces, and refuses one beyond its limit', () => {
    const large = `data: "${'x'.repeat(5 * 1024 * 1024)}"\n\n`;
    expect(framesOf(large, 16_384).frames[0]?.raw.length).to.equal(large.length);
    const reader = new SseReader({ maxFrameBytes: 1000 });
    expect(() => {
      for (let sent = 0; sent < 20; sent += 1) for (const _ of reader.push(Buffer.alloc(100, 'x')));
    }).to.throw(SseFrameTooLarge);
  });

  it('does not take a colon-less line, a comment or a longer name for data', () => {
    const { frames } = framesOf('data\n\n:data: x\n\ndatabase: y\n\n', 100);
    expect(frames.map(({ hasData, data }) => [hasData, data])).to.deep.equal([
      [true, ''],
      [false, ''],
      [false, ''],
    ]);
  });

  it('gives a frame inside one chunk as a view, not as a copy', () => {
    const chunk = Buffer.from('data: a\n\ndata: b\n\n');
    const [first] = new SseReader().push(chunk);
    expect(first?.raw.buffer).to.equal(chunk.buffer);
  });
});
