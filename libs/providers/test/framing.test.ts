import { EventStreamCodec } from '@smithy/eventstream-codec';
import { expect } from 'chai';
import { awsEvents } from '../src/aws-events.ts';
import { isUnreadable, serverSentEvents } from '../src/index.ts';
import { jsonLines } from '../src/json-lines.ts';

const codec = new EventStreamCodec(String, (text) => Buffer.from(text));
const event = JSON.stringify({ type: 'said', text: 'x'.repeat(200_000) });
const inFrame = Buffer.from(
  codec.encode({
    headers: { ':message-type': { type: 'string', value: 'event' } },
    body: Buffer.from(JSON.stringify({ bytes: Buffer.from(event).toString('base64') })),
  }),
);

const framings = [
  { name: 'server-sent events', framing: serverSentEvents, bytes: Buffer.from(`data: ${event}\n\n`) },
  { name: 'JSON lines', framing: jsonLines, bytes: Buffer.from(`${event}\n`) },
  { name: 'Amazon’s frames', framing: awsEvents, bytes: inFrame },
];

for (const { name, framing, bytes } of framings) {
  describe(`the reader of ${name}`, () => {
    it('keeps nothing of the pieces that came, however small they are, and tells what it keeps', () => {
      const reader = framing.open();
      const piece = Buffer.alloc(1); // each piece overwrites the one before it
      const events: string[] = [];
      let mostKept = 0;
      for (const byte of Buffer.concat([bytes, bytes])) {
        piece[0] = byte;
        for (const { data } of reader.push(piece)) events.push(data);
        mostKept = Math.max(mostKept, reader.keptBytes);
      }
      expect(events).to.deep.equal([event, event]);
      expect(mostKept).to.be.within(bytes.length - 2, 2 * bytes.length);
      expect(reader.keptBytes).to.equal(0);
    });

    it('keeps a long event in little more than its bytes, and frees it when it is dropped', () => {
      const reader = framing.open();
      const prefix = bytes.subarray(0, bytes.length - 2);
      for (let at = 0; at < prefix.length; at += 3_000) expect([...reader.push(prefix.subarray(at, at + 3_000))]).to.have.length(0);
      expect(reader.keptBytes).to.be.within(prefix.length, prefix.length + (256 << 10));
      reader.drop();
      expect(reader.keptBytes).to.equal(0);
      expect([...reader.push(bytes)].map(({ data }) => data)).to.deep.equal([event]);
    });

    it('gives what stands in one piece behind half an event', () => {
      const reader = framing.open();
      expect([...reader.push(bytes.subarray(0, 100))]).to.have.length(0);
      const rest = Buffer.concat([bytes.subarray(100), bytes, bytes.subarray(0, 50)]);
      expect(Array.from(reader.push(rest), ({ data }) => data)).to.deep.equal([event, event]);
      expect(reader.keptBytes).to.equal(50);
    });

    const long = Buffer.alloc(11 << 20, 'x');
    for (const [what, before, piece] of [
      ['', 0, long],
      [', and gives what ended before it in the same piece', 1, Buffer.concat([bytes, long])],
      [', also where the piece began inside an event', 2, Buffer.concat([bytes.subarray(100), bytes, long, bytes])],
    ] as const) {
      it(`refuses what is longer than any event${what}`, () => {
        const reader = framing.open();
        if (before === 2) expect([...reader.push(bytes.subarray(0, 100))]).to.have.length(0);
        const events: string[] = [];
        try {
          for (const { data } of reader.push(piece)) events.push(data);
          expect.fail('it was taken');
        } catch (error) {
          expect(isUnreadable(error), String(error)).to.equal(true);
        }
        expect(events).to.deep.equal(Array(before).fill(event));
      });
    }
  });
}
