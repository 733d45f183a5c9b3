import { flag, integer } from './kinds.ts';

/** What the Responses API keeps for users between two calls. */
export const storedResponseOptions = {
  StoreResponsesEnabled: flag(
    {
      section: 'responses',
      label: { en: 'Store responses', zh: '存储响应' },
      help: {
        en: 'Callers of the Responses API may continue a stored response or conversation. Encrypted; never stored when a call sends store=false.',
        zh: '允许 Responses API 的调用方继续已存储的响应或会话。内容加密保存；请求中 store=false 时不保存。',
      },
    },
    true,
  ),
  StoredResponseDays: integer(
    {
      section: 'responses',
      label: { en: 'Keep stored responses for', zh: '存储响应的保留时间' },
      help: {
        en: 'Deletes a response this long after it was stored, and a conversation this long after its last turn.',
        zh: '响应在存储后、会话在最后一次使用后，超过该时间即删除。',
      },
      unit: 'days',
    },
    30,
    { min: 1, max: 365 },
  ),
  StoredResponseMegabytes: integer(
    {
      section: 'responses',
      label: { en: 'Stored responses per user', zh: '每个用户的存储上限' },
      help: {
        en: "The most that one user's stored responses and conversations may take. Beyond it, the oldest are deleted.",
        zh: '每个用户的存储响应与会话最多占用的空间；超出时删除最早的内容。',
      },
      unit: 'megabytes',
    },
    100,
    { min: 1, max: 100_000 },
  ),
};
