import { accountErrors } from './accounts.ts';
import { callErrors } from './calls.ts';
import { consoleErrors } from './console.ts';
import { auth, type ErrorEntry, invalid } from './entry.ts';
import { signInErrors } from './sign-in.ts';
import { storedErrors } from './stored.ts';
import { taskErrors } from './tasks.ts';

/** Of the second step of a sign-in, and of passkeys. */
export const secondStepErrors = {
  wrong_second_factor: {
    status: 200,
    type: auth,
    en: 'The code is incorrect or already used: enter a new code from your app, or a recovery code',
    zh: '验证码错误或已被使用，请输入新的验证码或恢复码',
  },
  owner_unconfirmed: {
    status: 200,
    type: auth,
    en: 'You signed in a while ago: confirm your identity or sign in again before you change sign-in methods',
    zh: '距离上次登录已有一段时间，请先验证身份或重新登录，再更改登录方式',
  },
  second_step_over: { status: 200, type: auth, en: 'The sign-in timed out; please start over', zh: '登录已超时，请重新登录' },
  second_factor_on: { status: 200, type: invalid, en: 'Two-factor authentication is already on', zh: '两步验证已启用' },
  second_factor_off: { status: 200, type: invalid, en: 'Two-factor authentication is off', zh: '尚未启用两步验证' },
  second_factor_not_set_up: {
    status: 200,
    type: invalid,
    en: 'There is no secret to confirm, or it has expired; start over',
    zh: '没有待确认的密钥，或已过期，请重新开始',
  },
  passkey_refused: {
    status: 200,
    type: auth,
    en: 'The passkey is unknown, or it responded too late; please try again',
    zh: '无法识别该通行密钥，或响应已超时，请重试',
  },
  passkeys_need_name: {
    status: 200,
    type: invalid,
    en: 'Passkeys require a domain name: open this site by its name, not by an IP address',
    zh: '通行密钥需要域名，请通过域名而非 IP 地址访问本站',
  },
  too_many_passkeys: {
    status: 200,
    type: invalid,
    en: 'A user may have at most {limit} passkeys',
    zh: '每个用户最多可添加 {limit} 个通行密钥',
  },
} satisfies Record<string, ErrorEntry>;

/** Every error that a caller or a person can meet. `{name}` stands for a detail given with the error. */
export const errorCatalogue = {
  ...callErrors,
  ...storedErrors,
  ...taskErrors,
  ...signInErrors,
  ...accountErrors,
  ...secondStepErrors,
  ...consoleErrors,
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
export type Language = 'en' | 'zh';

/** The words of an error, with its details put in. */
export function errorMessage(code: ErrorCode, details: Readonly<Record<string, string | number>> = {}, language: Language = 'en'): string {
  return errorCatalogue[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => String(details[name] ?? whole));
}
