import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { repository } from '../repository.ts';
import type { Suite } from './program.ts';

const bin = join(repository, 'node_modules/.bin');
const reporter = ['--reporter', join(repository, 'libs/testing/src/reporter.ts')];
const mochaConfig = z.looseObject({});
const allTests = 'test/**/*.test.ts';

/**
 * The rooms whose failed files run once more: browsers, and whole stacks that are killed, share two cores with all else. The bundled
 * store's start processes that refuse to work, and Node may hang as it ends: https://github.com/nodejs/node/issues/54918.
 */
const withSecondTry = ['web', 'deploy/local', 'libs/embedded-mongo'];

/** The lanes of rooms whose suites keep both cores busy by themselves. */
const lanesOf: Record<string, number> = { web: 3 };

/** The rooms whose files are dealt out to so many suites, for one of them all would run on when everything else has ended. */
const partsOf: Record<string, number> = { 'services/relay': 2 };

/** What comes first: each counts as one test, and explains later failures. */
export function checks(): Suite[] {
  return [
    { name: 'lint', cwd: repository, command: join(bin, 'biome'), args: ['check', '.'], hasTotals: false },
    typeCheck('types', 'tsconfig.json'),
    typeCheck('types of the web', 'web/tsconfig.json'),
    {
      name: 'web build',
      cwd: repository,
      command: process.execPath,
      args: [join(repository, 'deploy/local/bootstrap.mjs'), 'build-web'],
      hasTotals: false,
    },
  ];
}

/** The suites of all workspaces. */
export function rooms(): Suite[] {
  return workspacesWithTests().flatMap(mochaSuites);
}

/** `--quick`: lint, types and the libraries' suites, without Kafka. */
export function quickSuites(): { checks: Suite[]; rooms: Suite[] } {
  const withoutKafka = rooms()
    .filter(({ name }) => name.startsWith('libs/') && !name.endsWith('on Kafka'))
    .map((suite) => ({ ...suite, specs: suite.specs?.filter((file) => !/kafka|engines\.test/.test(file)) }));
  return { checks: checks().filter(({ name }) => name !== 'web build'), rooms: withoutKafka };
}

/**
 * All rooms in one program: the libraries' types are worked out once, which takes a fifth of what a program for each room does. One
 * checker, because each would work them out for itself: two take half as much again, and there is other work for the second core.
 */
function typeCheck(name: string, project: string): Suite {
  const buildInfo = join(repository, 'node_modules/.cache', `${name.replaceAll(' ', '-')}.tsbuildinfo`);
  const args = ['-p', join(repository, project), '--checkers', '1', '--incremental', '--tsBuildInfoFile', buildInfo];
  return { name, cwd: repository, command: join(bin, 'tsc'), args, hasTotals: false };
}

/** A room's suites. Its files that ask TEST_BUS which bus to use run a second time, on Kafka. */
function mochaSuites(workspace: string): Suite[] {
  const cwd = join(repository, workspace);
  const own = join(cwd, '.mocharc.json');
  const config = existsSync(own) ? own : join(repository, '.mocharc.json');
  const settings = mochaConfig.parse(JSON.parse(readFileSync(config, 'utf8')));
  const args = ['--no-config', ...reporter, ...Object.entries(settings).flatMap(asFlag)];
  const suite = {
    cwd,
    command: join(bin, 'mocha'),
    args,
    hasTotals: true,
    hasSecondTry: withSecondTry.includes(workspace),
    lanes: lanesOf[workspace] ?? 1,
  };
  const files = globSync(allTests, { cwd }).sort();
  const count = partsOf[workspace] ?? 1;
  const parts = Array.from({ length: count }, (_, part): Suite => {
    const name = count > 1 ? `${workspace} ${part + 1} of ${count}` : workspace;
    return { ...suite, name, specs: files.filter((_file, at) => at % count === part) };
  });
  const asking = files.filter((file) => readFileSync(join(cwd, file), 'utf8').includes('TEST_BUS'));
  return asking.length > 0 ? [...parts, { ...suite, name: `${workspace} on Kafka`, specs: asking, env: { TEST_BUS: 'kafka' } }] : parts;
}

/** Settings go to mocha as arguments, because each package is a working directory of its own. */
function asFlag([name, value]: [string, unknown]): string[] {
  if (typeof value === 'boolean') return value ? [`--${name}`] : [];
  return [`--${name}`, String(value)];
}

/** The longest come first, so that the lanes end together. */
function workspacesWithTests(): string[] {
  const order = ['deploy/local', 'web', 'services/relay', 'services/console', 'services/billing', 'libs/bus'];
  const manifests = globSync(
    [
      'libs/*/package.json',
      'services/*/package.json',
      'web/package.json',
      'bench/package.json',
      'deploy/local/package.json',
      'tools/package.json',
    ],
    {
      cwd: repository,
    },
  );
  const workspaces = manifests
    .map(dirname)
    .filter((workspace) => globSync('test/**/*.test.ts', { cwd: join(repository, workspace) }).length > 0);
  const rank = (workspace: string) => (order.includes(workspace) ? order.indexOf(workspace) : order.length);
  return workspaces.sort((left, right) => rank(left) - rank(right) || left.localeCompare(right));
}
