import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '@tollgate/runtime/start';
import { repository, type Settings } from './settings.ts';

/** What the person reads when everything runs. */
export function welcome(settings: Settings, { address, tookMs, isFirst }: { address: string; tookMs: number; isFirst: boolean }): string {
  const hasPages = existsSync(join(repository, 'web/dist/index.html'));
  return [
    '',
    `Tollgate is ready (${(tookMs / 1000).toFixed(1)} s): ${address}`,
    '',
    signIn(settings, isFirst),
    hasPages
      ? `  Then          add a channel (your provider's key) and make a token: ${address}/channel`
      : '  (The web pages are not built.)',
    '  First call    put your token in the place of sk-...',
    '',
    `    curl ${address}/v1/chat/completions \\`,
    `      -H 'Authorization: Bearer sk-...' -H 'Content-Type: application/json' \\`,
    `      -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'`,
    '',
    `  Data          ${settings.DATA_DIR} (logs in logs/)`,
    ...(settings.MONGODB_URI
      ? []
      : ['  Database      the bundled store: made for one machine; see libs/embedded-mongo/README.md for its limits']),
    ...(settings.MONGODB_URI ? [] : ['                and move to a MongoDB with: npm run copy-data -- --to mongodb://...']),
    '  See           npm run status     Stop: Ctrl-C or npm stop',
    '',
  ].join('\n');
}

/** What is known of root's password: of data that is not new, that somebody may have changed it. */
function signIn(settings: Settings, isFirst: boolean): string {
  const password = firstPassword(settings);
  return isFirst
    ? `  First login   root, password: ${password}`
    : `  Sign in       as before; root, if nobody changed its password: ${password}`;
}

function firstPassword({ INITIAL_ROOT_PASSWORD, HOST, DATA_DIR }: Settings): string {
  if (INITIAL_ROOT_PASSWORD) return 'the one in INITIAL_ROOT_PASSWORD';
  if (isLoopback(HOST)) return '123456 (change it after signing in)';
  return `made at the first start, in ${join(DATA_DIR, 'logs/console.log')} ("First sign-in"); it has to be changed`;
}

/** Where a browser on this machine finds it. */
export function publicAddress(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}
