import { execFileSync, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { wireSample } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { pictureUrl, showsPicture } from './support/pictures.ts';

const clients = ['openai', 'responses', 'anthropic', 'google'] as const;
/** Each client meets three dialects at least that are none of his own. */
const upstreams = [
  { type: 1, name: 'openai', tools: 'openai/tool-call' },
  { type: 14, name: 'anthropic', tools: 'anthropic/tool-call' },
  { type: 24, name: 'gemini', tools: 'gemini/tool-call' },
  { type: 42, name: 'mistral', tools: undefined },
  { type: 34, name: 'cohere', plain: 'cohere/v2-chat', tools: undefined },
];
/** Whose dialect is whose own: what is shown there travels as it came. */
const own: Record<string, string> = { openai: 'openai', anthropic: 'anthropic', google: 'gemini' };
const python = process.env.TEST_PYTHON ?? 'python3';

function missing(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import openai, anthropic, google.genai'], { stdio: 'pipe', timeout: 60_000 });
    return undefined;
  } catch {
    return `${python} has not the packages openai, anthropic and google-genai (TEST_PYTHON names another one)`;
  }
}

describe('The official Python clients', function () {
  this.timeout(240_000);
  const reason = missing();
  if (reason !== undefined) {
    it(`are not tried: ${reason}`);
    return;
  }
  let gateway: Gateway;
  let user: TestUser;
  let heard: Record<string, unknown>;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    const models = upstreams.flatMap(({ name, tools }) => [
      `${name}-plain`,
      ...(tools === undefined ? [] : [`${name}-tools`, `${name}-picture`]),
    ]);
    await gateway.channels(
      upstreams.map(({ type, name }) => ({ type, models: models.filter((model) => model.startsWith(name)), key: 'upstream-key' })),
    );
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'cohere-plain');
    for (const { name, plain, tools } of upstreams) {
      gateway.provider.answers(plain === undefined ? { words: 6 } : { case: plain }, `${name}-plain`);
      if (tools === undefined) continue;
      gateway.provider.answers({ case: tools }, `${name}-tools`);
      gateway.provider.answers({ words: 3 }, `${name}-picture`);
    }
    const asks = clients.flatMap((client) =>
      models.flatMap((model) => {
        if (model === `${own[client]}-picture`) return [];
        for (const manner of ['tools', 'picture']) if (model.endsWith(`-${manner}`)) return [[client, manner, model]];
        return model === 'cohere-plain' ? [[client, 'plain', model]] : ['plain', 'stream'].map((manner) => [client, manner, model]);
      }),
    );
    const script = new URL('support/python_clients.py', import.meta.url).pathname;
    const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 200_000 });
    child.stdin.end(JSON.stringify({ url: gateway.url, key: `sk-${user.token.key}`, picture: pictureUrl, asks }));
    heard = JSON.parse(await text(child.stdout)) as Record<string, unknown>;
    expect(Object.keys(heard)).to.have.length(asks.length);
  });
  after(() => gateway?.stop());

  for (const client of clients) {
    for (const { name, plain, tools } of upstreams) {
      it(`${client} hears a provider of the kind ${name} whole, in pieces and in calls of tools`, () => {
        const words = plain === undefined ? 'w0 w1 w2 w3 w4 w5' : wireSample(plain).expect?.content;
        expect(String(heard[`${client} plain ${name}-plain`]).trim()).to.equal(words);
        if (plain === undefined) expect(String(heard[`${client} stream ${name}-plain`]).trim()).to.equal(words);
        if (tools === undefined) return;
        const calls = wireSample(tools).expect?.tool_calls ?? [];
        expect(heard[`${client} tools ${name}-tools`]).to.deep.equal(calls.map((call) => [call.name, call.arguments]));
      });
    }
  }

  for (const { type, name } of upstreams.filter(({ tools }) => tools !== undefined)) {
    it(`show a provider of the kind ${name} a picture in the words of others`, () => {
      const model = `${name}-picture`;
      const others = clients.filter((client) => own[client] !== name);
      for (const client of others) expect(String(heard[`${client} picture ${model}`]).trim(), client).to.equal('w0 w1 w2');
      const asked = gateway.provider.calls.filter((call) => call.model === model);
      expect(asked).to.have.length(others.length);
      for (const { json, body } of asked) expect(showsPicture(json, type), body).to.equal(true);
    });
  }
});
