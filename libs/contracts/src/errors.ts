/** What went wrong, for callers and people. `status` is the HTTP status; `type` OpenAI's word for the class of error. */
export interface ErrorEntry {
  status: number;
  type: string;
  en: string;
  zh: string;
}

const invalid = 'invalid_request_error';
const auth = 'authentication_error';
const permission = 'permission_error';

/** Every error that a caller or a person can meet. `{name}` stands for a detail given with the error. */
export const errorCatalogue = {
  // Credentials of an API call
  missing_api_key: { status: 401, type: auth, en: 'No API key was given. Send it as "Authorization: Bearer sk-..."', zh: '未提供令牌' },
  invalid_api_key: { status: 401, type: auth, en: 'Invalid token', zh: '无效的令牌' },
  token_expired: { status: 401, type: auth, en: 'Token has expired', zh: '该令牌已过期' },
  token_disabled: { status: 401, type: auth, en: 'This token is disabled', zh: '该令牌状态不可用' },
  user_banned: { status: 403, type: permission, en: 'User has been banned', zh: '用户已被封禁' },
  ip_not_allowed: {
    status: 403,
    type: permission,
    en: 'Your IP address is not in the list that this token allows',
    zh: '您的 IP 不在令牌允许访问的列表中',
  },
  channel_pinning_forbidden: {
    status: 403,
    type: permission,
    en: 'Only administrators may name a channel in the key',
    zh: '普通用户不支持指定渠道',
  },
  invalid_channel_id: { status: 400, type: invalid, en: 'Invalid channel ID', zh: '无效的渠道 Id' },
  channel_disabled: { status: 403, type: permission, en: 'This channel has been disabled', zh: '该渠道已被禁用' },
  group_not_allowed: { status: 403, type: permission, en: 'Group {group} may not be used', zh: '无权使用分组 {group}' },
  // The request
  invalid_json: { status: 400, type: invalid, en: 'The body is not valid JSON: {reason}', zh: '请求体不是合法的 JSON：{reason}' },
  invalid_request: { status: 400, type: invalid, en: '{reason}', zh: '{reason}' },
  body_too_large: { status: 413, type: invalid, en: 'The body is larger than {limit} bytes', zh: '请求体超过 {limit} 字节' },
  url_too_long: { status: 414, type: invalid, en: 'The address is longer than {limit} bytes', zh: '请求地址超过 {limit} 字节' },
  content_encoding_refused: {
    status: 415,
    type: invalid,
    en: 'Compressed bodies are not accepted; send the body without Content-Encoding',
    zh: '不接受压缩的请求体，请去掉 Content-Encoding',
  },
  form_needed: {
    status: 415,
    type: invalid,
    en: 'The body must be a form: Content-Type multipart/form-data',
    zh: '请求体必须是表单：Content-Type 为 multipart/form-data',
  },
  invalid_form: { status: 400, type: invalid, en: 'The body is not a valid form: {reason}', zh: '请求体不是合法的表单：{reason}' },
  sensitive_words_detected: {
    status: 400,
    type: invalid,
    en: 'The request contains words that this site does not allow',
    zh: '请求包含敏感词',
  },
  model_not_found: {
    status: 404,
    type: invalid,
    en: 'The model {model} does not exist or this token may not use it',
    zh: '模型 {model} 不存在，或该令牌无权访问',
  },
  unpriced_model: {
    status: 400,
    type: invalid,
    en: 'The model {model} has no price yet; ask the administrator to set one',
    zh: '模型 {model} 尚未设置价格，请联系管理员',
  },
  unpriced_request_field: {
    status: 400,
    type: invalid,
    en: '{field} changes the price of a call and has no price here: leave it out, or ask the administrator to set one',
    zh: '{field} 会改变调用的价格，且尚未定价：请去掉该参数，或联系管理员设置价格',
  },
  mode_not_supported: {
    status: 400,
    type: invalid,
    en: 'The channel for model {model} does not offer {mode}',
    zh: '模型 {model} 的渠道不支持 {mode}',
  },
  // Drawings and music
  drawing_disabled: { status: 403, type: permission, en: 'Drawing is switched off on this site', zh: '本站未启用绘图功能' },
  tasks_disabled: { status: 403, type: permission, en: 'Music tasks are switched off on this site', zh: '本站未启用异步任务功能' },
  drawing_mode_not_allowed: {
    status: 403,
    type: permission,
    en: 'This token may not draw in mode {mode}',
    zh: '该令牌无权使用 {mode} 绘图模式',
  },
  task_not_found: { status: 400, type: invalid, en: 'task_not_found: there is no such task of yours', zh: 'task_not_found：任务不存在' },
  task_not_finished: {
    status: 400,
    type: invalid,
    en: 'task_status_not_success: the task has not succeeded yet',
    zh: 'task_status_not_success：任务尚未成功',
  },
  task_channel_disabled: {
    status: 400,
    type: invalid,
    en: 'The channel that this task belongs to has been disabled',
    zh: '该任务所属渠道已被禁用',
  },
  image_link_invalid: { status: 403, type: permission, en: 'This link to a picture is wrong or has expired', zh: '图片链接无效或已过期' },
  image_unavailable: { status: 502, type: 'upstream_error', en: 'The picture could not be fetched', zh: '获取图片失败' },
  callback_refused: { status: 403, type: permission, en: 'The secret of this callback is wrong', zh: '回调密钥错误' },
  not_found: { status: 404, type: invalid, en: 'Invalid URL ({method} {path})', zh: '无效的地址（{method} {path}）' },
  method_not_allowed: { status: 405, type: invalid, en: '{method} is not allowed here', zh: '不支持 {method} 方法' },
  not_implemented: { status: 501, type: invalid, en: 'This API is not available here', zh: '该接口尚未提供' },
  // Money and limits
  insufficient_user_quota: {
    status: 403,
    type: 'insufficient_quota',
    en: 'Insufficient user quota: {available} left, {needed} needed',
    zh: '用户额度不足，剩余 {available}，需要 {needed}',
  },
  insufficient_token_quota: {
    status: 403,
    type: 'insufficient_quota',
    en: 'Insufficient token quota: {available} left, {needed} needed',
    zh: '令牌额度不足，剩余 {available}，需要 {needed}',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    en: 'Too many requests: at most {limit} in {minutes} minute(s)',
    zh: '您已达到请求数限制：{minutes} 分钟内最多请求 {limit} 次',
  },
  // Upstream
  upstream_saturated: {
    status: 429,
    type: 'upstream_error',
    en: 'Current group upstream load is saturated, please try again later',
    zh: '当前分组上游负载已饱和，请稍后再试',
  },
  no_available_channel: {
    status: 503,
    type: 'upstream_error',
    en: 'No available channels for model {model} in group {group} right now',
    zh: '当前分组 {group} 下对于模型 {model} 无可用渠道',
  },
  upstream_error: { status: 502, type: 'upstream_error', en: '{reason}', zh: '{reason}' },
  upstream_unreachable: { status: 502, type: 'upstream_error', en: 'The upstream provider could not be reached', zh: '请求上游失败' },
  upstream_timeout: { status: 504, type: 'upstream_error', en: 'The upstream provider did not answer in time', zh: '上游响应超时' },
  upstream_bad_answer: {
    status: 502,
    type: 'upstream_error',
    en: 'The upstream provider sent an answer that cannot be read',
    zh: '上游返回了无法解析的内容',
  },
  upstream_interrupted: {
    status: 502,
    type: 'upstream_error',
    en: 'The upstream provider broke off in the middle of the answer',
    zh: '上游在回答过程中断开',
  },
  egress_refused: {
    status: 403,
    type: permission,
    en: 'The address {host} is in a private range; EGRESS_ALLOW must name it',
    zh: '地址 {host} 属于内网，需在 EGRESS_ALLOW 中放行',
  },
  // Us
  service_unavailable: {
    status: 503,
    type: 'server_error',
    en: 'The service is not available right now, please try again soon',
    zh: '服务暂时不可用，请稍后重试',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    en: 'Server internal error, contact the administrator',
    zh: '服务器内部错误，请联系管理员',
  },
  // Console: sign-in
  not_logged_in: {
    status: 401,
    type: auth,
    en: 'Not logged in or session expired, please login again',
    zh: '未登录或登录已过期，请重新登录',
  },
  user_id_mismatch: {
    status: 401,
    type: auth,
    en: 'The New-Api-User header does not match the signed-in user',
    zh: 'New-Api-User 与登录用户不匹配，请重新登录',
  },
  invalid_access_token: { status: 200, type: auth, en: 'Invalid access token', zh: '无权进行此操作，access token 无效' },
  data_export_off: { status: 200, type: permission, en: 'The administrator has turned usage statistics off', zh: '管理员未开启数据看板' },
  insufficient_role: { status: 200, type: permission, en: 'You are not allowed to do this', zh: '无权进行此操作，权限不足' },
  same_or_higher_rank: {
    status: 200,
    type: permission,
    en: 'A user of the same or a higher rank cannot be viewed or changed',
    zh: '无权操作同权限等级或更高权限等级的用户',
  },
  wrong_credentials: {
    status: 200,
    type: auth,
    en: 'Username or password is incorrect, or user has been banned',
    zh: '用户名或密码错误，或用户已被封禁',
  },
  password_login_disabled: { status: 200, type: permission, en: 'Administrator has disabled password login', zh: '管理员关闭了密码登录' },
  wrong_original_password: { status: 200, type: auth, en: 'The current password is not correct', zh: '原密码错误' },
  password_must_change: {
    status: 200,
    type: permission,
    en: 'This password was only for the first sign-in; choose your own before anything else',
    zh: '初始密码仅供首次登录使用，请先修改密码',
  },
  factory_password_refused: {
    status: 200,
    type: permission,
    en: 'Everybody knows the factory password: it works on loopback only. Start once with HOST=127.0.0.1 and change it',
    zh: '默认密码众所周知，仅可在本机回环地址使用；请以 HOST=127.0.0.1 启动一次并修改密码',
  },
  unknown_host: {
    status: 421,
    type: permission,
    en: 'The console does not answer to the host {host}; the setting CONSOLE_HOSTS or the option ServerAddress must name it',
    zh: '控制台不响应主机名 {host}，请在设置 CONSOLE_HOSTS 或选项 ServerAddress 中指定该主机名',
  },
  too_many_requests: {
    status: 429,
    type: 'rate_limit_error',
    en: 'Too many requests, please try again later',
    zh: '请求次数过多，请稍后再试',
  },
  turnstile_failed: {
    status: 200,
    type: permission,
    en: 'Please solve the challenge that tells people from programs, and try again',
    zh: 'Turnstile 校验失败，请刷新重试！',
  },
  origin_refused: {
    status: 403,
    type: permission,
    en: 'This request came from another site and was refused',
    zh: '该请求来自其他站点，已被拒绝',
  },
  // Console: ways in
  registration_disabled: {
    status: 200,
    type: permission,
    en: 'Administrator has disabled new user registration',
    zh: '管理员关闭了新用户注册',
  },
  password_registration_disabled: {
    status: 200,
    type: permission,
    en: 'Administrator has disabled password registration, please use third-party verification',
    zh: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
  },
  email_and_code_needed: {
    status: 200,
    type: invalid,
    en: 'E-mail addresses are verified here: enter yours, and the code that is mailed to it',
    zh: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
  },
  wrong_verification_code: {
    status: 200,
    type: invalid,
    en: 'Verification code is incorrect or expired',
    zh: '验证码错误或已过期',
  },
  email_taken: { status: 200, type: invalid, en: 'Email address is already in use', zh: '邮箱地址已被占用' },
  email_unknown: { status: 200, type: invalid, en: 'This email address is not registered', zh: '该邮箱地址未注册' },
  email_domain_refused: {
    status: 200,
    type: invalid,
    en: 'E-mail addresses are accepted only of {domains}',
    zh: '仅接受以下域名的邮箱地址：{domains}',
  },
  email_alias_refused: {
    status: 200,
    type: invalid,
    en: 'Alias addresses are not accepted: there may be neither + nor . before the @',
    zh: '不接受邮箱别名：@ 之前不能包含 + 或 .',
  },
  reset_link_invalid: { status: 200, type: invalid, en: 'Reset link is invalid or expired', zh: '重置链接非法或已过期' },
  mail_not_set_up: {
    status: 200,
    type: invalid,
    en: 'No mail can be sent yet: the administrator must set {needed} first',
    zh: '暂时无法发送邮件，请管理员先填写 {needed}',
  },
  webhook_failed: {
    status: 200,
    type: 'upstream_error',
    en: 'The webhook could not be called: {reason}',
    zh: 'Webhook 调用失败：{reason}',
  },
  mail_refused: {
    status: 200,
    type: 'upstream_error',
    en: 'The mail could not be sent: {reason}',
    zh: '邮件发送失败：{reason}',
  },
  oauth_state_invalid: {
    status: 200,
    type: permission,
    en: 'This sign-in was not begun in this browser, or too long ago; begin again',
    zh: 'state 参数为空、已使用或不一致，请重新登录',
  },
  provider_disabled: {
    status: 200,
    type: permission,
    en: 'The administrator has not enabled sign-in through {provider}',
    zh: '管理员未开启通过 {provider} 登录以及注册',
  },
  provider_unreachable: {
    status: 200,
    type: 'upstream_error',
    en: '{provider} cannot be reached right now, please try again later',
    zh: '无法连接至 {provider} 服务器，请稍后重试',
  },
  provider_refused: {
    status: 200,
    type: 'upstream_error',
    en: '{provider} did not confirm who you are; please begin again',
    zh: '{provider} 未能确认您的身份，请重新登录',
  },
  provider_denied: {
    status: 200,
    type: permission,
    en: '{provider} did not let you through, or you did not agree there',
    zh: '您未在 {provider} 完成授权，或授权被拒绝',
  },
  provider_account_restricted: {
    status: 200,
    type: permission,
    en: 'This {provider} account is not active or is silenced there',
    zh: '该 {provider} 账户未激活或已被禁言',
  },
  trust_level_too_low: {
    status: 200,
    type: permission,
    en: 'New accounts need at least trust level {needed} at {provider}',
    zh: '{provider} 信任等级未达到管理员设置的最低要求 {needed}',
  },
  sign_in_data_invalid: {
    status: 200,
    type: auth,
    en: 'What {provider} sent is not genuine, too old or used already; please begin again',
    zh: '无效的请求：{provider} 的登录信息不正确、已过期或已被使用',
  },
  already_bound: { status: 200, type: invalid, en: 'This {provider} account is already bound', zh: '该 {provider} 账户已被绑定' },
  not_bound: {
    status: 200,
    type: invalid,
    en: 'No account here is bound to this {provider} account: sign in another way, and bind it first',
    zh: '该 {provider} 账户未绑定，请先使用其他方式登录后绑定',
  },
  account_closed: { status: 200, type: permission, en: 'This account was deleted', zh: '用户已注销' },
  last_way_in: {
    status: 200,
    type: invalid,
    en: 'This is the only way into the account; set a password or bind another one first',
    zh: '这是登录该账户的唯一方式，请先设置密码或绑定其他方式',
  },
  transfer_too_small: { status: 200, type: invalid, en: 'Transfer amount minimum is {minimum}', zh: '转移额度最小为 {minimum}' },
  insufficient_invite_quota: { status: 200, type: invalid, en: 'Invitations have earned less than that', zh: '邀请额度不足' },
  // Console: everything else
  invalid_parameter: { status: 200, type: invalid, en: 'Invalid parameter: {reason}', zh: '无效的参数：{reason}' },
  invalid_input: { status: 200, type: invalid, en: 'Invalid input: {reason}', zh: '输入不合法：{reason}' },
  query_too_broad: {
    status: 200,
    type: invalid,
    en: 'The search takes too long; narrow it by time, user, model or channel',
    zh: '查询耗时过长，请按时间、用户、模型或渠道缩小范围',
  },
  conflict: {
    status: 200,
    type: invalid,
    en: 'Somebody else has changed the same meanwhile; look at what stands there now',
    zh: '其他人同时修改了相同的内容，请先查看最新的值',
  },
  unknown_group: { status: 200, type: invalid, en: 'There is no group {group}', zh: '不存在分组 {group}' },
  record_not_found: { status: 200, type: invalid, en: 'Record not found', zh: '记录不存在' },
  username_taken: { status: 200, type: invalid, en: 'This username is already in use', zh: '用户名已存在，或已注销' },
  root_protected: {
    status: 200,
    type: permission,
    en: 'The super administrator cannot be disabled, deleted or demoted',
    zh: '无法禁用、删除或降级超级管理员',
  },
  only_root_promotes: {
    status: 200,
    type: permission,
    en: 'Only the super administrator may promote users',
    zh: '普通管理员用户无法提升其他用户为管理员',
  },
  already_admin: { status: 200, type: invalid, en: 'This user is an administrator already', zh: '该用户已经是管理员' },
  already_common_user: { status: 200, type: invalid, en: 'This user is a common user already', zh: '该用户已经是普通用户' },
  root_cannot_leave: {
    status: 200,
    type: permission,
    en: 'The super administrator account cannot be deleted',
    zh: '不能删除超级管理员账户',
  },
  too_many_selected: {
    status: 200,
    type: invalid,
    en: 'More than {limit} rows match: narrow the filter',
    zh: '匹配的记录超过 {limit} 条，请缩小筛选范围',
  },
  channel_needs_expiry: {
    status: 200,
    type: invalid,
    en: 'The channel has expired: give it a later expiry time, or none, before it is enabled',
    zh: '该渠道已过期，请先修改过期时间或设为永不过期，再启用',
  },
  request_too_long: {
    status: 400,
    type: invalid,
    en: 'The request has about {tokens} tokens; the channels for model {model} take at most {limit}',
    zh: '请求约有 {tokens} 个 token，模型 {model} 的渠道最多接受 {limit} 个',
  },
  too_many_tokens: { status: 200, type: invalid, en: 'A user may have at most {limit} tokens', zh: '每个用户最多可创建 {limit} 个令牌' },
  channel_needs_key: {
    status: 200,
    type: permission,
    en: 'The stored key is not sent to another address; enter the key again',
    zh: '更改上游地址时不会沿用已保存的密钥，请重新输入密钥',
  },
  channel_type_unbuilt: {
    status: 200,
    type: invalid,
    en: 'Channels of the type {name} are not built yet',
    zh: '尚不支持类型为 {name} 的渠道',
  },
  channel_key_malformed: {
    status: 200,
    type: invalid,
    en: 'The key of a channel of the type {name} must have the form {form}',
    zh: '类型为 {name} 的渠道密钥格式应为 {form}',
  },
  setting_unbuilt: {
    status: 200,
    type: invalid,
    en: 'The setting {name} is not built yet: calls would go without it',
    zh: '尚不支持设置项 {name}，保存后不会生效',
  },
  address_needs_https: {
    status: 200,
    type: invalid,
    en: 'The address must begin with https://, unless EGRESS_ALLOW names its host and an administrator sets it',
    zh: '地址必须以 https:// 开头；仅当管理员设置且 EGRESS_ALLOW 包含该主机时才可使用 http://',
  },
  channel_test_failed: { status: 200, type: 'upstream_error', en: '{reason}', zh: '{reason}' },
  channel_test_running: { status: 200, type: invalid, en: 'Test is already running', zh: '测试已在运行中' },
  channel_type_untestable: { status: 200, type: invalid, en: 'Channels of this type cannot be tested', zh: '该类型渠道不支持测试' },
  upstream_balance_unknown: {
    status: 200,
    type: 'upstream_error',
    en: 'The balance could not be read from upstream: {reason}',
    zh: '获取上游余额失败：{reason}',
  },
  upstream_models_unknown: {
    status: 200,
    type: 'upstream_error',
    en: 'The list of models could not be read from upstream: {reason}',
    zh: '获取上游模型列表失败：{reason}',
  },
  job_running: { status: 200, type: invalid, en: 'This job runs or waits already', zh: '该任务正在运行或等待中' },
  token_name_too_long: { status: 200, type: invalid, en: 'Token name is too long', zh: '令牌名称过长' },
  token_needs_expiry: {
    status: 200,
    type: invalid,
    en: 'The token has expired; change its expiry first',
    zh: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
  },
  token_needs_quota: {
    status: 200,
    type: invalid,
    en: 'The token has no quota left; add quota or make it unlimited first',
    zh: '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
  },
  invalid_redemption_code: { status: 200, type: invalid, en: 'Invalid redemption code', zh: '无效的兑换码' },
  redemption_code_used: { status: 200, type: invalid, en: 'This redemption code has been used', zh: '该兑换码已被使用' },
  redemption_code_disabled: {
    status: 200,
    type: invalid,
    en: 'The code is disabled; enable it before you change it',
    zh: '该兑换码已被禁用，请先启用再修改',
  },
  online_topup_disabled: {
    status: 200,
    type: invalid,
    en: 'The administrator has not enabled online top-up',
    zh: '管理员未开启在线充值！',
  },
  payment_failed: {
    status: 200,
    type: invalid,
    en: 'The payment service did not take the order; try again later',
    zh: '拉起支付失败，请稍后再试',
  },
  topup_below_minimum: { status: 200, type: invalid, en: 'The amount must be at least {minimum}', zh: '充值数量不能小于 {minimum}' },
  topup_too_low: { status: 200, type: invalid, en: 'The amount is too low to be paid', zh: '充值金额过低' },
  topup_too_high: { status: 200, type: invalid, en: 'The amount is too high', zh: '充值金额过高' },
  unknown_option: { status: 200, type: invalid, en: 'There is no option {key}', zh: '不存在的配置项 {key}' },
  invalid_option: { status: 200, type: invalid, en: 'The value of {key} is not valid: {reason}', zh: '{key} 的值不合法：{reason}' },
  option_needs: {
    status: 200,
    type: invalid,
    en: '{key} cannot be enabled before {needed} is set',
    zh: '无法启用 {key}，请先填写 {needed}',
  },
  server_address_first: { status: 200, type: invalid, en: 'Please fill in the server address first', zh: '请先填写服务器地址' },
  options_refused: {
    status: 200,
    type: invalid,
    en: 'Nothing was saved: {reason}',
    zh: '未保存任何更改：{reason}',
  },
  options_partly_saved: { status: 200, type: invalid, en: 'Some saves failed: {reason}', zh: '部分保存失败：{reason}' },
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
export type Language = 'en' | 'zh';

/** The words of an error, with its details put in. */
export function errorMessage(code: ErrorCode, details: Readonly<Record<string, string | number>> = {}, language: Language = 'en'): string {
  return errorCatalogue[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => String(details[name] ?? whole));
}
