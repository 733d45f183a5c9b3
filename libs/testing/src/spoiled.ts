/** What no field should be. Some of it breaks whoever makes a text, a number or JSON of it unseen. */
const garbage: unknown[] = [
  ...[null, true, 0, -1, 1e308, '', 'x', [], [null], {}, { length: 1e9 }],
  { toString: 1, valueOf: 1, toJSON: 1, constructor: {} },
];

/**
 * Every copy of a JSON value with one of its inner values, or itself, replaced by one piece of garbage. Places that are in `seen` are
 * left out, and those that are spoiled are put there: items of a list, or objects of one `type`, are one place.
 */
export function* spoiled(value: unknown, seen?: Set<string>, place = ''): Generator<unknown> {
  if (!seen?.has(place)) yield* garbage;
  seen?.add(place);
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) {
      for (const bad of spoiled(inner, seen, `${place}[]`)) yield value.with(index, bad);
    }
  } else if (typeof value === 'object' && value !== null) {
    const within = 'type' in value ? `${place}<${String(value.type)}>` : place;
    for (const [key, inner] of Object.entries(value)) {
      for (const bad of spoiled(inner, seen, `${within}.${key}`)) yield { ...value, [key]: bad };
    }
  }
}
