import { auth, type ErrorEntry, permission } from './entry.ts';

/** Of signing in to the console, and of being there. */
export const signInErrors = {
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
  original_password_needed: {
    status: 200,
    type: auth,
    en: 'The current password is missing: send it as original_password, or send a two-factor code as code',
    zh: '缺少当前密码：请在 original_password 中提供当前密码，或在 code 中提供两步验证码',
  },
  wrong_original_password: { status: 200, type: auth, en: 'The current password is incorrect', zh: '当前密码错误' },
  password_must_change: {
    status: 200,
    type: permission,
    en: 'This password is temporary: set your own password first',
    zh: '临时密码仅供本次登录使用，请先修改密码',
  },
  factory_password_refused: {
    status: 200,
    type: permission,
    en: 'The default password is publicly known and works only on loopback. Start once with HOST=127.0.0.1 and change it',
    zh: '默认密码众所周知，仅可在本机回环地址使用；请以 HOST=127.0.0.1 启动一次并修改密码',
  },
  unknown_host: {
    status: 421,
    type: permission,
    en: 'The console does not serve the host {host}; add it to the setting CONSOLE_HOSTS or the option ServerAddress',
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
    en: 'Turnstile verification failed, please refresh the page and try again',
    zh: 'Turnstile 校验失败，请刷新重试！',
  },
  origin_refused: {
    status: 403,
    type: permission,
    en: 'This request came from another site ({origin}) and was refused: the console was reached as {host}. Behind a proxy, forward the Host header or set ServerAddress',
    zh: '该请求来自其他站点（{origin}），已被拒绝：控制台收到的主机名是 {host}。若使用反向代理，请转发 Host 请求头或设置 ServerAddress',
  },
  navigation_refused: {
    status: 403,
    type: permission,
    en: 'This URL is for scripts only: send the header New-Api-User, X-Requested-With or Accept: application/json',
    zh: '该地址仅供脚本调用：请发送请求头 New-Api-User、X-Requested-With 或 Accept: application/json',
  },
} satisfies Record<string, ErrorEntry>;
