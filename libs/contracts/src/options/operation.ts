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
const supersededByChats = { en: 'Superseded by the chat links below.', zh: '该配置已废弃，请使用下方聊天配置。' };

/** The tab "operation", but for quotas and prices. */
export const operationOptions = {
  // General
  TopUpLink: address({
    section: 'general',
    access: 'public',
    label: { en: 'Top-up link', zh: '充值链接' },
    help: {
      en: 'Link to buy redemption codes, such as a shop. Shown in the wallet; leave empty to hide it.',
      zh: '购买兑换码的链接，例如发卡网站；显示在钱包中，留空则不显示。',
    },
  }),
  ChatLink: address({
    section: 'general',
    access: 'public',
    label: { en: 'Chat page link', zh: '默认聊天页面链接' },
    help: supersededByChats,
  }),
  ChatLink2: address({
    section: 'general',
    access: 'public',
    label: { en: 'Second chat page link', zh: '聊天页面 2 链接' },
    help: supersededByChats,
  }),
  QuotaPerUnit: number(
    {
      section: 'general',
      access: 'public',
      label: { en: 'Quota per US dollar', zh: '单位美元额度' },
      help: {
        en: 'How many quota units equal $1, everywhere. Change it only before the first top-up: stored balances keep their units.',
        zh: '1 美元对应的额度，全站通用。请仅在首次充值前修改：已有余额的额度数值不会改变。',
      },
      unit: 'quota',
    },
    defaultQuotaPerUnit,
    { min: 1 },
  ),
  RetryTimes: integer(
    {
      section: 'general',
      label: { en: 'Retries per call', zh: '失败重试次数' },
      help: {
        en: 'How many other channels a failed call may try. Raise it when several channels serve the same model; 0 disables retries.',
        zh: '调用失败后最多再尝试的渠道数。多个渠道提供同一模型时可调高；0 表示不重试。',
      },
    },
    0,
    { min: 0, max: 10 },
  ),
  DisplayInCurrencyEnabled: flag(
    {
      section: 'general',
      access: 'public',
      label: { en: 'Show quota in dollars', zh: '以货币形式显示额度' },
      help: { en: 'Shows balances and costs in US dollars instead of quota units.', zh: '以美元而非额度数值显示余额与费用。' },
    },
    true,
  ),
  DisplayTokenStatEnabled: flag(
    {
      section: 'general',
      label: { en: "Quota API reports the token's quota", zh: '额度查询接口返回令牌额度' },
      help: {
        en: "The OpenAI-compatible billing endpoints report the quota of the token. Off: the balance of its owner's account.",
        zh: '兼容 OpenAI 的额度查询接口返回令牌额度；关闭时返回所属用户的余额。',
      },
    },
    true,
  ),
  DefaultCollapseSidebar: flag(
    {
      section: 'general',
      access: 'public',
      label: { en: 'Collapse sidebar by default', zh: '默认折叠侧边栏' },
      help: { en: 'Shows only icons in the sidebar until a user expands it.', zh: '侧边栏默认只显示图标，用户可自行展开。' },
    },
    false,
  ),
  DemoSiteEnabled: flag(
    {
      section: 'general',
      access: 'public',
      label: { en: 'Demo mode', zh: '演示站点模式' },
      help: {
        en: 'Marks this site as a demo in /api/status, for clients that show it. Restricts nothing.',
        zh: '在 /api/status 中标记为演示站点，供客户端显示；不限制任何操作。',
      },
    },
    false,
  ),
  // Drawing and music
  DrawingEnabled: flag(
    {
      section: 'drawing',
      access: 'public',
      label: { en: 'Midjourney images', zh: '启用绘图功能' },
      help: { en: 'Accepts Midjourney calls and shows the Images page.', zh: '接受 Midjourney 调用，并显示绘图页面。' },
    },
    true,
  ),
  TaskEnabled: flag(
    {
      section: 'drawing',
      access: 'public',
      label: { en: 'Music tasks', zh: '启用异步任务功能' },
      help: { en: 'Accepts Suno music calls and shows the Tasks page.', zh: '接受 Suno 音乐调用，并显示异步任务页面。' },
    },
    true,
  ),
  MjNotifyEnabled: flag(
    {
      section: 'drawing',
      access: 'public',
      label: { en: 'Allow callbacks', zh: '允许回调' },
      help: {
        en: "Lets the upstream report progress to this server, which reveals the server's address. Off: progress is polled every few seconds.",
        zh: '允许上游向本服务器推送进度，会泄露服务器 IP 地址；关闭时每隔数秒查询一次。',
      },
    },
    false,
  ),
  MjAccountFilterEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Allow the accountFilter parameter', zh: '允许 AccountFilter 参数' },
      help: {
        en: 'Lets callers choose the Midjourney account with accountFilter. Off: the parameter is removed.',
        zh: '允许调用方通过 accountFilter 选择 Midjourney 账号；关闭时移除该参数。',
      },
    },
    false,
  ),
  MjForwardUrlEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Serve images from this server', zh: '图片地址替换为服务器地址' },
      help: {
        en: 'Image links point to this server instead of the upstream. Turn it off to save traffic.',
        zh: '图片链接指向本服务器而非上游地址；关闭可节省流量。',
      },
    },
    true,
  ),
  MjModeClearEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Remove speed flags from prompts', zh: '清除提示词中的 --fast、--relax 以及 --turbo 参数' },
      help: {
        en: 'Removes --fast, --relax and --turbo from prompts, so that the channel decides the mode.',
        zh: '移除提示词中的 --fast、--relax 与 --turbo，由渠道决定模式。',
      },
    },
    false,
  ),
  MjActionCheckSuccessEnabled: flag(
    {
      section: 'drawing',
      label: { en: 'Follow-up actions require a finished image', zh: '绘图成功后才能放大或变换' },
      help: {
        en: 'Refuses upscale, variation and similar actions until the original image has succeeded.',
        zh: '原图成功之前，拒绝放大、变换等操作。',
      },
    },
    true,
  ),
  // Sensitive words
  CheckSensitiveEnabled: flag(
    {
      section: 'words',
      label: { en: 'Blocked-word filter', zh: '启用屏蔽词过滤功能' },
      help: {
        en: 'Turns the checks below on. Requests with blocked words are refused before they reach a provider.',
        zh: '启用以下检查；包含屏蔽词的请求在发往上游之前被拒绝。',
      },
    },
    true,
  ),
  CheckSensitiveOnPromptEnabled: flag(
    {
      section: 'words',
      label: { en: 'Check prompts', zh: '检查提示词' },
      help: { en: 'Checks the text of each request. Requires the filter above.', zh: '检查请求中的文本，需先启用上方的过滤功能。' },
    },
    true,
  ),
  StopOnSensitiveEnabled: flag(
    {
      section: 'words',
      label: { en: 'Stop responses containing blocked words', zh: '回复出现屏蔽词时停止生成' },
      help: {
        en: 'Checks answers while they stream and ends them at a blocked word. What was generated until then is charged.',
        zh: '检查流式输出，出现屏蔽词时停止；已生成的内容照常计费。',
      },
    },
    true,
  ),
  SensitiveWords: list(
    {
      section: 'words',
      label: { en: 'Blocked words', zh: '屏蔽词列表' },
      help: { en: 'One word per line; case-insensitive.', zh: '每行一个屏蔽词，不区分大小写。' },
    },
    ['test_sensitive'],
  ),
  // Log
  LogConsumeEnabled: flag(
    {
      section: 'log',
      label: { en: 'Log usage', zh: '启用额度消费日志记录' },
      help: {
        en: 'Shows each call in the usage logs. Off: calls are still charged, but not listed.',
        zh: '在使用日志中显示每次调用；关闭后仍会扣费，但不显示在日志中。',
      },
    },
    true,
  ),
  LogRetentionDays: integer(
    {
      section: 'log',
      label: { en: 'Log retention', zh: '日志保留时间' },
      help: {
        en: 'Deletes usage logs after this many days. 0 keeps them forever; balances and statistics are kept.',
        zh: '超过该天数的使用日志会被删除；0 表示永久保留，余额与统计不受影响。',
      },
      unit: 'days',
    },
    0,
    { min: 0, max: 36_500 },
  ),
  ErrorLogRetentionDays: integer(
    {
      section: 'log',
      label: { en: 'Failed call retention', zh: '失败调用保留时间' },
      help: {
        en: 'Deletes failed calls from the usage logs after this many days. 0 keeps them forever; statistics of channels are kept.',
        zh: '超过该天数的失败调用会从使用日志中删除；0 表示永久保留，渠道统计不受影响。',
      },
      unit: 'days',
    },
    30,
    { min: 0, max: 36_500 },
  ),
  // Dashboard
  DataExportEnabled: flag(
    {
      section: 'dashboard',
      access: 'public',
      label: { en: 'Dashboard', zh: '启用数据看板' },
      help: { en: 'Shows the dashboard to all users.', zh: '向所有用户显示数据看板。' },
    },
    true,
  ),
  DataExportInterval: integer(
    {
      section: 'dashboard',
      label: { en: 'Update interval', zh: '数据看板更新间隔' },
      help: {
        en: 'How often the usage statistics are updated. Raise it to reduce database load.',
        zh: '用量统计的更新间隔；调高可降低数据库负载。',
      },
      unit: 'minutes',
    },
    5,
    {
      min: 1,
      max: 1440,
    },
  ),
  DataExportDefaultTime: choice(
    {
      section: 'dashboard',
      access: 'public',
      label: { en: 'Default interval', zh: '数据看板默认时间粒度' },
      help: { en: 'The interval that the dashboard charts show first.', zh: '数据看板图表默认的时间粒度。' },
    },
    { hour: { en: 'Hour', zh: '小时' }, day: { en: 'Day', zh: '天' }, week: { en: 'Week', zh: '周' } },
    'hour',
  ),
  // Monitoring
  ChannelDisableThreshold: number(
    {
      section: 'monitoring',
      label: { en: 'Max response time in tests', zh: '测试所有渠道的最长响应时间' },
      help: {
        en: 'When automatic disabling is on, channels slower than this in a test are disabled. 0 means no limit.',
        zh: '启用自动禁用时，测试响应时间超过此值的渠道会被禁用；0 表示不限制。',
      },
      unit: 'seconds',
    },
    5,
    { min: 0, max: 3600 },
  ),
  QuotaRemindThreshold: integer(
    {
      section: 'monitoring',
      label: { en: 'Low-balance threshold', zh: '额度提醒阈值' },
      help: {
        en: 'Users are notified when their balance falls below this. Users can set their own threshold.',
        zh: '余额低于此值时通知用户；用户可自行设置阈值。',
      },
      unit: 'quota',
    },
    1000,
    { min: 0 },
  ),
  AutomaticDisableChannelEnabled: flag(
    {
      section: 'monitoring',
      label: { en: 'Disable failing channels automatically', zh: '失败时自动禁用渠道' },
      help: {
        en: 'Disables a channel when the upstream rejects its key or account, a keyword below matches, or a test is too slow.',
        zh: '上游拒绝密钥或账户、匹配下方关键词或测试超时时，自动禁用渠道。',
      },
    },
    false,
  ),
  AutomaticEnableChannelEnabled: flag(
    {
      section: 'monitoring',
      label: { en: 'Re-enable recovered channels automatically', zh: '成功时自动启用渠道' },
      help: { en: 'Enables an automatically disabled channel again when its test succeeds.', zh: '自动禁用的渠道测试成功后重新启用。' },
    },
    false,
  ),
  AutomaticDisableKeywords: list(
    {
      section: 'monitoring',
      label: { en: 'Automatic disabling keywords', zh: '自动禁用关键词' },
      help: {
        en: 'One per line; case-insensitive. A channel is disabled when an upstream error contains one.',
        zh: '每行一个，不区分大小写；上游报错包含任一关键词时自动禁用渠道。',
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
        en: `A JSON array of {"name": "link"}. {key} and {address} are replaced with the token and the server address, so the linked site receives the user's key. [] disables chat links.`,
        zh: '由 {"名称": "链接"} 组成的 JSON 数组。{key} 与 {address} 会替换为令牌与服务器地址，即该站点会获得用户的密钥。填 [] 表示不提供。',
      },
    },
    chatLinks,
    [],
  ),
};
