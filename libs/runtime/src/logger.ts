import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const secretFields = ['authorization', 'cookie', 'key', 'password', 'secret', 'token', 'apiKey', 'masterKey'];
const keyPattern = /\bsk-[\w-]{8,}/g;
const credentialsPattern = /(\w+:\/\/)[^\s/@]+@/g;

/** One line a fact, data first. Fields that may hold a secret are cut, and so is what looks like a key in any text. */
export function createLogger({ service, level = 'info' }: { service: string; level?: string }, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '[secret]' },
    hooks: {
      streamWrite: (line: string) => line.replace(keyPattern, 'sk-***').replace(credentialsPattern, '$1***@'),
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Writes one line of ids, numbers and names that are ours. */
export type CallLog = (facts: Readonly<Record<string, string | number | boolean | undefined>>) => void;

/**
 * For the one line a call, at level `info`: nothing is looked for in it, and lines leave in batches, at most 0.2 s late. That
 * makes it cost a third of a logger's line. Never give it a text that somebody typed.
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
