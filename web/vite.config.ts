import { globSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The dev server serves the pages alone; everything else comes from the Tollgate at this address. */
const target = process.env.TOLLGATE_URL ?? 'http://127.0.0.1:3000';
/** Keeps the browser's Host, because the console compares it with Origin. */
const proxied = { target, changeOrigin: false, ws: true };

const script = join(import.meta.dirname, 'src/main.tsx');
/** What nearly every visit comes to: the shell, and a list. */
const places = [
  join(import.meta.dirname, 'src/app/shell.tsx'),
  ...globSync('src/features/*/*s-page.tsx', { cwd: import.meta.dirname }).map((page) => join(import.meta.dirname, page)),
];

/** All that people see at once, whichever way they come; and Markdown, which several pages show later and no form needs. */
const everyPage = [
  ...globSync(['src/features/*/*-page.tsx', 'src/app/open-pages.tsx', 'src/app/page-routes.tsx', 'src/shared/content/markdown.tsx'], {
    cwd: import.meta.dirname,
  }).map((page) => join(import.meta.dirname, page)),
];

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** The modules that are there as soon as `start` is: itself and all that it imports at once. */
function neededBy(start: string, graph: ModuleGraph, found = new Set<string>()): Set<string> {
  if (found.has(start)) return found;
  found.add(start);
  for (const next of graph.getModuleInfo(start)?.importedIds ?? []) neededBy(next, graph, found);
  return found;
}

let first: Set<string> | undefined;
function isInFirstLoad(id: string, graph: ModuleGraph): boolean {
  first ??= neededBy(script, graph);
  return first.has(id);
}

let needs: Set<string>[] | undefined;
/** How many of the places need a module as soon as they are shown. */
function placesNeeding(id: string, graph: ModuleGraph): number {
  needs ??= places.map((place) => neededBy(place, graph));
  return needs.filter((modules) => modules.has(id)).length;
}

let seen: Set<string>[] | undefined;
function isSeenAtOnce(id: string, graph: ModuleGraph): boolean {
  seen ??= everyPage.map((page) => neededBy(page, graph));
  return seen.some((modules) => modules.has(id));
}

/** No button ripples (theme.ts), so the code that draws it is not loaded: it was a good hundredth of all that comes at first. */
const withoutRipples: Plugin = {
  name: 'without-ripples',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === './TouchRipple.mjs' && importer?.includes('/ButtonBase/') ? join(import.meta.dirname, 'src/app/no-ripple.ts') : null,
};

export default defineConfig({
  plugins: [withoutRipples, react()],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': proxied, '/v1': proxied, '/v1beta': proxied, '/pg': proxied, '/mj': proxied, '/suno': proxied },
  },
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
            { debugName: 'first', name: (id, graph) => (id !== script && isInFirstLoad(id, graph) ? 'first' : null), priority: 3 },
            { debugName: 'lists', name: (id, graph) => (placesNeeding(id, graph) > 2 ? 'lists' : null), priority: 2 },
            // A page that shows one field at once shall not wait for all that editors share, which would take the field along.
            { debugName: 'fields', name: 'fields', test: /@mui\/material\/(esm\/)?(TextField|OutlinedInput|InputBase)\//, priority: 1.5 },
            {
              debugName: 'forms',
              // What only one page needs as well stays out, that pages which need none of it are not held up.
              name: (id, graph) => (placesNeeding(id, graph) === 0 && !isSeenAtOnce(id, graph) ? 'forms' : null),
              test: /node_modules|src\/shared\//,
              minShareCount: 6,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
