import { Order, User } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole, testPassword, type Visitor } from '../support/console.ts';
import { forgetLimits } from '../support/limits.ts';
import { type Ask, expectRefusal, parameter, type Words } from './both-languages.ts';

type Who = 'anonymous' | 'user' | 'admin' | 'root';
type Row = readonly [line: string, who: Who, ask: Ask, words: Words];

const missing = (field: string): Words => parameter(`${field}: is missing`, `${field}: 不能缺少`);
const empty = (field: string): Words => parameter(`${field}: must not be empty`, `${field}: 不能为空`);
const noNumber = (field: string): Words => parameter(`${field}: must be a number`, `${field}: 必须是数字`);
const noInteger = (field: string): Words => parameter(`${field}: must be a whole number`, `${field}: 必须是整数`);
const noText = (field: string): Words => parameter(`${field}: must be a text`, `${field}: 必须是文本`);
const atLeast = (field: string, least: number): Words => parameter(`${field}: must be at least ${least}`, `${field}: 不能小于 ${least}`);
const above = (field: string, least: number): Words => parameter(`${field}: must be above ${least}`, `${field}: 必须大于 ${least}`);
const atMost = (field: string, most: number): Words => parameter(`${field}: must be at most ${most}`, `${field}: 不能大于 ${most}`);
const tooLong = (field: string, most: number): Words =>
  parameter(`${field}: may have at most ${most} characters`, `${field}: 最多 ${most} 个字符`);
const tooShort = (field: string, least: number): Words =>
  parameter(`${field}: must have at least ${least} characters`, `${field}: 至少需要 ${least} 个字符`);
const oneOf = (field: string, values: string): Words => parameter(`${field}: must be one of ${values}`, `${field}: 必须是 ${values} 之一`);
const noMail = parameter('email: is no e-mail address', 'email: 不是有效的邮箱地址');
const invisible = (field: string): Words =>
  parameter(`${field}: may hold no invisible control characters`, `${field}: 不能包含不可见的控制字符`);
const notPlain = (field: string): Words => parameter(`${field}: must be plain text on one line`, `${field}: 只能包含单行可见 ASCII 字符`);
const noMapping = parameter('model_mapping: must be a JSON object', 'model_mapping: 必须是 JSON 对象');
const notFound: Words = ['Record not found', '记录不存在'];
const higherRank: Words = ['A user of the same or a higher rank cannot be viewed or changed', '无权操作同权限等级或更高权限等级的用户'];

const person = { username: 'grace', password: 'hopper-1906' };
const register = (change: object): Ask => ['POST', '/api/user/register', { ...person, ...change }];
const create = (change: object): Ask => ['POST', '/api/user/', { ...person, ...change }];
const edit = (change: object): Ask => ['PUT', '/api/user/', { id: 2, ...change }];
const settings = (change: object): Ask => ['PUT', '/api/user/setting', { notify_type: 'email', quota_warning_threshold: 5, ...change }];
const hook = { notify_type: 'webhook', webhook_url: 'https://hook.example/me' };
const channel = (change: object): Ask => [
  'POST',
  '/api/channel/',
  { name: 'c', type: 1, key: 'sk-x', models: 'gpt-4o', base_url: 'https://up.example', ...change },
];
const tag = (change: object): Ask => ['PUT', '/api/channel/tag', { tag: 'main', ...change }];
const token = (change: object): Ask => ['POST', '/api/token/', { name: 't', ...change }];
const codes = (change: object): Ask => ['POST', '/api/redemption/', { name: 'n', quota: 1, count: 1, ...change }];
const pay = (change: object): Ask => ['POST', '/api/user/pay', { amount: 10, payment_method: 'zfb', ...change }];

/**
 * The lines of both specifications that say what may not be sent, and what is answered. What needs a state of the world that is dear
 * to make (a mail server, a provider, a spent token) stands with its feature.
 */
