import { writeFileSync } from 'node:fs';
import { createServer } from 'vite';

/**
 * Serves the pages with hot reload on WEB_PORT (5173; 0 takes any free port) and passes calls on to TOLLGATE_URL. Writes its address into
 * VITE_ADDRESS_FILE and prints it. `npm run dev` starts it.
 */
const server = await createServer({
  root: import.meta.dirname,
  clearScreen: false,
  server: { port: Number(process.env.WEB_PORT ?? 5173) },
});
await server.listen();
const address = server.resolvedUrls?.local[0] ?? 'no address';
if (process.env.VITE_ADDRESS_FILE) writeFileSync(process.env.VITE_ADDRESS_FILE, address);
process.stdout.write(`Pages with hot reload: ${address}\n`);

const stop = async () => {
  await server.close();
  process.exit(0);
};
process.once('SIGTERM', stop);
process.once('disconnect', stop);
