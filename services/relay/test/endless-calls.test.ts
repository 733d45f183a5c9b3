import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textTokens } from '@tollgate/providers';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';

const toolArguments = JSON.stringify({ city: 'Paris', words: Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ') });
const messages = [{ role: 'user', content: 'Hello there' }];
const granted = 20_000;

/** A provider of OpenAI's dialect that calls one tool after the other, as fast as it is read, until its line is closed. */
async function endlessProvider(): Promise<{ server: Server; url: string; lines(): number }> {
  let lines = 0;
  const server = createServer((request, response) => {
    request.resume();
    lines += 1;
    response.once('close', () => {
      lines -= 1;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let index = 0;
    const write = () => {
      let isTaken = !response.destroyed;
      while (isTaken) {
        const call = { index, id: `call_${index}`, type: 'function', function: { name: 'weather', arguments: toolArguments } };
        isTaken = response.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`,
        );
        index += 1;
      }
    };
    response.on('drain', write);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines: () => lines };
}

describe('A provider that calls tools without end', () => {
  let gateway: Gateway;
  let endless: Awaited<ReturnType<typeof endlessProvider>>;

  before(async () => {
    endless = await endlessProvider();
    gateway = await startGateway();
    await gateway.channel({ baseUrl: endless.url });
    await untilServed(gateway, (await gateway.user()).token);
  });
  after(async () => {
    await gateway?.stop();
    endless?.server.close();
    endless?.server.closeAllConnections();
  });

  const callers = [
    {
      name: 'who speaks as it does',
      path: '/v1/chat/completions',
      body: {},
      calls: '"tool_calls":[{',
      ends: ['"finish_reason":"length"', '[DONE]'],
    },
    {
      name: 'of another dialect',
      path: '/v1/messages',
      body: { max_tokens: 1_000_000 },
      calls: '"type":"tool_use"',
      ends: ['"stop_reason":"max_tokens"', 'event: message_stop'],
    },
  ];
  for (const { name, path, body, calls, ends } of callers) {
    it(`is let go when the wallet of a caller ${name} carries no more; he hears an end and pays what he got`, async () => {
      const user = await gateway.user({ balance: granted });
      const asked = { model: 'test-model', stream: true, messages, ...body };
      const frames = await framesOf(await gateway.post(path, asked, { authorization: user.token.authorization }));
      const lastWords = frames.slice(-3).join('\n');
      for (const end of ends) expect(lastWords).to.contain(end);
      const heard = frames.filter((frame) => frame.includes(calls)).length;
      const bill = await gateway.bill(user);
      expect(bill).to.include({ endReason: 'balance', usageSource: 'estimated' });
      const { textOutput } = bill.usage as { textOutput: number };
      expect(textOutput).to.equal(Math.ceil(heard * (textTokens('weather') + textTokens(toolArguments))));
      expect(textOutput).to.be.within(granted, granted * 4);
      expect(await gateway.held(user)).to.equal(granted);
      await eventually(() => expect(endless.lines()).to.equal(0));
    });
  }
});