const rows: Row[] = [
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
    ['The current password is not correct', '原密码错误'],
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
    ['Transfer amount minimum is 500000', '转移额度最小为 500000'],
  ],
  [
    '… and what was earned at most',
    'user',
    ['POST', '/api/user/aff_transfer', { quota: 500_000 }],
    ['Insufficient quota: invitations have earned less than that', '邀请额度不足'],
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
      'The address must begin with https://, unless EGRESS_ALLOW names its host and an administrator sets it',
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
  // Users
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
  ['a group is one', 'root', edit({ group: 'nowhere' }), ['There is no group nowhere', '不存在分组 nowhere']],
  [
    'a group is not what every object has',
    'root',
    edit({ group: 'constructor' }),
    ['There is no group constructor', '不存在分组 constructor'],
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
  // Channels
  ['a channel has a name', 'admin', channel({ name: ' ' }), empty('name')],
  ['… and a key', 'admin', channel({ key: ' \n' }), parameter('key: a channel needs a key', 'key: 渠道需要密钥')],
  [
    '… that a header can carry',
    'admin',
    channel({ key: 'sk-密' }),
    parameter('key: must be plain text on one line', '密钥只能包含单行可见 ASCII 字符'),
  ],
  [
    '… and a model',
    'admin',
    channel({ models: ',' }),
    parameter('models: a channel needs at least one model', 'models: 渠道至少需要一个模型'),
  ],
  ['… whose name can be read', 'admin', channel({ models: 'gpt-4o,gpt\u0000' }), invisible('models')],
  [
    '… and is no book',
    'admin',
    channel({ models: `gpt-4o,${'x'.repeat(256)}` }),
    parameter('models: a name in it has more than 255 characters', 'models: 其中有名称超过 255 个字符'),
  ],
  ['… and a type', 'admin', channel({ type: 999 }), parameter('type: is not a known channel type', 'type: 不是已知的渠道类型')],
  ['a mapping is JSON', 'admin', channel({ model_mapping: '{"a":' }), noMapping],
  ['… an object', 'admin', channel({ model_mapping: '["a"]' }), noMapping],
  [
    '… of names',
    'admin',
    channel({ model_mapping: '{"a":1}' }),
    parameter('model_mapping: must map model names to model names', 'model_mapping: 必须是模型名称之间的映射'),
  ],
  [
    'statuses are statuses',
    'admin',
    channel({ status_code_mapping: '{"200":"500"}' }),
    parameter(
      'status_code_mapping: must map HTTP statuses from 300 to 599 to others',
      'status_code_mapping: 必须是 300 至 599 之间 HTTP 状态码的映射',
    ),
  ],
  [
    'settings are known ones',
    'admin',
    channel({ setting: '{"nonsense":1}' }),
    parameter('setting: has fields that nobody knows: nonsense', 'setting: 包含未知字段：nonsense'),
  ],
  ['… each of its kind', 'admin', channel({ setting: '{"proxy":1}' }), noText('setting.proxy')],
  [
    '… headers on one line',
    'admin',
    channel({ setting: '{"header_override":{"X-A":"a\\r\\nX-B: b"}}' }),
    notPlain('setting.header_override.X-A'),
  ],
  [
    '… and none of ours',
    'admin',
    channel({ setting: '{"header_override":{"Host":"a"}}' }),
    parameter('setting.header_override.Host: is a header that a channel may not set', 'setting.header_override.Host: 渠道不能设置该请求头'),
  ],
  [
    '… not deeper than a stack',
    'admin',
    channel({ setting: `{"param_override":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}` }),
    parameter('setting: is nested too deeply', 'setting: 嵌套层数过多'),
  ],
  [
    'an organization is the value of a header',
    'admin',
    channel({ openai_organization: 'org\r\nX-Other: b' }),
    notPlain('openai_organization'),
  ],
  ['an address stands on one line', 'admin', channel({ base_url: 'https://up.exa\nmple' }), invisible('base_url')],
  ['priority is -999 at least', 'admin', channel({ priority: -1000 }), atLeast('priority', -999)],
  ['… and whole', 'admin', channel({ priority: 1.5 }), noInteger('priority')],
  ['weight is 0 at least', 'admin', channel({ weight: -1 }), atLeast('weight', 0)],
  ['auto-ban is 0 or 1', 'admin', channel({ auto_ban: 2 }), oneOf('auto_ban', '0, 1')],
  ['a tag stands on one line', 'admin', channel({ tag: 'a\nb' }), invisible('tag')],
  ['a group is one that there is', 'admin', channel({ group: 'default,nowhere' }), ['There is no group nowhere', '不存在分组 nowhere']],
  ['an edit names a channel that is there', 'admin', ['PUT', '/api/channel/', { id: 999_999, name: 'x' }], notFound],
  ['a status is one of three', 'admin', ['PUT', '/api/channel/', { id: 1, status: 5 }], oneOf('status', '1, 2, 3')],
  [
    'models are asked for with a key',
    'admin',
    ['POST', '/api/channel/fetch_models', { type: 1, key: '' }],
    parameter('key: is needed to ask for the models', 'key: 获取模型列表需要密钥'),
  ],
  ['a tag is put on some channels', 'admin', ['POST', '/api/channel/batch/tag', { ids: [], tag: 'a' }], empty('ids')],
  ['channels are deleted, not none', 'admin', ['POST', '/api/channel/batch', { ids: [] }], empty('ids')],
  ['a tag that is switched has a name', 'admin', ['POST', '/api/channel/tag/enabled', { tag: ' ' }], empty('tag')],
  ['an edit of a tag changes something', 'admin', tag({}), parameter('nothing to change', '没有需要更改的内容')],
  ['… its mapping is JSON', 'admin', tag({ model_mapping: 'x' }), noMapping],
  ['… its priority whole', 'admin', tag({ priority: 0.5 }), noInteger('priority')],
  ['… its weight not negative', 'admin', tag({ weight: -1 }), atLeast('weight', 0)],
  // Tokens
  ['a token has a name', 'user', token({ name: undefined }), missing('name')],
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
  ['a group is one that its owner may use', 'user', token({ group: 'svip' }), ['Group svip may not be used', '无权使用分组 svip']],
  ['an edit is of one’s own token', 'admin', ['PUT', '/api/token/', { id: 1, name: 'mine' }], notFound],
  ['… and so is a deletion', 'admin', ['DELETE', '/api/token/1/'], notFound],
  [
    'a bulk edit says of which',
    'user',
    ['PUT', '/api/token/batch', { set: { status: 1 } }],
    parameter('either ids or a filter says which rows are meant', '请用 ids 或 filter 之一指明要修改的行'),
  ],
  // Codes and money
  ['a code has a name', 'admin', codes({ name: '' }), empty('name')],
  ['… of 20 characters at most', 'admin', codes({ name: 'x'.repeat(21) }), tooLong('name', 20)],
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
  // Logs, options
  ['a clean-up has a moment', 'root', ['DELETE', '/api/log/'], parameter('target_timestamp is needed', '需要 target_timestamp')],
  [
    '… that is one',
    'root',
    ['DELETE', '/api/log/?target_timestamp=yesterday'],
    parameter('target_timestamp is needed', '需要 target_timestamp'),
  ],
  ['… after 1970', 'root', ['DELETE', '/api/log/?target_timestamp=-1'], parameter('target_timestamp is needed', '需要 target_timestamp')],
  ['usage is told apart by what it has', 'admin', ['GET', '/api/data/?by=colour'], oneOf('by', 'model, token, channel, group, user')],
  [
    '… of a span that is not endless',
    'user',
    ['GET', '/api/data/self?start_timestamp=1&end_timestamp=9000000'],
    parameter('the span is longer than 31 days', '时间跨度超过 31 天'),
  ],
  [
    'an option is one',
    'root',
    ['PUT', '/api/option/', { key: 'NoSuchOption', value: '' }],
    ['There is no option NoSuchOption', '不存在的配置项 NoSuchOption'],
  ],
  ['… and a text', 'root', ['PUT', '/api/option/', { key: 'RetryTimes', value: 3 }], noText('value')],
  [
    'the id in an address is a number',
    'user',
    ['GET', '/api/token/one'],
    parameter('the id in the address must be a number', '地址中的 id 必须是数字'),
  ],
];

describe('bad input, line by line', () => {
  let tollgate: TestConsole;
  let people: Record<Who, Visitor>;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    const { root, anonymous } = tollgate;
    await root.ok('POST', '/api/user/', { username: 'taken', password: testPassword });
    people = { root, anonymous, user: await tollgate.signIn('taken'), admin: await tollgate.newUser({ admin: true }) };
    await people.user.ok('POST', '/api/token/', { name: 'first' });
    await root.ok('PUT', '/api/option/', { key: 'MinTopUp', value: '5' });
  });
  after(() => tollgate.close());

  it(`refuses ${rows.length} of them in words, in English and in Chinese`, async function () {
    this.timeout(120_000); // for a busy machine
    const before = await User.find().sort({ id: 1 }).lean();
    for (const [index, [line, who, ask, words]] of rows.entries()) {
      if (index % 8 === 0) await Promise.all(['critical', 'sign-in'].map((name) => forgetLimits(tollgate, name)));
      await expectRefusal(people[who], ask, words).catch((error: Error) => {
        error.message = `${line}: ${error.message}`;
        throw error;
      });
    }
    expect(await User.find().sort({ id: 1 }).lean(), 'nothing came of it').to.deep.equal(before);
    expect(await Order.countDocuments()).to.equal(0);
  });
});
