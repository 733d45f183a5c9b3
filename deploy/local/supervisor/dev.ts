import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { ManagedProcess, ProcessSpec } from './managed-process.ts';
import { repository } from './settings.ts';

const debounceMs = 150;

/** A service under development stops at once, because no load balancer must notice first; Vite serves the pages, not the console. */
export const devEnvironment = { RELAY_STOP_DELAY_MS: '0', RELAY_STOP_GRACE_MS: '1000', WEB_DIR: '' };

const viteAddressFile = (runFolder: string) => join(runFolder, 'vite-address');

/** The address of the pages with hot reload, once Vite is ready. */
export const viteAddress = (runFolder: string) => readFileSync(viteAddressFile(runFolder), 'utf8');

/** Vite with hot reload in front of the stack at `address`. It writes its own address into a file in `runFolder`. */
export function viteSpec(address: string, runFolder: string): ProcessSpec {
  const addressFile = viteAddressFile(runFolder);
  return {
    name: 'web',
    kind: 'service',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(repository, 'web/dev-server.ts')],
    env: { ...(process.env as Record<string, string>), TOLLGATE_URL: address, VITE_ADDRESS_FILE: addressFile },
    address: addressFile,
    probe: async () => {
      await fetch(viteAddress(runFolder));
    },
  };
}

/**
 * Restarts a service when a file below its `src` changes, and all services when one of a library does. The supervisor does this itself:
 * `node --watch` would not pass the public socket on to the process that it starts.
 */
export function restartOnChange(processes: ManagedProcess[], say: (line: string) => void): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    const paths = [...changed];
    changed.clear();
    const isEvery = paths.some((path) => path.startsWith('libs/'));
    const affected = processes.filter(({ record: { name, kind } }) => {
      if (kind !== 'service' || name === 'web') return false;
      return isEvery || paths.some((path) => path.startsWith(`services/${name.replace(/-\d+$/, '')}/`));
    });
    say(`${paths.join(', ')} changed: restarting ${affected.map(({ record }) => record.name).join(', ')}`);
    for (const each of affected) each.restart();
  };
  const watchers = ['libs', 'services'].map((folder) =>
    watch(join(repository, folder), { recursive: true }, (_event, file) => {
      const path = `${folder}/${file}`;
      if (!/^[a-z-]+\/[a-z-]+\/src\/.*\.(ts|json|lua)$/.test(path)) return;
      changed.add(path);
      clearTimeout(timer);
      timer = setTimeout(restart, debounceMs);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const each of watchers) each.close();
  };
}
