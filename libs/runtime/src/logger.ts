import { cutText } from '@tollgate/contracts';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type { Logger } from 'pino';

const secretFields = ['authorization', 'cookie', 'key', 'password', 'secret', 'token', 'apiKey', 'masterKey'];
const longestErrorText = 4_096; // with its stack
const mostFields = 64;
const deepestFact = 3;
// Both patterns run in linear time: what follows their fixed beginnings cannot contain another beginning.
const keyPattern = /\bsk-[\w-]{8}[\w-]*/g;
const credentialsPattern = /(\w:\/\/)[^\s/"]+@/g;

/**
 * One line per fact, data first. Secret fields and everything that looks like a key are redacted. Long texts are truncated, because they
 * may come from outside.
 */
export function createLogger({ service, level = 'info' }: { service: string; level?: string }, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withShortTexts },
    serializers: { err: shortError },
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '[secret]' },
    hooks: {
      streamWrite: (line: string) => line.replace(keyPattern, 'sk-***').replace(credentialsPattern, '$1***@'),
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

function withShortTexts(facts: Record<string, unknown>): Record<string, unknown> {
  return shortFields(facts, { mostCharacters: undefined, depth: deepestFact });
}

function shortError(error: unknown): unknown {
  return shortened(stdSerializers.err(error as Error), { mostCharacters: longestErrorText, depth: deepestFact });
}

interface Bounds {
  mostCharacters: number | undefined;
  depth: number;
}

function shortFields(fields: object, bounds: Bounds): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, mostFields)
      .map(([name, value]) => [name, shortened(value, bounds)]),
  );
}

function shortened(value: unknown, { mostCharacters, depth }: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, mostCharacters);
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth === 0) return '[more]';
  const inner = { mostCharacters, depth: depth - 1 };
  return Array.isArray(value) ? value.slice(0, mostFields).map((item) => shortened(item, inner)) : shortFields(value, inner);
}

/** Writes one line of ids, numbers and fixed names. */
export type CallLog = (facts: Readonly<Record<string, string | number | boolean | undefined>>) => void;

/**
 * For the one line per call, at level `info`. It redacts nothing and writes in batches, at most 0.2 s late, which makes it three times
 * cheaper than the logger. Never pass it text from outside.
 */
export function createCallLog({ service, level = 'info' }: { service: string; level?: string }): CallLog {
  if (!pino({ level }, { write() {} }).isLevelEnabled('info')) return () => {};
  const batches = pino.destination({ sync: false, minLength: 8_192, periodicFlush: 200 });
  let writtenAt = 0;
  let head = '';
  return (facts) => {
    const now = Date.now();
    if (now !== writtenAt) {
      writtenAt = now;
      head = `{"level":"info","time":"${new Date(now).toISOString()}","service":"${service}","msg":"call",`;
    }
    batches.write(`${head}${JSON.stringify(facts).slice(1)}\n`);
  };
}
