import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localEnv } from '@tollgate/local';
import { z } from 'zod';
import { repository } from '../repository.ts';

/** One setting as the pages show it. */
export interface Setting {
  name: string;
  /** As one would write it; undefined when it must be given or is simply absent. */
  default: string | undefined;
  isRequired: boolean;
  meaning: string;
  services: string[];
}

const services = ['relay', 'billing', 'console'];

/** What `npm start` understands. */
export function localSettings(): Setting[] {
  return settingsOf(localEnv, '', ['npm start']);
}

/** What the services understand, each setting once, with the services that read it. */
export async function serviceSettings(): Promise<Setting[]> {
  const found = new Map<string, Setting>();
  for (const service of services) {
    const file = join(repository, 'services', service, 'src/config.ts');
    if (!existsSync(file)) continue;
    const source = readFileSync(file, 'utf8') + readFileSync(join(repository, 'libs/runtime/src/service-env.ts'), 'utf8');
    for (const setting of settingsOf(await schemaIn(file), source, [service])) {
      const known = found.get(setting.name);
      if (known) known.services.push(service);
      else found.set(setting.name, setting);
    }
  }
  return [...found.values()];
}

/** The zod object that a config.ts exports as `<service>Env`. */
async function schemaIn(file: string): Promise<z.ZodObject> {
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const schema = Object.entries(exported).find(([name]) => name.endsWith('Env'))?.[1];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${file} exports no zod object whose name ends in Env`);
  return schema;
}

function settingsOf(schema: z.ZodObject, source: string, readBy: string[]): Setting[] {
  return Object.entries(schema.shape).map(([name, type]) => {
    const absent = (type as z.ZodType).safeParse(undefined);
    const fallback = absent.success ? absent.data : undefined;
    return {
      name,
      default: fallback === undefined || String(fallback) === '' ? undefined : String(fallback),
      isRequired: !absent.success,
      meaning: (type as z.ZodType).description ?? commentOn(name, source),
      services: [...readBy],
    };
  });
}

/** The comment behind a setting's line, which is where the services explain theirs. */
function commentOn(name: string, source: string): string {
  const text = new RegExp(`^\\s+${name}:.*?\\s//\\s*(.+)$`, 'm').exec(source)?.[1] ?? wellKnown[name] ?? '';
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const wellKnown: Record<string, string> = {
  MONGODB_URI: 'The database.',
  REDIS_URL:
    'Redis (redis://..., or /path/redis.sock?password=...): reservations, sessions, caches, jobs. Its maxmemory-policy must be noeviction.',
  BUS_URL: 'The bus of usage events: kafka://host:port,host:port or what REDIS_URL takes.',
  LOG_LEVEL: 'How much is logged.',
  RELAY_PORT: 'Where the relay listens.',
  BILLING_PORT: 'Where billing answers /livez and /readyz.',
};
