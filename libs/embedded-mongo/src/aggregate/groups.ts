import { CommandError } from '../errors.ts';
import type { Item } from './item.ts';

/** What a group has come to so far. */
export interface State {
  result(): unknown;
}

export interface Group<S extends State> {
  id: unknown;
  states: S[];
}

/** Groups by the keys of the parts of their id, a level for each part. */
type Branch<S extends State> = Map<unknown, Branch<S> | Group<S>>;

/** The groups of one `$group`, found by their keys. */
export interface Groups<S extends State> {
  /** The group with these keys (the list may be used again), made with `id` when it is new. Throws: CommandError 292 beyond 100 MB. */
  of(keys: unknown[], id: () => unknown): Group<S>;
  results(): Generator<Item>;
}

const maxGroupBytes = 100 * 1024 * 1024;

/** `makers` start the states of a new group, one for each of `names`. */
export function openGroups<S extends State>(names: string[], makers: (() => S)[]): Groups<S> {
  const most = maxGroupBytes / (200 + 80 * names.length);
  const groups: Group<S>[] = [];
  const tree: Branch<S> = new Map();
  return {
    of(keys, id) {
      const depth = keys.length - 1;
      let branch = tree;
      for (let i = 0; i < depth; i++) {
        let next = branch.get(keys[i]) as Branch<S> | undefined;
        if (next === undefined) {
          next = new Map();
          branch.set(keys[i], next);
        }
        branch = next;
      }
      const known = branch.get(keys[depth]) as Group<S> | undefined;
      if (known) return known;
      const own = { id: id() ?? null, states: makers.map((make) => make()) };
      branch.set(keys[depth], own);
      groups.push(own);
      if (groups.length > most) throw new CommandError(292, 'Exceeded memory limit for $group: narrow the query');
      return own;
    },
    *results() {
      for (const { id, states } of groups) {
        const doc: Item['doc'] = { _id: id };
        for (let i = 0; i < names.length; i++) doc[names[i] as string] = (states[i] as S).result();
        yield { doc };
      }
    },
  };
}
