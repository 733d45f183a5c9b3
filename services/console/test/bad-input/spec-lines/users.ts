import { type Ask, parameter } from '../both-languages.ts';
import { above, empty, higherRank, missing, noNumber, notFound, oneOf, person, type Row, tooShort } from './lines.ts';

const create = (change: object): Ask => ['POST', '/api/user/', { ...person, ...change }];
const edit = (change: object): Ask => ['PUT', '/api/user/', { id: 2, ...change }];

/** Accounts of others, which administrators handle. */
export const users: Row[] = [
  ['an account has a name', 'admin', create({ username: '  ' }), empty('username')],
  ['… and a password', 'admin', create({ password: '' }), tooShort('password', 8)],
  ['… and a free name', 'admin', create({ username: ' taken ' }), ['This username is already in use', '用户名已存在，或已注销']],
  ['… and nobody of one’s own rank', 'admin', create({ role: 10 }), higherRank],
  ['an edit names an account', 'admin', ['PUT', '/api/user/', { display_name: 'x' }], missing('id')],
  ['… that is there', 'root', edit({ id: 999_999, display_name: 'x' }), notFound],
  ['… below one’s own rank', 'admin', edit({ id: 1, display_name: 'x' }), higherRank],
  ['… whose password is 8 characters at least', 'root', edit({ password: 'seven77' }), tooShort('password', 8)],
  ['… and whose quota a number', 'root', edit({ quota: 'much' }), noNumber('quota')],
  ['… of which nobody takes more than there is', 'root', edit({ add_quota: -1 }), parameter('the balance is 0', '余额为 0')],
  ['a group is one', 'root', edit({ group: 'nowhere' }), ['Unknown group: nowhere', '不存在分组 nowhere']],
  [
    'a group is not what every object has',
    'root',
    edit({ group: 'constructor' }),
    ['Unknown group: constructor', '不存在分组 constructor'],
  ],
  [
    'an act is one of five',
    'root',
    ['POST', '/api/user/manage', { id: 2, action: 'crown' }],
    oneOf('action', 'promote, demote, disable, enable, delete'),
  ],
  ['… on somebody', 'root', ['POST', '/api/user/manage', { id: 0, action: 'disable' }], above('id', 0)],
  ['… who is there', 'root', ['POST', '/api/user/manage', { id: 999_999, action: 'disable' }], notFound],
  [
    'nobody takes root off',
    'root',
    ['POST', '/api/user/manage', { id: 1, action: 'demote' }],
    ['The super administrator cannot be disabled, deleted or demoted', '无法禁用、删除或降级超级管理员'],
  ],
  [
    'administrators make none',
    'admin',
    ['POST', '/api/user/manage', { id: 2, action: 'promote' }],
    ['Only the super administrator may promote users', '普通管理员用户无法提升其他用户为管理员'],
  ],
];
