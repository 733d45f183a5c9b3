import { type OptionKey, type OptionValues, optionAbout, type ThirdParty } from '@tollgate/contracts';
import type { UserDoc } from '@tollgate/db';
import { idFields } from './provider.ts';

/** The option that switches each provider on. */
const switches = {
  github: 'GitHubOAuthEnabled',
  linuxdo: 'LinuxDOOAuthEnabled',
  wechat: 'WeChatAuthEnabled',
  telegram: 'TelegramOAuthEnabled',
  oidc: 'OIDCEnabled',
} as const satisfies Record<ThirdParty, OptionKey>;

/** A change of one of these may take away a way to sign in. */
export const signInOptions: ReadonlySet<string> = new Set([
  'PasswordLoginEnabled',
  ...Object.values(switches).flatMap((key) => [key, ...(optionAbout(key).needs ?? [])]),
]);

/** What an account can prove itself with. */
export interface Proofs extends Partial<Pick<UserDoc, (typeof idFields)[ThirdParty]>> {
  passwordHash?: string | null | undefined;
  hasPasskey: boolean;
}

/**
 * Whether the account can sign in while the options are these: by a passkey, by a password where password login is on, or through
 * a bound provider that is on and configured. `valueNow` answers the value of an option.
 */
export function canSignIn(proofs: Proofs, valueNow: (key: OptionKey) => unknown): boolean {
  if (proofs.hasPasskey || (proofs.passwordHash && valueNow('PasswordLoginEnabled') === true)) return true;
  return (Object.keys(switches) as ThirdParty[]).some((provider) => {
    const key = switches[provider];
    const isConfigured = (optionAbout(key).needs ?? []).every((needed) => valueNow(needed as OptionKey) !== '');
    return Boolean(proofs[idFields[provider]]) && valueNow(key) === true && isConfigured;
  });
}

/** `valueNow` of `canSignIn` for the options as they are. */
export function valueIn(values: OptionValues): (key: OptionKey) => unknown {
  return (key) => values[key];
}
