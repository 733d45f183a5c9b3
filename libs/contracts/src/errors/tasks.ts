import { type ErrorEntry, invalid, permission } from './entry.ts';

/** Of drawings and music. */
export const taskErrors = {
  drawing_disabled: { status: 403, type: permission, en: 'Drawing is turned off on this site', zh: '本站未启用绘图功能' },
  tasks_disabled: { status: 403, type: permission, en: 'Music tasks are turned off on this site', zh: '本站未启用异步任务功能' },
  drawing_mode_not_allowed: {
    status: 403,
    type: permission,
    en: 'This token does not allow the drawing mode {mode}',
    zh: '该令牌无权使用 {mode} 绘图模式',
  },
  task_not_found: {
    status: 400,
    type: invalid,
    en: 'task_not_found: the task does not exist or belongs to another user',
    zh: 'task_not_found：任务不存在',
  },
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
  image_link_invalid: { status: 403, type: permission, en: 'This image link is invalid or has expired', zh: '图片链接无效或已过期' },
  image_unavailable: { status: 502, type: 'upstream_error', en: 'The image could not be loaded', zh: '获取图片失败' },
  callback_refused: { status: 403, type: permission, en: 'The callback secret is incorrect', zh: '回调密钥错误' },
  not_found: {
    status: 404,
    type: invalid,
    en: 'Invalid URL ({method} {path}): this API is served at {right}',
    zh: '无效的地址（{method} {path}）：该接口的地址为 {right}',
  },
  method_not_allowed: { status: 405, type: invalid, en: '{method} is not allowed here', zh: '不支持 {method} 方法' },
  upgrade_needed: {
    status: 426,
    type: invalid,
    en: 'This URL is a WebSocket: connect with wss://',
    zh: '该地址为 WebSocket，请使用 wss:// 连接',
  },
  session_over: {
    status: 408,
    type: invalid,
    en: 'The session reached its maximum duration or idle time',
    zh: '会话已达到最长时限或最长空闲时间',
  },
  not_implemented: {
    status: 501,
    type: invalid,
    en: 'This API is not available here ({method} {path})',
    zh: '该接口尚未提供（{method} {path}）',
  },
  thread_unsupported_request: {
    status: 400,
    type: invalid,
    en: 'thread is not supported: responses are not stored, so send the whole conversation',
    zh: '不支持 thread：不保存回答，请发送完整对话',
  },
} satisfies Record<string, ErrorEntry>;
