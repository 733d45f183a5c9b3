import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `vite` serves the page alone; the API then comes from a console that runs somewhere else. */
const consoleUrl = process.env.CONSOLE_URL ?? 'http://127.0.0.1:3000';

const script = join(import.meta.dirname, 'src/main.tsx');

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Whether a module is there as soon as the page is: imported by its script, `main.tsx`, or by what that imports. */
function isInFirstLoad(): (id: string, graph: ModuleGraph) => boolean {
  let first: Set<string> | undefined;
  const walk = (found: Set<string>, id: string, graph: ModuleGraph): Set<string> => {
    if (found.has(id)) return found;
    found.add(id);
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) walk(found, next, graph);
    return found;
  };
  return (id, graph) => {
    first ??= walk(new Set(), script, graph);
    return first.has(id);
  };
}
const inFirstLoad = isInFirstLoad();

export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', proxy: { '/api': consoleUrl, '/v1': consoleUrl } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    manifest: true,
    // A data: URL would need its own rule in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Few files rather than one for each component that two pages share: each costs a question to the server.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { debugName: 'first', name: (id, graph) => (id !== script && inFirstLoad(id, graph) ? 'first' : null), priority: 3 },
            {
              name: 'forms',
              test: /node_modules\/(zod|react-hook-form|@hookform|@mui\/material\/(Autocomplete|Dialog))|shared\/form\//,
              priority: 2,
            },
            { name: 'lists', test: /node_modules|src\/shared\//, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
});
