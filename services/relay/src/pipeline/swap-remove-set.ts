/** What can be a member of one crowd at a time. */
export interface Member {
  /** Where it stands in the crowd; -1: in none. */
  place: number;
}

export interface Crowd<Each extends Member> extends Iterable<Each> {
  readonly size: number;
  add(member: Each): void;
  /** False: it was no member. */
  delete(member: Each): boolean;
}

/**
 * Members that come and go many thousand times a second. A `Set` would do, but each table that one outgrows points at the next, with
 * all that stood in it: as soon as one of them is in the old heap, the young collector takes every call since for one that is needed,
 * copies it, and keeps it until the next full collection (some 8 kB a call; a tenth of the relay's time).
 */
export function crowd<Each extends Member>(): Crowd<Each> {
  const members: Each[] = [];
  return {
    get size() {
      return members.length;
    },
    add(member) {
      if (members[member.place] === member) return;
      member.place = members.length;
      members.push(member);
    },
    delete(member) {
      if (members[member.place] !== member) return false;
      const last = members.pop() as Each;
      if (last !== member) {
        last.place = member.place;
        members[last.place] = last;
      }
      member.place = -1;
      return true;
    },
    /** Those of now: who goes meanwhile is passed over, although another one moves to his place. */
    *[Symbol.iterator]() {
      for (const member of [...members]) if (member.place >= 0) yield member;
    },
  };
}
