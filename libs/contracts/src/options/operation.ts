import { z } from 'zod';
import { defaultQuotaPerUnit } from '../constants.ts';
import { address, choice, flag, integer, json, list, number } from './kinds.ts';

const disableKeywords = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
];
const chatLinks = z.array(z.record(z.string().min(1), z.string().min(1)));
const defaultChats: z.infer<typeof chatLinks> = [
  { NextChat: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  { LobeChat: 'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}' },
  {
    'AI as Workspace':
      'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { AMA: 'ama://set-api-key?server={address}&key={key}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];
const supersededByChats = { en: 'Superseded by the chat links below.', zh: '该配置已废弃，请使用下方聊天配置。' };

/** The tab "operation", but for quotas and prices. */
export const operationOptions = {
  // General
  TopUpLink: address({
    section: 'general',
    access: 'public',
    label: { en: 'Recharge link', zh: '充值链接' },
    help: { en: 'Where redemption codes are sold, such as a shop.', zh: '例如发卡网站的购买链接' },
  }),
  ChatLink: address({
    section: 'general',
    access: 'public',
    label: { en: 'Default chat page link', zh: '默认聊天页面链接' },
    help: supersededByChats,
  }),
  ChatLink2: address({
    section: 'general',
    access: 'public',
    label: { en: 'Chat page 2 link', zh: '聊天页面 2 链接' },
    help: supersededByChats,
  }),
  QuotaPerUnit: number(
    {
      section: 'general',
      access: 'public',
      label: { en: 'Quota per USD', zh: '单位美元额度' },
      help: { en: 'How much quota one dollar is, everywhere.', zh: '一美元对应的额度' },
      unit: 'quota',
    },
    defaultQuotaPerUnit,
    { min: 1 },
  ),
  RetryTimes: integer(
    {
      section: 'general',
      label: { en: 'Retries after a failure', zh: '失败重试次数' },
      help: { en: 'How many further channels a call may try.', zh: '请求失败后最多再尝试多少个渠道' },
    },
    0,
    { min: 0, max: 10 },
  ),
  DisplayInCurrencyEnabled: flag(
    { section: 'general', access: 'public', label: { en: 'Display quota as currency', zh: '以货币形式显示额度' } },
    true,
  ),
  DisplayTokenStatEnabled: flag(
    {
      section: 'general',
      label: { en: 'The quota API tells of the token', zh: '额度查询接口返回令牌额度' },
      help: { en: 'Otherwise it tells of the whole account.', zh: '关闭时返回用户额度' },
    },
    true,
  ),
  DefaultCollapseSidebar: flag(
    { section: 'general', access: 'public', label: { en: 'Collapse the sidebar at first', zh: '默认折叠侧边栏' } },
    false,
  ),
  DemoSiteEnabled: flag({ section: 'general', access: 'public', label: { en: 'Demonstration mode', zh: '演示站点模式' } }, false),
  // Drawing and music
  DrawingEnabled: flag({ section: 'drawing', access: 'public', label: { en: 'Drawing', zh: '启用绘图功能' } }, true),
  TaskEnabled: flag({ section: 'drawing', access: 'public', label: { en: 'Asynchronous tasks', zh: '启用异步任务功能' } }, true),
  MjNotifyEnabled: flag(
    {
      section: 'drawing',
      access: 'public',
      label: { en: 'Allow callbacks', zh: '允许回调' },
      help: { en: "The upstream learns this server's address.", zh: '会泄露服务器 IP 地址' },
    },
    false,
  ),
  MjAccountFilterEnabled: flag(
    { section: 'drawing', label: { en: 'Allow the parameter accountFilter', zh: '允许 AccountFilter 参数' } },
    false,
  ),
  MjForwardUrlEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Serve pictures from this address', zh: '开启之后将上游地址替换为服务器地址' },
      help: { en: "The address of a picture is this server's instead of the upstream's.", zh: '图片地址使用本服务器地址' },
    },
    true,
  ),
  MjModeClearEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Strip --fast, --relax and --turbo', zh: '清除提示词中的 --fast、--relax 以及 --turbo 参数' },
    },
    false,
  ),
  MjActionCheckSuccessEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Follow-up actions need a finished picture', zh: '检测必须等待绘图成功才能进行放大等操作' },
    },
    true,
  ),
  // Sensitive words
  CheckSensitiveEnabled: flag({ section: 'words', label: { en: 'Filter sensitive words', zh: '启用屏蔽词过滤功能' } }, true),
  CheckSensitiveOnPromptEnabled: flag({ section: 'words', label: { en: 'Check prompts', zh: '启用 Prompt 检查' } }, true),
  StopOnSensitiveEnabled: flag({ section: 'words', label: { en: 'Stop an answer that holds one', zh: '回复出现屏蔽词时停止生成' } }, true),
  SensitiveWords: list(
    {
      section: 'words',
      label: { en: 'Sensitive words', zh: '屏蔽词列表' },
      help: { en: 'One a line; capitals do not count.', zh: '一行一个屏蔽词，不区分大小写' },
    },
    ['test_sensitive'],
  ),
  // Log
  LogConsumeEnabled: flag(
    {
      section: 'log',
      label: { en: 'Log what is consumed', zh: '启用额度消费日志记录' },
      help: { en: 'When off, calls are charged and stand in no list.', zh: '关闭后仍会扣费，但不显示在日志中' },
    },
    true,
  ),
  LogRetentionDays: integer(
    {
      section: 'log',
      label: { en: 'Keep logs for', zh: '日志保留时间' },
      help: { en: '0 keeps them for ever.', zh: '0 表示永久保留' },
      unit: 'days',
    },
    0,
    { min: 0, max: 36_500 },
  ),
  // Dashboard
  DataExportEnabled: flag({ section: 'dashboard', access: 'public', label: { en: 'Dashboard', zh: '启用数据看板（实验性）' } }, true),
  DataExportInterval: integer({ section: 'dashboard', label: { en: 'Update interval', zh: '数据看板更新间隔' }, unit: 'minutes' }, 5, {
    min: 1,
    max: 1440,
  }),
  DataExportDefaultTime: choice(
    { section: 'dashboard', access: 'public', label: { en: 'Default granularity', zh: '数据看板默认时间粒度' } },
    { hour: { en: 'Hour', zh: '小时' }, day: { en: 'Day', zh: '天' }, week: { en: 'Week', zh: '周' } },
    'hour',
  ),
  // Monitoring
  ChannelDisableThreshold: number(
    {
      section: 'monitoring',
      label: { en: 'Longest response time in tests', zh: '测试所有渠道的最长响应时间' },
      help: { en: 'A slower channel is disabled when that is on; 0 is no limit.', zh: '超过此时间将自动禁用通道；0 表示不限制' },
      unit: 'seconds',
    },
    5,
    { min: 0, max: 3600 },
  ),
  QuotaRemindThreshold: integer(
    {
      section: 'monitoring',
      label: { en: 'Quota reminder threshold', zh: '额度提醒阈值' },
      help: { en: 'Below this quota a user is reminded.', zh: '低于此额度时将发送邮件提醒用户' },
      unit: 'quota',
    },
    1000,
    { min: 0 },
  ),
  AutomaticDisableChannelEnabled: flag(
    { section: 'monitoring', label: { en: 'Disable a channel when it fails', zh: '失败时自动禁用通道' } },
    false,
  ),
  AutomaticEnableChannelEnabled: flag(
    { section: 'monitoring', label: { en: 'Enable it again when it works', zh: '成功时自动启用通道' } },
    false,
  ),
  AutomaticDisableKeywords: list(
    {
      section: 'monitoring',
      label: { en: 'Automatic disable keywords', zh: '自动禁用关键词' },
      help: {
        en: 'One a line; capitals do not count. A channel whose error holds one is disabled.',
        zh: '一行一个，不区分大小写；上游报错包含这些关键词时自动禁用通道',
      },
    },
    disableKeywords,
  ),
  // Chat
  Chats: json(
    {
      section: 'chat',
      access: 'public',
      label: { en: 'Chat links', zh: '聊天配置' },
      help: {
        en: 'A list of {"name": "link"}; {key} and {address} stand for the token and this server. Whoever chats hands the key of his token to that site; [] for none.',
        zh: '由 {"名称": "链接"} 组成的数组；{key} 与 {address} 会替换为令牌与服务器地址。使用聊天即把令牌密钥交给该站点；填 [] 表示不提供',
      },
    },
    chatLinks,
    defaultChats,
  ),
};
