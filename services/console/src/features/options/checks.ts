import {
  isNestedTooDeeply,
  isOptionKey,
  jsonPlaces,
  type OptionFailure,
  type OptionKey,
  type OptionKind,
  optionAbout,
  optionAliases,
  optionValue,
} from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { reasonOf } from '../../http/error-handler.ts';

type Language = 'en' | 'zh';

/** What is asked for. Without a value the option goes back to its default. */
export interface Wanted {
  key: string;
  value: string | null;
  version?: number | undefined;
}

export interface CheckedOption {
  key: OptionKey;
  /** As it will be stored; undefined is the default. */
  text: string | undefined;
  seen: number | undefined;
}

/** One option that cannot be what is asked, and where in its text. */
export class OptionRefusal extends AppError {
  readonly line: number | undefined;
  constructor(code: ConstructorParameters<typeof AppError>[0], details: Record<string, string>, line?: number) {
    super(code, details);
    this.line = line;
  }
}

export function checkOption({ key: name, value, version }: Wanted, language: Language): CheckedOption {
  const key = optionAliases[name] ?? name;
  if (!isOptionKey(key)) throw new AppError('unknown_option', { key: name });
  return { key, text: value === null ? undefined : checkedText(key, value, language), seen: version };
}

function checkedText(key: OptionKey, text: string, language: Language): string {
  const { schema, kind } = optionAbout(key);
  if (unprintable[kind]?.test(text)) throw new OptionRefusal('invalid_option', { key, reason: 'may hold no invisible control characters' });
  const parsed = schema.safeParse(text);
  const places = kind === 'json' ? placesOf(text) : undefined;
  if (!parsed.success) {
    const line = places?.lineAt(parsed.error.issues[0]?.path ?? []);
    throw new OptionRefusal('invalid_option', { key, reason: reasonOf(parsed.error, language) }, line);
  }
  const [doubled] = places?.doubled ?? [];
  // A parser keeps the last of them: whoever wrote both would not know which price holds.
  if (doubled) throw new OptionRefusal('invalid_option', { key, reason: `has ${doubled.path.join('.')} twice` }, doubled.line);
  const odd = kind === 'json' ? namesIn(text).find(isOdd) : undefined;
  if (odd !== undefined)
    throw new OptionRefusal('invalid_option', { key, reason: `the name ${JSON.stringify(odd)} may not be used` }, places?.lineAt([odd]));
  return typeof parsed.data === 'string' ? parsed.data : text.trim();
}

/**
 * What no text of a kind may hold. It is asked where an option is set, not where it is read: what an older version took stays as it is.
 * Many of the short texts become headers, of mails and of calls.
 */
const unprintable: Partial<Record<OptionKind, RegExp>> = {
  text: /\p{Cc}/u,
  address: /\p{Cc}/u,
  tags: /\p{Cc}/u,
  list: /[^\P{Cc}\t\n\r]/u,
  markup: /[^\P{Cc}\t\n\r]/u,
};

/** The names at the top of a JSON text, or of the entries of its list. */
function namesIn(text: string): string[] {
  const value: unknown = JSON.parse(text);
  const objects = Array.isArray(value) ? value : [value];
  return objects.flatMap((each) => (typeof each === 'object' && each !== null ? Object.keys(each) : []));
}

/** Two groups whose names look alike are one for people; and a name that every object has is nobody's. */
function isOdd(name: string): boolean {
  return name !== name.trim() || /\p{Cc}/u.test(name) || name === '__proto__';
}

function placesOf(text: string): ReturnType<typeof jsonPlaces> | undefined {
  if (isNestedTooDeeply(text)) return undefined; // the schema says so
  try {
    JSON.parse(text);
  } catch {
    return undefined; // the schema says so
  }
  return jsonPlaces(text);
}

/** Throws when an option is given a value before what it needs has one; `textOf` answers as things will stand after the change. */
export function refuseUnprepared({ key, text }: CheckedOption, textOf: (key: OptionKey) => string | undefined): void {
  if (text === undefined || text === '' || text === 'false') return;
  for (const needed of optionAbout(key).needs ?? []) {
    const value: unknown = optionValue(needed as OptionKey, textOf(needed as OptionKey));
    if (value !== '' && !(Array.isArray(value) && value.length === 0)) continue;
    throw needed === 'ServerAddress' ? new AppError('server_address_first') : new AppError('option_needs', { key, needed });
  }
}

export function failureOf(key: string, error: AppError, message: string): OptionFailure {
  const line = error instanceof OptionRefusal ? error.line : undefined;
  return { key, code: error.code, message, ...(line !== undefined && { line }) };
}
