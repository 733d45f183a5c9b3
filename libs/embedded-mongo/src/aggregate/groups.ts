import { CommandError } from '../errors.ts';

export interface Group<S, Id> {
  id: Id;
  /** What the accumulators have come to so far. */
  states: S[];
}

/** Groups by the keys of the parts of their id, a level for each part. */
type Branch<S, Id> = Map<unknown, Branch<S, Id> | Group<S, Id>>;

/** The groups of one `$group`, found by their keys. */
export interface Groups<S, Id> {
  /** In the order of their first documents. */
  all: Group<S, Id>[];
  /** The group with these keys (the list may be used again), made with `id` when it is new. Throws: CommandError 292 beyond 100 MB. */
  of(keys: unknown[], id: () => Id): Group<S, Id>;
}

const maxGroupBytes = 100 * 1024 * 1024;

/** `makers` start the states of a new group. */
export function openGroups<S, Id>(makers: (() => S)[]): Groups<S, Id> {
  const most = maxGroupBytes / (200 + 80 * makers.length);
  const groups: Group<S, Id>[] = [];
  const tree: Branch<S, Id> = new Map();
  return {
    all: groups,
    of(keys, id) {
      const depth = keys.length - 1;
      let branch = tree;
      for (let i = 0; i < depth; i++) {
        let next = branch.get(keys[i]) as Branch<S, Id> | undefined;
        if (next === undefined) {
          next = new Map();
          branch.set(keys[i], next);
        }
        branch = next;
      }
      const known = branch.get(keys[depth]) as Group<S, Id> | undefined;
      if (known) return known;
      const own = { id: id(), states: makers.map((make) => make()) };
      branch.set(keys[depth], own);
      groups.push(own);
      if (groups.length > most) throw new CommandError(292, 'Exceeded memory limit for $group: narrow the query');
      return own;
    },
  };
}
