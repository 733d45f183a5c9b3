import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from '../support/gateway.ts';
import { differences } from './compare.ts';
import { type Agent, agents, runAgent, setupOf } from './run-agent.ts';
import type { AgentRequest } from './scripted-formats.ts';
import { finalText, type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import type { UpstreamKind } from './strict-rules.ts';

/** Each kind of upstream: its channel, and a model whose rules in the catalog matter to agents. */
const kinds: Record<UpstreamKind, { type: number; model: string; setting?: string; key?: string }> = {
  'openai-chat': { type: 1, model: 'gpt-5' },
  'openai-responses': { type: 1, model: 'gpt-5.5', setting: '{"responses":true}' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3.1-pro-preview', key: 'gemini-key' },
  deepseek: { type: 43, model: 'deepseek-v4-pro' },
};
const nativeKinds = { anthropic: 'anthropic', responses: 'openai-responses', gemini: 'gemini', chat: 'openai-chat' } as const;
/** An upstream that the agent can be connected to directly: that of the session where it has the agent's format. */
const nativeKind = (format: keyof typeof nativeKinds, kind: UpstreamKind): UpstreamKind =>
  format === 'chat' && kind === 'deepseek' ? kind : nativeKinds[format];
const each = <Value>(value: Value, wanted: string | undefined, name: (value: Value) => string) =>
  wanted === undefined || wanted.split(',').includes(name(value));
const chosenAgents = agents.filter((agent) => each(agent, process.env.AGENTS, ({ id }) => id));
const chosenKinds = (Object.keys(kinds) as UpstreamKind[]).filter((kind) => each(kind, process.env.UPSTREAMS, (name) => name));

/**
 * Real coding agents, run as a user runs them: two tasks with tools, the second in the resumed session, on every kind of upstream. What the model is told is compared
 * with the same session on a direct connection. Nightly, by `npm run test:agents`; AGENTS and UPSTREAMS choose some.
 */
describe('Coding agents', function () {
  this.timeout(600_000);
  let gateway: Gateway;
  let user: TestUser;
  let folder: string;
  let bin: string;
  const upstreams = {} as Record<UpstreamKind, ScriptedUpstream>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agents-'));
    bin = process.env.AGENTS_BIN ?? installed(join(folder, 'npm'), chosenAgents);
    for (const kind of Object.keys(kinds) as UpstreamKind[]) upstreams[kind] = await startScriptedUpstream(kind);
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e9 });
    await gateway.channels(
      (Object.keys(kinds) as UpstreamKind[]).map((kind) => ({
        ...kinds[kind],
        model: undefined,
        models: [kinds[kind].model],
        baseUrl: upstreams[kind].url,
      })),
    );
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(Object.values(kinds).map(({ model }) => [model, 1]))) });
    await untilServed(gateway, user.token, 'deepseek-v4-pro');
  });
  after(async () => {
    await gateway?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Two tasks of one session, and the calls that reached the upstream. */
  async function played(
    agent: Agent,
    upstream: ScriptedUpstream,
    where: { origin: string; key: string; model: string },
  ): Promise<AgentRequest[]> {
    upstream.reset();
    const session = { ...where, bin, folder: join(folder, agent.id) };
    for (const more of [false, true]) {
      const { code, output, files } = await runAgent(agent, session, more);
      const about = `${upstream.refusals.join('; ')}\n${output.slice(-2000)}`;
      expect(upstream.refusals, about).to.deep.equal([]);
      expect(code, about).to.equal(0);
      expect(files, about).to.deep.equal({ one: 'one\n', two: 'two\n' });
      expect(output).to.include(finalText);
    }
    return [...upstream.requests];
  }

  for (const agent of chosenAgents) {
    for (const kind of chosenKinds) {
      it(`${setupOf(agent.id).name} works on ${kind} as on a direct connection`, async () => {
        const { model } = kinds[kind];
        const native = upstreams[nativeKind(setupOf(agent.id).format, kind)];
        const direct = await played(agent, native, { origin: native.url, key: 'sk-direct', model });
        const relayed = await played(agent, upstreams[kind], { origin: gateway.url, key: `sk-${user.token.key}`, model });
        expect(direct.length).to.equal(6);
        expect(differences(direct, relayed)).to.deep.equal([]);
      });
    }
  }
});

/** Installs the agents outside of the repository; returns the folder of their commands. */
function installed(folder: string, wanted: readonly Agent[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...wanted.map((agent) => agent.package)], {
    cwd: folder,
    stdio: 'inherit',
  });
  return join(folder, 'node_modules/.bin');
}
