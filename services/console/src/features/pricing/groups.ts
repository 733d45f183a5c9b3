import type { OptionValues, UserGroupsView } from '@tollgate/contracts';

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
    const ratio = options.GroupRatio[name];
    if (ratio !== undefined) view[name] = { ratio, desc };
  }
  return view;
}
