// The programs that npm does not bring: a Redis for every run; a browser, Java and Maven for the tests.
import { delimiter, join } from 'node:path';
import { Stop, say, which } from './command.mjs';
import { aptInstall, aptUnpack } from './debian.mjs';
import { inTurn } from './in-turn.mjs';

/** Makes sure that a Redis server is on PATH (or stops with the command to run). */
export async function provideRedis(toolsFolder) {
  usePrograms(join(toolsFolder, 'redis'));
  await inTurn(
    () => which('redis-server', 'valkey-server') !== undefined,
    () => installRedis(toolsFolder),
  );
}

async function installRedis(toolsFolder) {
  if (await aptInstall(['redis-server'])) return;
  const unpacked = await aptUnpack(['redis-server', 'redis-tools'], ['redis-server'], join(toolsFolder, 'redis'));
  if (unpacked) return;
  throw new Stop(
    [
      'Tollgate needs a Redis server (redis-server or valkey-server), and it could not be installed automatically. Install one:',
      '  Debian, Ubuntu:  sudo apt-get install -y redis-server',
      '  macOS:           brew install redis',
      '  Fedora, RHEL:    sudo dnf install -y valkey',
      '  Alpine:          sudo apk add redis',
      'or name a running one:  REDIS_URL=redis://:password@host:6379 npm start',
    ].join('\n'),
  );
}

/** Makes sure that the programs of the whole test run are on PATH; what cannot be had is named loudly and its tests are skipped. */
export async function provideTestPrograms(toolsFolder) {
  usePrograms(join(toolsFolder, 'chromium-headless-shell'));
  const wanted = [
    {
      programs: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
      packages: ['chromium-headless-shell'],
      unpack: true,
      lost: 'the browser tests',
    },
    { programs: ['java'], packages: ['default-jre-headless'], lost: 'every test that needs Kafka' },
    { programs: ['mvn'], packages: ['maven'], lost: 'every test that needs Kafka (Maven fetches its jars once)' },
  ];
  for (const { programs, packages, unpack, lost } of wanted) {
    if (which(...programs)) continue;
    if (await aptInstall(packages)) continue;
    if (unpack && (await aptUnpack(packages, [programs[0]], join(toolsFolder, packages[0])))) continue;
    say(
      `\n!!! ${programs[0]} is missing and could not be installed: ${lost} will be SKIPPED. Install the package "${packages[0]}" to run them.\n`,
    );
  }
}

function usePrograms(folder) {
  process.env.PATH = [process.env.PATH, join(folder, 'bin')].join(delimiter);
}
