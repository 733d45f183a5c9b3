import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentRequest, type ApiFormat, formatOf, type Json, readRequest, type ScriptedTurn, writeTurn } from './scripted-formats.ts';
import { refusalOf, type UpstreamKind } from './strict-rules.ts';

/** A provider that plays the model of one session of a coding agent, and refuses what the real one is known to refuse. */
export interface ScriptedUpstream {
  url: string;
  /** Calls that belong to the session itself, in order; an agent asks for titles and the like besides. */
  requests: AgentRequest[];
  /** What it refused, and why. */
  refusals: string[];
  reset(): void;
  close(): Promise<void>;
}

/** The user's task holds this, so that the script knows where the session's turn begins. */
export const taskMark = 'TOLLGATE-TASK';
export const finalText = 'All done, the answer is 42.';

/** How each agent's tool for shell commands is called. */
const shells: Record<string, (command: string) => Json> = {
  Bash: (command) => ({ command, description: 'Runs the step' }),
  bash: (command) => ({ command, description: 'Runs the step' }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  shell_command: (command) => ({ command }),
  run_shell_command: (command) => ({ command, description: 'Runs the step', is_background: false }),
};

/** The turn after what a request holds: one call, two at once, then the end. */
function nextTurn(kind: UpstreamKind, { events, tools }: AgentRequest): ScriptedTurn {
  const name = tools.find((tool) => Object.hasOwn(shells, tool));
  const start = events.findLastIndex((event) => event.who === 'user' && event.text.includes(taskMark));
  if (name === undefined || start < 0) return { text: 'A short title', calls: [] };
  const made = events.slice(start).filter(({ who }) => who === 'call').length;
  const run = (command: string) => ({ name, args: (shells[name] as (command: string) => Json)(command) });
  const thinking = kind === 'openai-chat' ? undefined : 'One step after the other.'; // OpenAI tells no thinking in a chat
  const told = thinking === undefined ? {} : { thinking };
  if (made === 0) return { ...told, text: 'First the one.', calls: [run('echo one > one.txt; cat one.txt; sleep 0.3')] };
  if (made === 1)
    return { ...told, text: 'Now both.', calls: [run('cat one.txt; sleep 0.3'), run('echo two > two.txt; cat two.txt; sleep 0.3')] };
  return { text: finalText, calls: [] };
}

export async function startScriptedUpstream(kind: UpstreamKind): Promise<ScriptedUpstream> {
  const requests: AgentRequest[] = [];
  const refusals: string[] = [];
  let answers = 0;
  const server = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const path = req.url ?? '/';
      const send = (status: number, contentType: string, body: string) => res.writeHead(status, { 'content-type': contentType }).end(body);
      const format = formatOf(path);
      if (req.method !== 'POST' || format === undefined) {
        const counted = path.includes('count');
        send(
          counted ? 200 : 404,
          'application/json',
          JSON.stringify(counted ? { input_tokens: 1000, totalTokens: 1000 } : { error: { message: `no ${path}` } }),
        );
        return;
      }
      const body = JSON.parse(Buffer.concat(pieces).toString()) as Json;
      const request = readRequest(path, body);
      const refusal = refusalOf(kind, body, request);
      if (refusal !== undefined) {
        refusals.push(refusal);
        send(400, 'application/json', errorBody(format, refusal));
        return;
      }
      const turn = nextTurn(kind, request);
      if (request.events.some((event) => event.who === 'user' && event.text.includes(taskMark)) && turn.text !== 'A short title')
        requests.push(request);
      answers += 1;
      const { contentType, body: answer } = writeTurn(turn, request, `${kind.replaceAll('-', '')}x${answers}`);
      send(200, contentType, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    reset() {
      requests.length = 0;
      refusals.length = 0;
      answers = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function errorBody(format: ApiFormat, message: string): string {
  if (format === 'anthropic') return JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
  if (format === 'gemini') return JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } });
}
