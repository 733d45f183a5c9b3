import { auth, type ErrorEntry, invalid, permission } from './entry.ts';

/** Of a call: its credentials, its request, its money, its provider, and us. */
export const callErrors = {
  // Credentials of an API call
  missing_api_key: {
    status: 401,
    type: auth,
    en: 'Missing API key. Send it in the header "Authorization: Bearer sk-..."',
    zh: '未提供令牌，请通过请求头 "Authorization: Bearer sk-..." 发送',
  },
  invalid_api_key: { status: 401, type: auth, en: 'Invalid token', zh: '无效的令牌' },
  foreign_api_key: {
    status: 401,
    type: auth,
    code: 'invalid_api_key',
    en: 'Invalid token: use an API key that this gateway issued, not one of a provider',
    zh: '无效的令牌：请使用本站签发的令牌，而不是上游服务商的密钥',
  },
  token_expired: { status: 401, type: auth, en: 'Token has expired', zh: '该令牌已过期' },
  token_disabled: { status: 401, type: auth, en: 'This token is disabled', zh: '该令牌状态不可用' },
  user_banned: { status: 403, type: permission, en: 'User has been banned', zh: '用户已被封禁' },
  ip_not_allowed: {
    status: 403,
    type: permission,
    en: 'This token does not allow your IP address',
    zh: '您的 IP 不在令牌允许访问的列表中',
  },
  channel_pinning_forbidden: {
    status: 403,
    type: permission,
    en: 'Only administrators may select a channel in the API key',
    zh: '普通用户不支持指定渠道',
  },
  invalid_channel_id: { status: 400, type: invalid, en: 'Invalid channel ID', zh: '无效的渠道 ID' },
  channel_disabled: { status: 403, type: permission, en: 'This channel has been disabled', zh: '该渠道已被禁用' },
  group_not_allowed: { status: 403, type: permission, en: 'You may not use the group {group}', zh: '无权使用分组 {group}' },
  // The request
  invalid_json: { status: 400, type: invalid, en: 'The body is not valid JSON: {reason}', zh: '请求体不是合法的 JSON：{reason}' },
  invalid_request: { status: 400, type: invalid, en: '{reason}', zh: '{reason}' },
  body_too_large: { status: 413, type: invalid, en: 'The body is larger than {limit} bytes', zh: '请求体超过 {limit} 字节' },
  url_too_long: { status: 414, type: invalid, en: 'The URL is longer than {limit} bytes', zh: '请求地址超过 {limit} 字节' },
  content_encoding_refused: {
    status: 415,
    type: invalid,
    en: 'Unsupported Content-Encoding (accepted: {accepted})',
    zh: '不支持的 Content-Encoding（可用：{accepted}）',
  },
  broken_encoding: {
    status: 400,
    type: invalid,
    en: 'The body does not match its Content-Encoding {encoding}',
    zh: '请求体与其 Content-Encoding {encoding} 不符',
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
    en: 'The request contains blocked words',
    zh: '请求包含屏蔽词',
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
    en: '{field} affects the price of a call and has no price yet: remove it, or ask the administrator to set one (option RequestFieldRatio; for tools also PiecePrice of the model)',
    zh: '{field} 会改变调用的价格，且尚未定价：请去掉该参数，或联系管理员设置价格（选项 RequestFieldRatio，工具也可用模型的 PiecePrice）',
  },
  mode_not_supported: {
    status: 400,
    type: invalid,
    en: 'The channel for model {model} does not support {mode}',
    zh: '模型 {model} 的渠道不支持 {mode}',
  },
  // Money and limits
  insufficient_user_quota: {
    status: 403,
    type: 'insufficient_quota',
    en: 'Insufficient user quota: {available} left, {needed} needed',
    zh: '用户额度不足，剩余 {available}，需要 {needed}',
  },
  token_quota_depleted: { status: 403, type: 'insufficient_quota', en: 'Token quota is depleted', zh: '该令牌额度已用尽' },
  insufficient_token_quota: {
    status: 403,
    type: 'insufficient_quota',
    en: 'Insufficient token quota: {available} left, {needed} needed',
    zh: '令牌额度不足，剩余 {available}，需要 {needed}',
  },
  budget_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    en: 'Budget "{name}" reached: {used} of {amount} used, {needed} needed; try again after {reset}',
    zh: '预算“{name}”已达上限：已用 {used}，上限 {amount}，本次需要 {needed}，将于 {reset} 恢复',
  },
  budget_used_up: {
    status: 403,
    type: 'insufficient_quota',
    en: 'Budget "{name}" has no room for this request: {used} of {amount} used, {needed} needed; a retry will not succeed',
    zh: '预算“{name}”不足以完成本次请求：已用 {used}，上限 {amount}，本次需要 {needed}，等待无法恢复',
  },
  run_ceiling_reached: {
    status: 403,
    type: 'insufficient_quota',
    en: 'The {name} has reached its ceiling: {used} of {amount} used, {needed} needed. It can go on once its owner raises the ceiling',
    zh: '{name} 已达到运行上限：已用 {used}，上限 {amount}，本次需要 {needed}。所有者提高上限后即可继续',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    en: 'Rate limit reached: {name} of the {subject} is {limit}, {used} used; try again in {seconds} s',
    zh: '已达到速率限制：{subject} 的 {name} 上限为 {limit}，已用 {used}，请在 {seconds} 秒后重试',
  },
  call_beyond_limit: {
    status: 429,
    type: 'rate_limit_error',
    en: 'Request too large: it may use {needed} tokens, and {name} of the {subject} is {limit}',
    zh: '请求过大：最多可能使用 {needed} 个 token，而 {subject} 的 {name} 上限为 {limit}',
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
  upstream_unreachable: { status: 502, type: 'upstream_error', en: 'The upstream provider is unreachable', zh: '请求上游失败' },
  upstream_timeout: { status: 504, type: 'upstream_error', en: 'The upstream provider did not respond in time', zh: '上游响应超时' },
  upstream_bad_answer: {
    status: 502,
    type: 'upstream_error',
    en: 'The upstream provider sent an invalid response',
    zh: '上游返回了无法解析的内容',
  },
  upstream_interrupted: {
    status: 502,
    type: 'upstream_error',
    en: 'The upstream provider closed the connection before the response was complete',
    zh: '上游在响应过程中断开连接',
  },
  egress_refused: {
    status: 403,
    type: permission,
    en: 'The address {host} is in a private range; allow it with {setting}',
    zh: '地址 {host} 属于内网，需在 {setting} 中放行',
  },
  // Us
  service_unavailable: {
    status: 503,
    type: 'server_error',
    en: 'The service is unavailable, please try again soon',
    zh: '服务暂时不可用，请稍后重试',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    en: 'The gateway is overloaded, please try again soon',
    zh: '当前请求过多，请稍后重试',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    en: 'Server internal error, contact the administrator',
    zh: '服务器内部错误，请联系管理员',
  },
} satisfies Record<string, ErrorEntry>;
