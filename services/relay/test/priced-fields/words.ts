/** What a field of a request may do to its price. */
export type Word =
  /** Nothing: it costs the tokens that it has, or that the answer has. With a value, it is told as it came, and the bill stays the same. */
  | { is: 'free'; value?: unknown }
  /** It is counted apart by the provider, in a class of its own (`bills.test.ts`). */
  | { is: 'counted' }
  /** It says how much may come, and is held for (`bills.test.ts`, `small-wallets.test.ts`). */
  | { is: 'capped' }
  /** No price can be given to it: it is refused, and `says` stands in the words of the refusal. */
  | { is: 'refused'; value: unknown; says: string }
  /** It costs what the option `RequestFieldRatio` says under this name, and is refused by that name where it says nothing. */
  | { is: 'priced'; value: unknown; option: string }
  /** It refers to what is stored, or says whether to store (`stored-responses.test.ts`); what is filled in costs its tokens. */
  | { is: 'stored' }
  /** The client keeps it to itself, or says it in a header that goes no further. */
  | { is: 'untold' };

/** The fields of each of several types, without those that nobody has named. */
export type FieldsOf<T> = T extends unknown ? Exclude<keyof T, never> & string : never;

/** A word for each field. That none is missing and none is too many, the compiler says. */
export type Words<Field extends string> = Record<Field, Word>;

export const free = (value?: unknown): Word => ({ is: 'free', value });
export const counted: Word = { is: 'counted' };
export const capped: Word = { is: 'capped' };
export const stored: Word = { is: 'stored' };
export const untold: Word = { is: 'untold' };
export const refused = (value: unknown, says: string): Word => ({ is: 'refused', value, says });
export const priced = (value: unknown, option: string): Word => ({ is: 'priced', value, option });

/** Words about one field's values: each is a request of its own. */
export function inField(field: string, words: Record<string, Word>): [field: string, word: Word][] {
  return Object.values(words).map((word) => [field, word]);
}
