import { UpstreamError } from '@tollgate/providers';
import { expect } from 'chai';
import { type Mode, playedBack, readAnswer } from './four-corners.ts';

const answer = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
};

function refused(type: number, body: string | object, mode: Mode = 'chat'): UpstreamError {
  try {
    readAnswer(type, mode, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  } catch (error) {
    expect(error).to.be.instanceOf(UpstreamError);
    return error as UpstreamError;
  }
  throw new Error('the answer was taken');
}

describe('a whole answer', () => {
  it('goes to the caller as the bytes that came', () => {
    const bytes = Buffer.from(
      `${JSON.stringify({ ...answer, usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }, extra: 1.0 }, null, 3)}\n`,
    );
    const read = readAnswer(1, 'chat', bytes);
    expect(read.usage?.trusted && read.bytes(read.usage.usage)).to.equal(bytes);
  });

  for (const usage of [
    undefined,
    null,
    {},
    { prompt_tokens: -1 },
    { prompt_tokens: 1e18 },
    { prompt_tokens: '9' },
    { completion_tokens: 0.5 },
  ]) {
    it(`shows what is charged in the place of usage ${JSON.stringify(usage)}`, () => {
      const told = playedBack(1, 'chat', Buffer.from(JSON.stringify({ ...answer, usage })));
      expect(told.shownUsage?.prompt_tokens).to.equal(5);
      expect(told.shownUsage?.completion_tokens).to.be.within(2, 4);
      expect(told.source).to.be.oneOf(['counted', 'estimated']);
    });
  }

  it('is read over a byte order mark, which the caller does not get', () => {
    const json = JSON.stringify({ ...answer, usage: { prompt_tokens: 1, completion_tokens: 2 } });
    const read = readAnswer(1, 'chat', Buffer.from(`\uFEFF${json}`));
    expect(read.usage?.trusted && read.bytes(read.usage.usage).toString()).to.equal(json);
  });

  for (const type of [1, 14, 24, 42]) {
    for (const body of ['{"choices":[]}', '{"choices":null}', '', '<html>', '{"choices":[', '"text"', '[]', 'null', '{}', '{"foo":1}']) {
      it(`of type ${type} is none when it reads ${JSON.stringify(body)}`, () => {
        expect(refused(type, body)).to.include({ kind: 'unreadable', status: 502 });
      });
    }
  }

  it('may be an error although its status was 200', () => {
    expect(refused(1, { error: { message: 'no', type: 'invalid_request_error' } })).to.include({ status: 400, kind: 'request' });
    expect(refused(1, { error: { message: 'no', code: 'insufficient_quota' } })).to.include({ status: 429, kind: 'balance' });
    expect(refused(1, { error: { message: 'no', code: 401 } })).to.include({ status: 401, kind: 'credentials' });
    expect(refused(1, { error: 'no' })).to.include({ status: 500 });
    expect(refused(40, { code: 50505, message: 'Model service overloaded.' })).to.include({
      status: 500,
      message: 'Model service overloaded.',
    });
    expect(refused(14, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).to.include({
      status: 503,
      kind: 'overloaded',
    });
    expect(playedBack(1, 'chat', Buffer.from(JSON.stringify({ ...answer, error: {} }))).json.id).to.equal('x');
  });

  it('of embeddings is not parsed for its usage, however long it is', () => {
    const data = Array.from({ length: 200 }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: 1536 }, () => -0.012345678),
    }));
    const bytes = Buffer.from(JSON.stringify({ object: 'list', data, model: 'm', usage: { prompt_tokens: 7, total_tokens: 7 } }));
    const read = readAnswer(1, 'embeddings', bytes);
    expect(read.usage?.trusted && read.usage.usage.textInput).to.equal(7);
    expect(refused(1, bytes.subarray(0, bytes.length - 40).toString(), 'embeddings').kind).to.equal('unreadable');
  });

  for (const type of [1, 24]) {
    it(`of embeddings (type ${type}) comes as base64 when the caller asks for that and the provider sends numbers`, () => {
      const sent =
        type === 1
          ? { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5, -2] }] }
          : { embedding: { values: [0.5, -2] } };
      const read = readAnswer(type, 'embeddings', Buffer.from(JSON.stringify(sent)), 'base64');
      const shown = JSON.parse(read.bytes({ ...read.usage } as never).toString()) as { data: { embedding: string }[] };
      const bytes = Buffer.from(shown.data[0]?.embedding ?? '', 'base64');
      expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).to.deep.equal([0.5, -2]);
    });
  }
});
