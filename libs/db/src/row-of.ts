/**
 * A row as the driver reads and writes it, derived from its schema. `Always` names the fields that every row has; the others may be
 * missing. `Held` types the fields that the schema leaves open.
 */
export type RowOf<Doc, Always extends keyof Doc, Held extends { [Field in keyof Doc]?: unknown } = object> = {
  [Field in Always]-?: Content<Doc, Field, Held>;
} & { [Field in Exclude<keyof Doc, Always>]?: Content<Doc, Field, Held> };

type Content<Doc, Field extends keyof Doc, Held> = Field extends keyof Held ? Held[Field] : NonNullable<Doc[Field]>;
