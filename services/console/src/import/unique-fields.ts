import { proofFields, User } from '@tollgate/db';
import { nameFields, newAffCode } from '../features/users/identities.ts';
import type { MappedUser } from './map-user.ts';

const names = ['username', 'nameKey', 'nameSkeleton'] as const;
const proofs = proofFields;
const unique = [...names, ...proofs, 'affCode'] as const;
type Unique = (typeof unique)[number];
type Values = Partial<Record<Unique, string>>;

/** What only one account may have: the values that are taken, by account. */
export interface Taken {
  /** Reads which of these values accounts here have. */
  read(all: readonly Values[]): Promise<void>;
  /** The account's fields without what another one has; adds to `changes` what it loses. */
  settle(fields: MappedUser['fields'], account: { key: string; id: number; changes: string[] }): MappedUser['fields'] & Values;
}

/** Looks at accounts here and at those of the source that came before. */
export function takenFields(): Taken {
  const byField = new Map<Unique, Map<string, string>>(unique.map((field) => [field, new Map()]));
  const holderOf = (field: Unique, value: string) => byField.get(field)?.get(value);

  return {
    async read(all) {
      for (const field of unique) {
        const values = [...new Set(all.map((each) => each[field]).filter((value) => value !== undefined && value !== ''))];
        const found = await User.find({ [field]: { $in: values } })
          .select(`id ${field}`)
          .lean();
        for (const user of found) byField.get(field)?.set(String(user[field]), `here ${user.id}`);
      }
    },

    settle(fields, { key, id, changes }) {
      const isFree = (field: Unique, value: string) => {
        const holder = holderOf(field, value);
        return holder === undefined || holder === `here ${id}` || holder === `source ${key}`;
      };
      const settled: MappedUser['fields'] & Values = { ...fields };
      for (let mark = 2; !isFree('username', settled.username); mark += 1) settled.username = `${fields.username}_${mark}`;
      if (settled.username !== fields.username) changes.push(`its name is taken: it becomes ${settled.username}`);
      const { nameKey, nameSkeleton } = nameFields(settled.username);
      if (isFree('nameKey', nameKey)) settled.nameKey = nameKey;
      if (isFree('nameSkeleton', nameSkeleton)) settled.nameSkeleton = nameSkeleton;
      if (settled.nameKey === undefined || settled.nameSkeleton === undefined)
        changes.push(`its name ${settled.username} looks like that of another account: it signs in as it is written`);
      for (const field of proofs) {
        if (settled[field] === '' || isFree(field, settled[field])) continue;
        changes.push(`its ${field === 'email' ? 'email address' : field} is left out: another account has it`);
        settled[field] = '';
      }
      if (settled.affCode !== '' && !isFree('affCode', settled.affCode)) changes.push('its invitation code is taken: it gets a new one');
      if (settled.affCode === '' || !isFree('affCode', settled.affCode)) settled.affCode = newAffCode();
      for (const field of unique) if (settled[field]) byField.get(field)?.set(settled[field], `source ${key}`);
      return settled;
    },
  };
}

/** What `read` is to look for. */
export function uniqueOf(fields: MappedUser['fields']): Values {
  return { ...fields, ...nameFields(fields.username) };
}
