import { testPassword } from '../../support/console.ts';
import { type Ask, parameter } from '../both-languages.ts';
import { above, noNumber, notPlain, oneOf, type Row, tooLong, tooShort } from './lines.ts';

const settings = (change: object): Ask => ['PUT', '/api/user/setting', { notify_type: 'email', quota_warning_threshold: 5, ...change }];
const hook = { notify_type: 'webhook', webhook_url: 'https://hook.example/me' };

/** One's own account, and the notices one gets. */
export const ownAccount: Row[] = [
  // One's own account
  ['a new password has 8 characters at least', 'user', ['PUT', '/api/user/self', { password: 'seven77' }], tooShort('password', 8)],
  ['… and 20 at most', 'user', ['PUT', '/api/user/self', { password: 'x'.repeat(21) }], tooLong('password', 20)],
  [
    '… and is another one',
    'user',
    ['PUT', '/api/user/self', { password: testPassword, original_password: testPassword }],
    parameter('the new password is the old one', '新密码不能与原密码相同'),
  ],
  [
    '… and needs the old one',
    'user',
    ['PUT', '/api/user/self', { password: 'new password', original_password: 'wrong' }],
    ['The current password is incorrect', '当前密码错误'],
  ],
  [
    'a display name has 20 characters at most',
    'user',
    ['PUT', '/api/user/self', { display_name: 'x'.repeat(21) }],
    tooLong('display_name', 20),
  ],
  ['a transfer is above nothing', 'user', ['POST', '/api/user/aff_transfer', { quota: 0 }], above('quota', 0)],
  [
    '… a dollar at least',
    'user',
    ['POST', '/api/user/aff_transfer', { quota: 499_999 }],
    ['Transfer amount minimum is 500000', '划转金额最低为 500000'],
  ],
  [
    '… and what was earned at most',
    'user',
    ['POST', '/api/user/aff_transfer', { quota: 500_000 }],
    ['Insufficient quota: the amount exceeds your invitation earnings', '邀请收益不足'],
  ],
  // Notices
  ['notices come by mail or webhook', 'user', settings({ notify_type: 'sms' }), oneOf('notify_type', 'email, webhook')],
  ['a threshold is above 0', 'user', settings({ quota_warning_threshold: 0 }), above('quota_warning_threshold', 0)],
  ['… and a number', 'user', settings({ quota_warning_threshold: '5' }), noNumber('quota_warning_threshold')],
  [
    'notices go to an e-mail address',
    'user',
    settings({ notification_email: 'a@example.com;b@example.com' }),
    parameter('notification_email: is no e-mail address', 'notification_email: 不是有效的邮箱地址'),
  ],
  [
    '… of a length that there is',
    'user',
    settings({ notification_email: `${'a'.repeat(300)}@example.com` }),
    tooLong('notification_email', 254),
  ],
  [
    'a webhook has an address',
    'user',
    settings({ notify_type: 'webhook' }),
    parameter('webhook_url: must be an https address', 'webhook_url: 必须是 https 地址'),
  ],
  [
    '… of https only',
    'user',
    settings({ ...hook, webhook_url: 'http://hook.example/me' }),
    [
      'The URL must start with https://, unless EGRESS_ALLOW lists its host and an administrator sets it',
      '地址必须以 https:// 开头；仅当管理员设置且 EGRESS_ALLOW 包含该主机时才可使用 http://',
    ],
  ],
  ['its secret is the value of a header', 'user', settings({ ...hook, webhook_secret: 'a\r\nX-Other: b' }), notPlain('webhook_secret')],
  ['… of letters that a header can have', 'user', settings({ ...hook, webhook_secret: '密钥' }), notPlain('webhook_secret')],
  [
    '… also when it is only tried',
    'user',
    ['POST', '/api/user/setting/test', { ...hook, webhook_secret: 'a\nb' }],
    notPlain('webhook_secret'),
  ],
];
