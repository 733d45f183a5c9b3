import type { OptionValues, UserGroupsView } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';

/** Groups that somebody of this group may use, by name, with their descriptions; without a group, what a visitor sees. */
export function usableGroups(options: Pick<OptionValues, 'UserUsableGroups'>, ownGroup?: string): Record<string, string> {
  const groups = { ...options.UserUsableGroups };
  if (ownGroup && !Object.hasOwn(groups, ownGroup)) groups[ownGroup] = ownGroup;
  return groups;
}

/** The usable groups that have a price. */
export function pricedGroups(options: Pick<OptionValues, 'UserUsableGroups' | 'GroupRatio'>, ownGroup?: string): UserGroupsView {
  const view: UserGroupsView = {};
  for (const [name, desc] of Object.entries(usableGroups(options, ownGroup))) {
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
