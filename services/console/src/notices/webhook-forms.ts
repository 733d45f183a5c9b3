import { createHmac } from 'node:crypto';
import type { WebhookForm } from '@tollgate/contracts/webhook-forms';
import { filled, type Notice } from './words.ts';

export interface WebhookCall {
  url: string;
  body: object;
  headers?: Record<string, string>;
}

interface Form {
  call(webhook: { url: string; secret: string }, notice: Notice): WebhookCall;
  /** For services that answer a refusal with 200: the fields that hold the result, and their value for success. */
  verdict?: { fields: readonly string[]; good: number | true };
}

const errcode = { fields: ['errcode'], good: 0 } as const;
const textOf = (notice: Notice): string => `${notice.title}\n${filled(notice)}`;

/** The request that each service takes, with its source as of November 2026. */
export const webhookForms: Record<WebhookForm, Form> = {
  json: {
    call({ url, secret }, { type, title, content, values }) {
      const body = { type, title, content, values, timestamp: Math.floor(Date.now() / 1000) };
      if (secret === '') return { url, body };
      const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
      return { url, body, headers: { 'x-webhook-signature': signature, authorization: `Bearer ${secret}` } };
    },
  },
  // https://developer.work.weixin.qq.com/document/path/91770
  wecom: {
    call: ({ url }, notice) => ({ url, body: { msgtype: 'text', text: { content: textOf(notice) } } }),
    verdict: errcode,
  },
  // https://open.dingtalk.com/document/robots/customize-robot-security-settings
  dingtalk: {
    call({ url, secret }, notice) {
      const body = { msgtype: 'text', text: { content: textOf(notice) } };
      if (secret === '') return { url, body };
      const timestamp = String(Date.now());
      const sign = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
      return { url: withQuery(url, { timestamp, sign }), body };
    },
    verdict: errcode,
  },
  // https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: the key is the time and the secret, the message is empty.
  feishu: {
    call({ url, secret }, notice) {
      const body = { msg_type: 'text', content: { text: textOf(notice) } };
      if (secret === '') return { url, body };
      const timestamp = String(Math.floor(Date.now() / 1000));
      return { url, body: { timestamp, sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64'), ...body } };
    },
    verdict: { fields: ['code', 'StatusCode'], good: 0 },
  },
  // https://docs.slack.dev/messaging/formatting-message-text: these three characters are its markup.
  slack: {
    call: ({ url }, notice) => ({
      url,
      body: { text: textOf(notice).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') },
    }),
  },
  // https://docs.discord.com/developers/resources/webhook#execute-webhook: at most 2000 characters, and no one is pinged.
  discord: {
    call: ({ url }, notice) => ({ url, body: { content: textOf(notice).slice(0, 2000), allowed_mentions: { parse: [] } } }),
  },
  // https://core.telegram.org/bots/api#sendmessage: the address of the method, with `chat_id` in its query.
  telegram: {
    call({ url }, notice) {
      const address = new URL(url);
      const chat_id = address.searchParams.get('chat_id') ?? '';
      address.search = '';
      return { url: address.href, body: { chat_id, text: textOf(notice).slice(0, 4096) } };
    },
    verdict: { fields: ['ok'], good: true },
  },
  // https://github.com/Finb/bark-server/blob/master/docs/API_V2.md: the address that the app shows, with the key of the device.
  bark: {
    call: ({ url }, notice) => ({ url, body: { title: notice.title, body: filled(notice) } }),
    verdict: { fields: ['code'], good: 200 },
  },
  // https://gotify.net/docs/pushmsg: the secret is the application's token.
  gotify: {
    call: ({ url, secret }, notice) => ({
      url: /\/message\/?$/.test(new URL(url).pathname) ? url : new URL('message', url.endsWith('/') ? url : `${url}/`).href,
      body: { title: notice.title, message: filled(notice), priority: 5 },
      ...(secret !== '' && { headers: { 'x-gotify-key': secret } }),
    }),
  },
  // https://docs.ntfy.sh/publish/#publish-as-json: JSON goes to the root of the server, and names the topic.
  ntfy: {
    call({ url, secret }, notice) {
      const address = new URL(url);
      const [, path = '/', topic = ''] = /^(.*\/)([^/]*)\/?$/.exec(address.pathname) ?? [];
      return {
        url: new URL(path, address).href,
        body: { topic, title: notice.title, message: filled(notice) },
        ...(secret !== '' && { headers: { authorization: `Bearer ${secret}` } }),
      };
    },
  },
};

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
