import { type Ask, parameter } from '../both-languages.ts';
import { empty, missing, noMail, person, type Row, tooLong, tooShort } from './lines.ts';

const register = (change: object): Ask => ['POST', '/api/user/register', { ...person, ...change }];

/** Registration, sign-in and addresses. */
export const waysIn: Row[] = [
  // Registration, sign-in
  ['registration needs a name', 'anonymous', register({ username: '' }), empty('username')],
  ['… and says so when there is none', 'anonymous', register({ username: undefined }), missing('username')],
  ['a name has 12 characters at most', 'anonymous', register({ username: 'x'.repeat(13) }), tooLong('username', 12)],
  [
    'a name is no e-mail address',
    'anonymous',
    register({ username: 'a@b' }),
    parameter('username: may hold neither blanks nor @', 'username: 不能包含空格或 @'),
  ],
  ['registration needs a password', 'anonymous', register({ password: undefined }), missing('password')],
  ['a password has 8 characters at least', 'anonymous', register({ password: 'seven77' }), tooShort('password', 8)],
  ['a password has 20 characters at most', 'anonymous', register({ password: 'x'.repeat(21) }), tooLong('password', 20)],
  [
    'both passwords are the same',
    'anonymous',
    register({ password2: 'hopper-1907' }),
    parameter('password2: the two passwords differ', 'password2: 两次输入的密码不一致'),
  ],
  ['an e-mail address is one', 'anonymous', register({ email: 'grace@' }), noMail],
  ['a name is free', 'anonymous', register({ username: 'taken' }), ['This username is already in use', '用户名已存在，或已注销']],
  [
    '… blanks around it or not',
    'anonymous',
    register({ username: ' taken\t' }),
    ['This username is already in use', '用户名已存在，或已注销'],
  ],
  ['sign-in needs a name', 'anonymous', ['POST', '/api/user/login', { ...person, username: ' ' }], empty('username')],
  ['sign-in needs a password', 'anonymous', ['POST', '/api/user/login', { ...person, password: '' }], empty('password')],
  ['a second step needs a code', 'anonymous', ['POST', '/api/user/login/2fa', { code: ' ' }], empty('code')],
  // Addresses
  ['a code goes to an address', 'anonymous', ['GET', '/api/verification'], parameter('email: is missing', 'email: 不能缺少')],
  ['… that is one', 'anonymous', ['GET', '/api/verification?email=a@b@example.com'], noMail],
  ['… on one line', 'anonymous', ['GET', `/api/verification?email=${encodeURIComponent('a@example.com\r\nBcc: x@example.com')}`], noMail],
  ['a reset needs an address', 'anonymous', ['GET', '/api/reset_password?email='], noMail],
  ['… and the token that was mailed', 'anonymous', ['POST', '/api/user/reset', { email: 'a@example.com', token: '' }], empty('token')],
  [
    '… a good one',
    'anonymous',
    ['POST', '/api/user/reset', { email: 'a@example.com', token: 'x' }],
    ['Reset link is invalid or expired', '重置链接非法或已过期'],
  ],
  ['binding needs an address', 'user', ['GET', '/api/oauth/email/bind?code=1'], parameter('email: is missing', 'email: 不能缺少')],
  ['… and its code', 'user', ['GET', '/api/oauth/email/bind?email=a@example.com&code='], empty('code')],
  [
    '… a good one',
    'user',
    ['GET', '/api/oauth/email/bind?email=a@example.com&code=1'],
    ['Verification code is incorrect or expired', '验证码错误或已过期'],
  ],
  ['a WeChat code is there', 'anonymous', ['GET', '/api/oauth/wechat?code='], empty('code')],
  [
    'what Telegram sends is whole',
    'anonymous',
    ['GET', '/api/oauth/telegram/login?id=7&auth_date=1&hash=0'],
    parameter('hash: has the wrong form', 'hash: 格式不正确'),
  ],
  ['a test mail goes to an address', 'root', ['POST', '/api/option/test_mail', { email: 'root' }], noMail],
];
