import { type ErrorEntry, invalid } from './entry.ts';

/** Of what the Responses API keeps between two calls. */
export const storedErrors = {
  previous_response_not_found: {
    status: 404,
    type: invalid,
    en: "Previous response with id '{id}' not found.",
    zh: '未找到 ID 为 {id} 的上一个响应',
  },
  stored_object_not_found: {
    status: 404,
    type: invalid,
    code: 'not_found',
    en: "{what} with id '{id}' not found.",
    zh: '未找到 ID 为 {id} 的 {what}',
  },
  item_not_stored: {
    status: 404,
    type: invalid,
    code: 'not_found',
    en: "Item with id '{id}' not found. Items are not persisted when `store` is set to false: send the item itself, or set `store` to true.",
    zh: '未找到 ID 为 {id} 的条目。store 为 false 时不会保存条目：请直接发送该条目，或将 store 设为 true',
  },
  storing_disabled: {
    status: 400,
    type: invalid,
    en: 'Responses are not stored on this site: send the whole conversation as input',
    zh: '本站不存储响应：请在 input 中发送完整的对话',
  },
  response_not_in_background: {
    status: 400,
    type: invalid,
    en: 'Only a response that was created with background=true can be {action}',
    zh: '只有以 background=true 创建的响应才能执行此操作：{action}',
  },
  response_in_progress: {
    status: 400,
    type: invalid,
    en: "The response with id '{id}' has not ended yet",
    zh: 'ID 为 {id} 的响应尚未结束',
  },
} satisfies Record<string, ErrorEntry>;
