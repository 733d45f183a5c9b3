import { type Ask, parameter } from '../both-languages.ts';
import { atLeast, atMost, empty, invisible, missing, noInteger, noNumber, noText, notFound, oneOf, type Row, tooLong } from './lines.ts';

const token = (change: object): Ask => ['POST', '/api/token/', { name: 't', ...change }];
const codes = (change: object): Ask => ['POST', '/api/redemption/', { name: 'n', quota: 1, count: 1, ...change }];
const pay = (change: object): Ask => ['POST', '/api/user/pay', { amount: 10, payment_method: 'zfb', ...change }];

/** Tokens, codes and money. */
export const tokensAndMoney: Row[] = [
  // Tokens
  ['a token has a name', 'user', token({ name: undefined }), missing('name')],
  ['… that is not empty', 'user', token({ name: ' ' }), empty('name')],
  [
    '… of 30 characters at most',
    'user',
    token({ name: 'x'.repeat(31) }),
    parameter('name: Token name is too long: at most 30 characters', 'name: 令牌名称过长，最多 30 个字符'),
  ],
  ['… on one line', 'user', token({ name: 'a\u2028b' }), invisible('name')],
  ['an expiry is a moment', 'user', token({ expired_time: 'tomorrow' }), noNumber('expired_time')],
  ['… or -1', 'user', token({ expired_time: -2 }), atLeast('expired_time', -1)],
  ['… of this century', 'user', token({ expired_time: 4_102_444_801 }), atMost('expired_time', 4_102_444_800)],
  ['tokens are made one at least', 'user', token({ count: 0 }), atLeast('count', 1)],
  ['… a hundred at most', 'user', token({ count: 101 }), atMost('count', 100)],
  ['… and whole ones', 'user', token({ count: 1.5 }), noInteger('count')],
  ['what a token may spend is not negative', 'user', token({ remain_quota: -1 }), atLeast('remain_quota', 0)],
  ['models are a text with commas', 'user', token({ model_limits: ['gpt-4o'] }), noText('model_limits')],
  [
    'addresses are addresses',
    'user',
    token({ allow_ips: '10.0.0.300' }),
    parameter('allow_ips: 10.0.0.300 is neither an IP address nor a CIDR block', 'allow_ips: 10.0.0.300 既不是 IP 地址也不是 CIDR 网段'),
  ],
  [
    'modes are modes',
    'user',
    token({ drawing_modes: 'warp' }),
    parameter('drawing_modes: drawing_modes may hold fast, relax, turbo', 'drawing_modes: drawing_modes 只能包含 fast, relax, turbo'),
  ],
  ['a group is one that its owner may use', 'user', token({ group: 'svip' }), ['You may not use the group svip', '无权使用分组 svip']],
  ['an edit is of one’s own token', 'admin', ['PUT', '/api/token/', { id: 1, name: 'mine' }], notFound],
  ['… and so is a deletion', 'admin', ['DELETE', '/api/token/1/'], notFound],
  [
    'a bulk edit says of which',
    'user',
    ['PUT', '/api/token/batch', { set: { status: 1 } }],
    parameter('either ids or a filter says which rows are meant', '请用 ids 或 filter 之一指明要修改的行'),
  ],
  // Codes and money
  ['a code has a name of 20 characters at most', 'admin', codes({ name: 'x'.repeat(21) }), tooLong('name', 20)],
  ['codes are made one at least', 'admin', codes({ count: 0 }), atLeast('count', 1)],
  ['… a hundred at most', 'admin', codes({ count: 101 }), atMost('count', 100)],
  ['… worth something', 'admin', codes({ quota: 0 }), atLeast('quota', 1)],
  ['… in whole quota', 'admin', codes({ quota: 0.5 }), noInteger('quota')],
  ['a code is entered', 'user', ['POST', '/api/user/topup', { key: ' ' }], empty('key')],
  ['… that there is', 'user', ['POST', '/api/user/topup', { key: 'none' }], ['Invalid redemption code', '无效的兑换码']],
  ['an amount is 1 at least', 'user', pay({ amount: 0 }), atLeast('amount', 1)],
  ['… the site’s least at least', 'user', pay({ amount: 4 }), ['The amount must be at least 5', '充值数量不能小于 5']],
  ['… nobody’s fortune', 'user', pay({ amount: 1e12 }), ['The amount is too high', '充值金额过高']],
  ['… and whole', 'user', ['POST', '/api/user/amount', { amount: 7.5 }], noInteger('amount')],
  ['a payer is one of two', 'user', pay({ payment_method: 'card' }), oneOf('payment_method', 'zfb, wx')],
  ['online top-up is on', 'user', pay({}), ['The administrator has not enabled online top-up', '管理员未开启在线充值！']],
  [
    '… by Stripe, too',
    'user',
    ['POST', '/api/user/stripe/pay', { amount: 10 }],
    ['The administrator has not enabled online top-up', '管理员未开启在线充值！'],
  ],
  ['an order that is completed is there', 'admin', ['POST', '/api/order/complete', { trade_no: 'USR1NO1' }], notFound],
];
