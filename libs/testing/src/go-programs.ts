import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from './engine-unavailable.ts';
import { oncePerMachine } from './once-per-machine.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const timeoutMs = 1_200_000;

interface Source {
  main: string;
  module: string;
  version: string;
  /** A file of the module that says something else here. */
  instead?: { file: string; text: string };
}

/** Programs that our files are held against, as their makers publish them but for what `instead` says: the main package of a Go module. */
const programs = {
  kustomize: { main: 'sigs.k8s.io/kustomize/kustomize/v5', module: 'sigs.k8s.io/kustomize/kustomize/v5', version: 'v5.7.1' },
  'kubectl-validate': { main: 'sigs.k8s.io/kubectl-validate', module: 'sigs.k8s.io/kubectl-validate', version: 'v0.0.4' },
  // v0.307 of the module is Prometheus 3.7, which docker-compose.yml has.
  promtool: {
    main: 'github.com/prometheus/prometheus/cmd/promtool',
    module: 'github.com/prometheus/prometheus',
    version: 'v0.307.3',
    // How two dozen clouds name their machines is more than half of what there is to compile. Our prometheus.yml asks a DNS.
    instead: { file: 'plugins/plugins.go', text: 'package plugins\nimport _ "github.com/prometheus/prometheus/discovery/dns"\n' },
  },
} satisfies Record<string, Source>;
export type GoProgram = keyof typeof programs;

/** The path of a program, which is made once per machine. Throws EngineUnavailable where there is no Go or no module proxy. */
export async function goProgram(name: GoProgram): Promise<string> {
  const { main, module, version, instead }: Source = programs[name];
  return oncePerMachine(`go/${name}-${version}`, async (partial) => {
    const folder = `${partial}.module`;
    await mkdir(folder, { recursive: true });
    try {
      // "go install" refuses modules that exclude versions of others.
      const lines = ['module programs.test', 'go 1.24', `require ${module} ${version}`];
      if (instead !== undefined) {
        await copyWith(instead, await goModule(`${module}@${version}`), join(folder, 'source'));
        lines.push(`replace ${module} => ./source`);
      }
      await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
      process.stderr.write(`  making ${name} for the tests (some minutes, once)\n`);
      await go(['build', '-ldflags=-s -w', '-o', partial, main], folder); // nobody looks into it with a debugger
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

/** Makes all of them that are not there yet, one after the other. Throws EngineUnavailable. */
export async function goPrograms(): Promise<void> {
  for (const name of Object.keys(programs)) await goProgram(name as GoProgram);
}

/** Go keeps its modules so that nobody can change them, their copies too. */
async function copyWith({ file, text }: { file: string; text: string }, from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => path !== join(from, file) });
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const folder of [to, ...folders]) await chmod(folder, 0o755);
  await writeFile(join(to, file), text);
}

/** The folder with the files of a module, such as `example.org/module@v1.2.3`. Throws EngineUnavailable. */
export async function goModule(module: string): Promise<string> {
  return (JSON.parse(await go(['mod', 'download', '-json', module], tmpdir())) as { Dir: string }).Dir;
}

async function go(args: string[], cwd: string): Promise<string> {
  const program = await findProgram('go');
  if (!program)
    throw new EngineUnavailable('manifests and rules are checked by programs in Go: put go 1.24 or newer on PATH (https://go.dev/dl)');
  try {
    return (await run(program, args, { cwd, timeout: timeoutMs, env: { ...process.env, GOFLAGS: '-mod=mod' } })).stdout;
  } catch (error) {
    throw new EngineUnavailable(
      `"go ${args.slice(0, 2).join(' ')}" failed, so what is made with it is not there: ${(error as Error).message.slice(0, 500)}`,
    );
  }
}
