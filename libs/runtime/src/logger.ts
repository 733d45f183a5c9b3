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

/**
 * For lines of ids and numbers alone, one a call: nothing is looked for in them, and they leave in batches, at most 0.2 s late.
 * Never give it a text that somebody typed.
 */
export function createCallLogger({ service, level = 'info' }: { service: string; level?: string }): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const batches = pino.destination({ sync: false, minLength: 8_192, periodicFlush: 200 });
  return pino({ level, base: { service }, timestamp: isoTime(), formatters }, batches);
}

/** The time in ISO form, written anew once a millisecond however many lines it stands on. */
function isoTime(): () => string {
  let writtenAt = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== writtenAt) {
      writtenAt = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
