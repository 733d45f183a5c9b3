import { z } from 'zod';
import { addressList, isAddressOrBlock } from './address-list.ts';
import { fromFiles } from './setting-files.ts';

/**
 * Parses the settings of a process from its environment. An empty or blank variable counts as unset; `NAME_FILE` names a file that holds
 * `NAME`. Throws a ConfigError that lists all problems by variable, without values, which may be secrets.
 */
export function loadConfig<T extends z.ZodObject>(schema: T, environment: Readonly<Record<string, string | undefined>>): z.output<T> {
  const { given, problems } = fromFiles(Object.keys(schema.shape), environment);
  const parsed = schema.safeParse(given);
  if (parsed.success && problems.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  throw new ConfigError([...problems, ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)]);
}

/** Settings with which a process cannot start. */
export class ConfigError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`Some settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** A comma-separated list; empty entries are ignored. */
export const listSetting = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

/** Comma-separated addresses and CIDR blocks. */
export const addressListSetting = listSetting.transform((entries, context) => {
  const wrong = entries.find((entry) => !isAddressOrBlock(entry));
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: `${wrong} is neither an IP address nor a CIDR block` });
  return addressList(entries);
});

/** The key from which all other keys are derived: at least 32 bytes, as hex or base64. */
export const masterKeySetting = z.string().transform((text, context) => {
  const bytes = /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (bytes.length >= 32 && new Set(bytes).size > 8) return bytes;
  context.addIssue({ code: 'custom', message: 'must be at least 32 random bytes, as hex or base64 (openssl rand -hex 32)' });
  return z.NEVER;
});

/** Further master keys, comma-separated. */
export const masterKeysSetting = listSetting.transform((entries, context) => {
  const keys: Buffer[] = [];
  for (const entry of entries) {
    const key = masterKeySetting.safeParse(entry);
    if (key.success) keys.push(key.data);
    else context.addIssue({ code: 'custom', message: `each one ${key.error.issues[0]?.message}` });
  }
  return keys;
});

/** Whether a host is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

export const portSetting = z.coerce.number().int().min(0).max(65_535);
export const logLevelSetting = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info');
