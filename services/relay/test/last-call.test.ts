import { connect } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { startGateway, untilServed } from './support/gateway.ts';

describe('A relay that stops', () => {
  it('answers what was asked on a kept connection while it stood still, and says that it was the last', async () => {
    const gateway = await startGateway({ RELAY_STOP_DELAY_MS: '0' });
    const user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
    const body = JSON.stringify(question());
    const heads = `Host: x\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const asked = `POST /v1/chat/completions HTTP/1.1\r\n${heads}\r\n\r\n${body}`;
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => undefined); // `close` follows
    let stopping: Promise<void> | undefined;
    try {
      let text = '';
      socket.on('data', (piece) => {
        text += piece.toString();
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(asked);
      while (!text.includes('"usage"')) await delay(5);
      text = '';
      stopping = gateway.stop();
      await delay(30);
      await setImmediate(); // timers come next, then what the line has brought
      socket.write(asked);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // the machine is busy elsewhere
      await closed;
      expect(text)
        .to.match(/^HTTP\/1\.1 200 OK\r\n/)
        .and.include('Connection: close\r\n')
        .and.include('"usage"');
    } finally {
      socket.destroy();
      await (stopping ?? gateway.stop());
    }
  });
});
