import { createServer } from 'node:http';
import { Agent, type Dispatcher } from 'undici';

// The yardstick: what a relay on this runtime costs that does nothing but forward. It is frozen: a change to it makes all
// earlier ratios worthless. It parses the caller's JSON and looks for usage in the answer, as every relay must, and keeps no accounts.
const upstream = String(process.env.UPSTREAM);
const agent = new Agent({ connections: 256, pipelining: 1 });

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    JSON.parse(body.toString());
    const forwarded = {
      origin: upstream,
      path: String(request.url),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    } as const;
    let controller: Dispatcher.DispatchController | undefined;
    let tail: Buffer = Buffer.alloc(0);
    response.on('close', () => controller?.abort(new Error('the caller left')));
    response.on('drain', () => controller?.resume());
    agent.dispatch(forwarded, {
      onRequestStart(started) {
        controller = started;
      },
      onResponseStart(_controller, status, headers) {
        response.writeHead(status, { 'content-type': String(headers['content-type']) });
      },
      onResponseData(started, chunk) {
        tail = chunk;
        if (!response.write(chunk)) started.pause();
      },
      onResponseEnd() {
        tail.indexOf('"usage"');
        response.end();
      },
      onResponseError() {
        response.destroy();
      },
    });
  });
});

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('disconnect', () => process.exit(0));
