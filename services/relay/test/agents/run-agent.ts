import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentSetup, agentSetups, filledSetup } from '@tollgate/contracts/agent-setups';
import { taskMark } from './scripted-upstream.ts';

/** A coding agent from npm, and how one session of it runs without a terminal. */
export interface Agent {
  id: string;
  /** Its npm package, at the version that the suite was last run with. */
  package: string;
  /** The command line for a task; `more` continues the last session. */
  command(task: string, more: boolean): readonly string[];
  env?: Readonly<Record<string, string>>;
}

export const agents: readonly Agent[] = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code@2.1.332',
    command: (task, more) => ['claude', '-p', task, ...(more ? ['-c'] : []), '--allowedTools', 'Bash', '--output-format', 'json'],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  },
  {
    id: 'codex',
    package: '@openai/codex@0.171.0',
    command: (task, more) => [
      'codex',
      'exec',
      ...(more ? ['resume', '--last'] : []),
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      task,
    ],
  },
  {
    id: 'gemini-cli',
    package: '@google/gemini-cli@0.61.0',
    // Not resumed: `-r latest` sends each result twice, which Google refuses on a direct connection, too.
    command: (task) => ['gemini', '-p', task, '--yolo'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  },
  {
    id: 'opencode',
    package: 'opencode-ai@1.18.33',
    command: (task, more) => ['opencode', 'run', ...(more ? ['-c'] : []), task],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  },
  {
    id: 'qwen-code',
    package: '@qwen-code/qwen-code@0.24.4',
    command: (task, more) => ['qwen', '-p', task, ...(more ? ['-c'] : []), '--yolo'],
  },
];

export interface Session {
  /** Where the agents are installed. */
  bin: string;
  /** An empty folder: the agent's home and its project stand in it. */
  folder: string;
  origin: string;
  key: string;
  model: string;
}

export interface SessionResult {
  code: number | null;
  output: string;
  /** What the agent's tools wrote. */
  files: Record<string, string | undefined>;
}

const longestMs = 180_000;

export function setupOf(id: string): AgentSetup {
  return agentSetups.find((setup) => setup.id === id) as AgentSetup;
}

/** The agent's settings as a user would paste them; returns the variables of its shell lines. */
function applySetup(id: string, { folder, ...values }: Session): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { file, text } of setupOf(id).steps) {
    const filled = filledSetup(text, values);
    if (file === undefined) {
      for (const [, name = '', value = ''] of filled.matchAll(/^export (\w+)="([^"]*)"$/gm)) env[name] = value;
      continue;
    }
    const path = file.replace('~', join(folder, 'home'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, filled);
  }
  return env;
}

/** Runs one task of a session. `more`: the second task, in the folder of the first. */
export async function runAgent(agent: Agent, session: Session, more = false): Promise<SessionResult> {
  const { folder, bin } = session;
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  if (!more) rmSync(folder, { recursive: true, force: true });
  for (const path of [home, project]) mkdirSync(path, { recursive: true });
  if (more) for (const name of ['one.txt', 'two.txt']) rmSync(join(project, name), { force: true });
  const { PATH = '', LANG = 'C.UTF-8', TERM = 'dumb' } = process.env;
  const env = {
    HOME: home,
    PATH: `${bin}:${dirname(process.execPath)}:${PATH}`,
    LANG,
    TERM,
    CI: '1',
    ...agent.env,
    ...applySetup(agent.id, session),
  };
  const [command = '', ...args] = agent.command(`${taskMark}${more ? ' again' : ''}: make the files and say the answer.`, more);
  const child = spawn(command, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  const keep = (bytes: Buffer) => {
    if (output.length < 1_000_000) output += bytes.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const end = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // it is gone
    }
  };
  const timer = setTimeout(end, longestMs);
  const code = await new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  clearTimeout(timer);
  end(); // what it has left running
  const read = (name: string) => (existsSync(join(project, name)) ? readFileSync(join(project, name), 'utf8') : undefined);
  return { code, output, files: { one: read('one.txt'), two: read('two.txt') } };
}
