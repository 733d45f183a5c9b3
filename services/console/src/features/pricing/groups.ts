import { defaultPrices, type Language, type OptionValues, type UserGroupsView } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';

interface Reader {
  ownGroup: string | undefined;
  language: Language;
}

/** Groups that a user of `ownGroup` may use, by name, with descriptions; without a group, what a visitor sees. */
export function usableGroups(options: Pick<OptionValues, 'UserUsableGroups'>, { ownGroup, language }: Reader): Record<string, string> {
  const groups = Object.fromEntries(
    Object.entries(options.UserUsableGroups).map(([name, desc]) => [name, builtInOr(name, desc, language)]),
  );
  if (ownGroup && !Object.hasOwn(groups, ownGroup)) groups[ownGroup] = ownGroup;
  return groups;
}

/** A description that is the built-in one, in the reader's language; an operator's own text stays. */
function builtInOr(name: string, desc: string, language: Language): string {
  const builtIn = Object.hasOwn(defaultPrices.userUsableGroups, name) ? defaultPrices.userUsableGroups[name] : undefined;
  return builtIn?.zh === desc ? builtIn[language] : desc;
}

/** The usable groups that have a price. */
export function pricedGroups(options: Pick<OptionValues, 'UserUsableGroups' | 'GroupRatio'>, reader: Reader): UserGroupsView {
  const view: UserGroupsView = {};
  for (const [name, desc] of Object.entries(usableGroups(options, reader))) {
    const ratio = Object.hasOwn(options.GroupRatio, name) ? options.GroupRatio[name] : undefined;
    if (ratio !== undefined) view[name] = { ratio, desc };
  }
  return view;
}

/** Throws for a group that does not exist. What a record is in already (`had`) may be gone since: it stays until it is changed. */
export function refuseUnknownGroups(
  options: Pick<OptionValues, 'GroupRatio'>,
  wanted: readonly string[] = [],
  had: readonly string[] = [],
): void {
  const group = wanted.find((name) => !Object.hasOwn(options.GroupRatio, name) && !had.includes(name));
  if (group !== undefined) throw new AppError('unknown_group', { group });
}
