import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `vite` serves the page alone; the API then comes from a console that runs somewhere else. */
const consoleUrl = process.env.CONSOLE_URL ?? 'http://127.0.0.1:3000';

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
  },
});
