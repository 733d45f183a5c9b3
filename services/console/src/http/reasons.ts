/** What stands in the place of `{reason}`, by its English words. A test holds that none is missing. */
const inChinese: Record<string, string> = {
  // Addresses
  'the address must begin with http:// or https://': '地址必须以 http:// 或 https:// 开头',
  'a proxy must be an address that begins with http://, https:// or socks5://': '代理地址必须以 http://、https:// 或 socks5:// 开头',
  'the file is no SQLite database': '该文件不是 SQLite 数据库',
  'the uploaded file is not here any more: upload it again': '上传的文件已不存在，请重新上传',
  'the address of the database is not valid': '数据库地址无效',
  'must be 1 to 40 letters, digits, dots, hyphens and underscores': '须为 1 至 40 个字母、数字、点、连字符或下划线',
  'the address must not hold credentials': '地址中不能包含用户名或密码',
  'the worker asks https addresses only': '代理服务只访问 https 地址',
  'must be an https address': '必须是 https 地址',
  'must be an http or https address': '必须是 http 或 https 地址',
  // Channels
  'a channel needs a key': '渠道需要密钥',
  'a channel needs at least one model': '渠道至少需要一个模型',
  'a channel needs at least one group': '渠道至少需要一个分组',
  'either ids or a filter says which rows are meant': '请用 ids 或 filter 之一指明要修改的行',
  'at most 1000 keys at once': '一次最多 1000 个密钥',
  'a channel has at most 5000 keys': '一个渠道最多 5000 个密钥',
  'this mode takes one key': '该模式只能填写一个密钥',
  'one key takes the place of one': '替换时只能用一个密钥替换一个密钥',
  'the channel has this key already': '该渠道已有此密钥',
  'nothing to change': '没有需要更改的内容',
  'this channel type needs a `base_url`': '该类型渠道需要填写 `base_url`',
  'this channel type needs `other`': '该类型渠道需要填写 `other`',
  'this channel type needs a region in `other`': '该类型渠道需要在 `other` 中填写地区',
  'the regions in `other` must be a JSON object with a `default`': '`other` 中的地区必须是包含 `default` 的 JSON 对象',
  'a region in `other` is a name such as us-central1, of small letters, digits and hyphens':
    '`other` 中的地区是由小写字母、数字和连字符组成的名称，例如 us-central1',
  '`other` is not valid JSON': '`other` 不是合法的 JSON',
  'is not a known channel type': '不是已知的渠道类型',
  'must map HTTP statuses from 300 to 599 to others': '必须是 300 至 599 之间 HTTP 状态码的映射',
  'Model mapping must be valid JSON': '模型映射必须是合法的 JSON 格式！',
  'must map model names to model names': '必须是模型名称之间的映射',
  'is needed to ask for the models': '获取模型列表需要密钥',
  'it did not answer in time': '上游未及时响应',
  'it cannot be reached': '无法连接上游',
  'this channel type does not tell': '该类型渠道不支持查询余额',
  'its answer cannot be read': '无法解析上游的响应',
  'this channel type has no such list': '该类型渠道不提供模型列表',
  'its answer is no list of models': '上游的响应不是模型列表',
  // Accounts
  'must have a chat_id in its query': '查询参数中必须包含 chat_id',
  'set the OIDC issuer and the client ID, and save them first': '请先填写并保存颁发者地址与客户端标识',
  'the two passwords differ': '两次输入的密码不一致',
  'the mail server did not answer in time': '邮件服务器未及时响应',
  'the mail server cannot be reached': '无法连接邮件服务器',
  'the mail server refused the account or its password': '邮件服务器拒绝了账号或密码',
  // Imports
  'it is deleted': '已删除',
  'it has no trade number': '没有交易号',
  'the account is deleted': '账号已删除',
  'the account is deleted (status 3)': '账号已删除（状态 3）',
  // Bodies and addresses
  'the body must be JSON, with the Content-Type application/json': '请求体必须是 JSON，且 Content-Type 为 application/json',
  'the body must be in UTF-8': '请求体必须使用 UTF-8 编码',
  'the body did not come whole': '请求体不完整',
  'a text in it has half a character': '文本中包含不完整的字符',
  'the address has a % sign that stands for nothing': '地址中的 % 编码不正确',
  // Extra settings of channels
  'is a header that a channel may not set': '渠道不能设置该请求头',
  'is a field that a channel may not set': '渠道不能设置该字段',
  'at most 50 headers': '最多 50 个请求头',
  'at most 50 fields': '最多 50 个字段',
  'is nested too deeply': '嵌套层数过多',
  // Everything else
  'Token name is too long: at most 30 characters': '令牌名称过长，最多 30 个字符',
  'a name in it has more than 255 characters': '其中有名称超过 255 个字符',
  'its answer tells no amount': '其响应未包含余额',
  'must be a JSON object': '必须是 JSON 对象',
  'must be valid JSON': '必须是合法的 JSON',
  'must be a number': '必须是数字',
  'may hold neither blanks nor @': '不能包含空格或 @',
  'may hold no invisible control characters': '不能包含不可见的控制字符',
  'key: must be plain text on one line': '密钥只能包含单行可见 ASCII 字符',
  'must be plain text on one line': '只能包含单行可见 ASCII 字符',
  'the id in the address must be a number': '地址中的 id 必须是数字',
  'the new password is the old one': '新密码不能与原密码相同',
  'target_timestamp is needed': '需要 target_timestamp',
  'subject_id names no group': 'subject_id 不是已有的分组',
  'the catalog becomes too long': '模型目录过长',
  'unknown time zone': '未知时区',
  'a child token has no children': '子令牌不能再创建子令牌',
};

const withValues: [begin: string, end: string, zh: (value: string) => string][] = [
  ['it answered with status ', '', (status) => `返回状态码 ${status}`],
  ['the parent may not call ', '', (model) => `父令牌无权调用 ${model}`],
  ['it answered with ', '', (field) => `返回 ${field}`],
  ['there may be ', ' budgets of one token', (most) => `每个令牌最多 ${most} 个预算`],
  ['there may be ', ' budgets of one user', (most) => `每个用户最多 ${most} 个预算`],
  ['there may be ', ' budgets of one group', (most) => `每个分组最多 ${most} 个预算`],
  ['the balance would be more than ', '', (most) => `余额将超过 ${most}`],
  ['the name ', ' may not be used', (name) => `不能使用名称 ${name}`],
  ['drawing_modes may hold ', '', (modes) => `drawing_modes 只能包含 ${modes}`],
  ['the balance is ', '', (balance) => `余额为 ${balance}`],
  ['has ', ' twice', (name) => `名称 ${name} 重复`],
  ['the span is longer than ', ' days', (days) => `时间跨度超过 ${days} 天`],
  ['', ' is neither an IP address nor a CIDR block', (entry) => `${entry} 既不是 IP 地址也不是 CIDR 网段`],
];

/** A reason in Chinese; what we did not write ourselves, such as the words of a provider, stays as it is. */
export function chineseReason(reason: string): string {
  if (Object.hasOwn(inChinese, reason)) return inChinese[reason] as string;
  for (const [begin, end, zh] of withValues) {
    if (reason.startsWith(begin) && reason.endsWith(end)) return zh(reason.slice(begin.length, reason.length - end.length));
  }
  return reason;
}
