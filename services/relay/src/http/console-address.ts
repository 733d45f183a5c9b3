import { z } from 'zod';

/** How the console behind us is reached. */
export type ConsoleAddress = { socketPath: string } | { host: string; port: number };

/** `http://host:port`, or the path of a Unix socket. */
export const consoleAddress = z
  .union([z.url({ protocol: /^http$/ }), z.string().startsWith('/', 'must be http://host:port or the path of a Unix socket')])
  .transform((text): ConsoleAddress => {
    if (text.startsWith('/')) return { socketPath: text };
    const { hostname, port } = new URL(text);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
  });
