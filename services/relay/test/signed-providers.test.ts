import { generateKeyPairSync, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { seal } from '@tollgate/db';
import { eventually, wireBytes } from '@tollgate/testing';
import { expect } from 'chai';

import { WebSocketServer } from 'ws';
import { proxyCredentials, startConnectProxy } from './support/connect-proxy.ts';
import { type Gateway, startGateway } from './support/gateway.ts';

interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A provider that answers by path, and keeps what it was asked. */
interface Upstream {
  url: string;
  server: Server;
  asked: Asked[];
  answer(asked: Asked): { status?: number; type?: string; headers?: Record<string, string>; pieces: Buffer[] };
}

async function startUpstream(): Promise<Upstream> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const question = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces).toString() };
    asked.push(question);
    const { status = 200, type = 'application/json', headers, pieces: answer } = upstream.answer(question);
    response.writeHead(status, { 'content-type': type, ...headers });
    for (const piece of answer) {
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    asked,
    answer: () => ({ status: 500, pieces: [] }),
  };
  return upstream;
}

const whole = (value: unknown) => ({ pieces: [Buffer.from(JSON.stringify(value))] });
const bytesOf = (bytes: Buffer) => Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));

describe('providers who are called by signatures, tokens and sockets', () => {
  let gateway: Gateway;
  let upstream: Upstream;
  before(async () => {
    upstream = await startUpstream();
    gateway = await startGateway();
    await gateway.options({ SelfUseModeEnabled: 'true' });
  });
  after(async () => {
    await gateway.stop();
    upstream.server.closeAllConnections();
    upstream.server.close();
  });
  beforeEach(() => {
    upstream.asked.length = 0;
  });

  const channelOf = (type: number, model: string, fields: Record<string, unknown>) =>
    gateway.channel({ type, models: [model], baseUrl: upstream.url, ...fields });

  describe('Bedrock', () => {
    const model = 'claude-3-5-sonnet-20241022';
    let key: string;
    before(async () => {
      await channelOf(33, model, { key: 'AKIDEMO|demosecret|us-east-1' });
      key = (await gateway.user()).token.authorization.replace('Bearer ', '');
    });
    const streaming = (file: string) => () => ({
      type: 'application/vnd.amazon.eventstream',
      pieces: bytesOf(wireBytes(`bedrock-claude/${file}.response.b64`)),
    });

    it('streams to callers of OpenAI and of Anthropic, in whatever pieces its frames come', async () => {
      upstream.answer = streaming('chat-stream');
      let text = '';
      const stream = await gateway
        .client(key)
        .chat.completions.create({ model, messages: [{ role: 'user', content: 'Ping?' }], stream: true });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      expect(text).to.equal('Pong.');
      const anthropic = new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });
      const metadata = { user_id: 'u1' };
      const said = anthropic.beta.messages.stream({
        model,
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Ping?' }],
        metadata,
        betas: ['interleaved-thinking-2025-05-14', 'prompt-caching-scope-2026-01-05'],
        context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
        output_config: { effort: 'low' },
        tools: [
          {
            name: 'f',
            input_schema: { type: 'object' },
            defer_loading: true,
            cache_control: { type: 'ephemeral', scope: 'global' } as never,
          },
        ],
      });
      const message = await said.finalMessage();
      expect(message.content).to.deep.include({ type: 'text', text: 'Pong.' });
      expect(message.usage).to.include({ input_tokens: 16, output_tokens: 5 });
      for (const { path, headers, body } of upstream.asked) {
        expect(path).to.equal(`/model/us.anthropic.${model}-v2%3A0/invoke-with-response-stream`);
        expect(headers.authorization).to.match(
          /^AWS4-HMAC-SHA256 Credential=AKIDEMO\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
        );
        expect(headers.accept).to.equal('application/vnd.amazon.eventstream');
        expect(JSON.parse(body))
          .to.include({ anthropic_version: 'bedrock-2023-05-31' })
          .and.not.have.any.keys('model', 'stream', 'metadata');
      }
      expect(JSON.parse(upstream.asked[1]?.body ?? '')).to.deep.include({
        anthropic_beta: ['interleaved-thinking-2025-05-14'],
        output_config: { effort: 'low' },
        tools: [{ name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }],
      });
      expect(upstream.asked[1]?.body).not.to.match(/context_management|scope|defer_loading/);
    });

    it('tells an exception in a stream as its error, after what was said before it', async () => {
      upstream.answer = streaming('error-mid-stream');
      const answer = await gateway.post(
        '/v1/chat/completions',
        { model, stream: true, messages: [{ role: 'user', content: 'hi' }] },
        { authorization: `Bearer ${key}` },
      );
      const text = await answer.text();
      expect(text).to.include('"Po"').and.include('Too many tokens').and.not.include('[DONE]');
    });

    it('refuses by name what only Anthropic itself takes', async () => {
      const answer = await gateway.post(
        '/v1/messages',
        {
          model,
          max_tokens: 20,
          messages: [{ role: 'user', content: 'hi' }],
          mcp_servers: [{ type: 'url', url: 'https://x.example.com', name: 'x' }],
        },
        { 'x-api-key': key },
      );
      expect(answer.status).to.equal(400);
      expect(await answer.text()).to.include('mcp_servers');
      expect(upstream.asked).to.deep.equal([]);
    });
  });

  describe('Vertex', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const account = (email: string) =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'demo-project-1',
        private_key_id: 'kid-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: email,
        token_uri: `${upstream.url}/token`,
      });
    let issued = 0;
    let good: string | undefined;
    const answering = (asked: Asked) => {
      if (asked.path === '/token') {
        issued += 1;
        good = `ya29.token-${issued}`;
        return whole({ access_token: good, expires_in: 3599, token_type: 'Bearer' });
      }
      if (asked.headers.authorization !== `Bearer ${good}`)
        return { status: 401, ...whole({ error: { code: 401, message: 'no', status: 'UNAUTHENTICATED' } }) };
      if (asked.path.includes('publishers/anthropic')) return { pieces: [wireBytes('bedrock-claude/chat.response.json')] };
      if (asked.path.includes('publishers/google')) return { pieces: [wireBytes('vertex/gemini-chat.response.json')] };
      return { pieces: [wireBytes('vertex/llama-chat.response.json')] };
    };
    const call = async (token: string, model: string) => {
      const answer = await gateway.post(
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'Ping?' }] },
        { authorization: token },
      );
      return { status: answer.status, json: (await answer.json()) as { choices: { message: { content: string } }[] } };
    };

    it('serves the models of three makers by one token, which all calls share', async () => {
      upstream.answer = answering;
      const models = ['claude-3-5-sonnet-20241022', 'gemini-2.0-flash', 'meta/llama3-405b-instruct-maas'];
      await gateway.channel({
        type: 41,
        models,
        groups: ['vertex'],
        baseUrl: upstream.url,
        key: account('a@demo.example.com'),
        other: 'us-central1',
      });
      const { token } = await gateway.user({ group: 'vertex' });
      await gateway.options({ GroupRatio: JSON.stringify({ default: 1, vertex: 1 }), UserUsableGroups: '{}' });
      const answers = await Promise.all([...models, ...models].map((model) => call(token.authorization, model)));
      for (const { status, json } of answers) {
        expect(status, JSON.stringify(json)).to.equal(200);
        expect(json.choices[0]?.message.content).to.equal('Pong.');
      }
      expect(issued).to.equal(1);
      const [question] = upstream.asked.filter(({ path }) => path === '/token');
      const assertion = new URLSearchParams(question?.body).get('assertion') ?? '';
      const [head = '', claims = '', signature = ''] = assertion.split('.');
      const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).to.equal(true);
      expect(read(head)).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'kid-1' });
      const scope = 'https://www.googleapis.com/auth/cloud-platform';
      expect(read(claims)).to.include({ aud: `${upstream.url}/token`, iss: 'a@demo.example.com', scope });
      const kept = await gateway.redis.keys('access-token:*');
      expect(kept).to.not.deep.equal([]);
      for (const place of kept) expect(await gateway.redis.get(place)).to.not.include('ya29');
    });

    it('asks for another token once when one is refused', async () => {
      upstream.answer = answering;
      await channelOf(41, 'gemini-2.5-flash', { key: account('b@demo.example.com'), other: '{"default":"us-central1"}' });
      const { token } = await gateway.user();
      expect((await call(token.authorization, 'gemini-2.5-flash')).status).to.equal(200);
      good = 'another';
      const before = issued;
      expect((await call(token.authorization, 'gemini-2.5-flash')).status).to.equal(200);
      expect(issued).to.equal(before + 1);
    });
  });

  it('Baidu takes its token in the address, and another one when it says in its answer that it is spent', async () => {
    let issued = 0;
    upstream.answer = ({ path }) => {
      if (path.startsWith('/oauth/2.0/token')) {
        issued += 1;
        return whole({ access_token: `24.token-${issued}`, expires_in: 2_592_000 });
      }
      if (!path.endsWith('access_token=24.token-2')) return { pieces: [wireBytes('baidu-v1/error-110.response.json')] };
      return { pieces: [wireBytes('baidu-v1/chat.response.json')] };
    };
    await channelOf(15, 'ERNIE-4.0-8K', { key: 'ak-demo|sk-demo' });
    const { token } = await gateway.user();
    const answer = await gateway
      .client(token)
      .chat.completions.create({ model: 'ERNIE-4.0-8K', messages: [{ role: 'user', content: 'hi' }] });
    expect(answer.choices[0]?.message.content).to.equal('蓝色。');
    expect(issued).to.equal(2);
  });

  describe('Spark', () => {
    let sockets: WebSocketServer;
    let frames: string[] = [];
    const heard: string[] = [];
    let token: string;
    before(async () => {
      sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      await new Promise((resolve) => sockets.once('listening', resolve));
      sockets.on('connection', (socket) => {
        socket.on('message', (data) => {
          heard.push(String(data));
          for (const frame of frames) socket.send(frame);
        });
      });
      const { port } = sockets.address() as AddressInfo;
      await channelOf(18, 'SparkDesk-v3.5', { key: 'abcd1234|secret|key', baseUrl: `ws://127.0.0.1:${port}` });
      token = (await gateway.user()).token.authorization;
    });
    after(() => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    });
    const ask = (fields = {}) =>
      gateway.post(
        '/v1/chat/completions',
        { model: 'SparkDesk-v3.5', messages: [{ role: 'user', content: '你好' }], ...fields },
        { authorization: token },
      );
    const linesOf = (file: string) => wireBytes(`xunfei-ws/${file}.response.jsonl`).toString().trim().split('\n');

    it('answers by socket, whole and streamed, and the socket is closed behind the last frame', async () => {
      frames = linesOf('chat');
      const whole = (await (await ask()).json()) as { choices: { message: { content: string } }[]; usage: object };
      expect(whole.choices[0]?.message.content).to.equal('你好，有什么可以帮你？');
      expect(whole.usage).to.include({ prompt_tokens: 8, completion_tokens: 9 });
      const text = await (await ask({ stream: true })).text();
      expect(text).to.include('有什么').and.include('[DONE]');
      expect(JSON.parse(heard[0] ?? '')).to.deep.include({ header: { app_id: 'abcd1234' } });
      await eventually(() => expect(sockets.clients.size).to.equal(0));
    });

    it('goes through the proxy of its channel and by no other way', async () => {
      frames = linesOf('chat');
      const proxy = await startConnectProxy();
      const { port } = sockets.address() as AddressInfo;
      const channel = await channelOf(18, 'SparkDesk-v4.0', {
        key: 'abcd1234|secret|key',
        baseUrl: `ws://127.0.0.1:${port}`,
        setting: JSON.stringify({ proxy: seal(proxy.url, 'channel proxy') }),
      });
      await eventually(async () => expect((await ask({ model: 'SparkDesk-v4.0' })).status).to.equal(200));
      expect(proxy.through).to.deep.equal([`127.0.0.1:${port} ${proxyCredentials}`]);
      proxy.close();
      const { length: answered } = heard;
      await gateway.changeChannel(channel, { setting: JSON.stringify({ proxy: 'http://127.0.0.1:9' }) });
      await eventually(async () => expect((await ask({ model: 'SparkDesk-v4.0' })).status).to.equal(502));
      expect(heard).to.have.length(answered);
    });

    it('tells the error that a frame holds, and one that breaks off in the stream', async () => {
      frames = linesOf('error-frame');
      const answer = await ask({ stream: true });
      expect(answer.status).to.equal(502); // our account there: nothing of it is for the caller
      frames = linesOf('chat').slice(0, 1);
      sockets.once('connection', (socket) => socket.once('message', () => setImmediate(() => socket.close())));
      const text = await (await ask({ stream: true })).text();
      expect(text).to.include('你好').and.include('error').and.not.include('[DONE]');
    });

    it('lets the socket go when the caller leaves', async () => {
      frames = linesOf('chat').slice(0, 1);
      const leaving = new AbortController();
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'SparkDesk-v3.5', stream: true, messages: [{ role: 'user', content: 'x' }] }),
      });
      await answer.body?.getReader().read();
      expect(sockets.clients.size).to.equal(1);
      for (const socket of sockets.clients) socket.send(linesOf('chat')[2] ?? '');
      leaving.abort();
      await eventually(() => expect(sockets.clients.size).to.equal(0));
    });
  });
});
