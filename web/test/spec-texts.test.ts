import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCatalogue } from '@tollgate/contracts';
import { expect } from 'chai';

/** What the specifications quote, as they quote it: toasts, dialogs, and what stands under a field. */
const quoted = {
  zh: [
    '请填写渠道名称和渠道密钥！',
    '请至少选择一个模型！',
    '模型映射必须是合法的 JSON 格式！',
    '请填写密钥',
    '某些模型已存在！',
    '没有任何修改！',
    '优先级必须是整数！',
    '权重必须是非负整数！',
    '过期时间格式错误！',
    '请输入兑换码！',
    '充值数量不能小于',
    '管理员未开启在线充值！',
    '超级管理员未设置充值链接！',
    '渠道复制失败: ',
    '获取模型列表失败',
    '无法复制到剪贴板，请手动复制',
    '聊天链接配置错误，请联系管理员',
    '请联系管理员配置聊天链接',
    '未登录或登录已过期，请重新登录！',
    '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！',
    '聊天数据解析失败',
    '错误：',
  ],
  en: [
    'Not logged in or login expired, please log in again',
    'Page does not exist',
    'Password length must not be less than 8',
    'The two passwords differ',
    'Please retry in a few seconds, Turnstile is checking the environment',
    'Please enter username and password',
    'Please enter your account name to confirm deletion',
    'Please fill in the server address first',
    'Not a valid JSON string',
    'You seem not to have changed anything',
    'Save failed, please retry',
    'Please enter a number',
    'Model name already exists',
    'Please choose the log time',
    'This site is for demo only, no server',
    'Cannot copy to clipboard, please copy manually',
    'Account deleted',
    'Password changed',
    'System name updated',
    'Token reset and copied',
    '{{count}} logs cleaned',
    'Unable to connect to the server',
    'Too many requests, please try again later',
    'Server internal error, contact the administrator',
    'Test is already running',
    'User has been banned',
    'Email address is already in use',
    'This email address is not registered',
    'Reset link is invalid or expired',
    'Verification code is incorrect or expired',
    'Username or password is incorrect, or user has been banned',
    'Invalid redemption code',
    'This redemption code has been used',
    'Invalid token',
    'Token has expired',
    'Insufficient token quota',
    'Insufficient user quota',
    'Token name is too long',
    'Current group upstream load is saturated',
    'No available channels',
    'This channel has been disabled',
    'Invalid channel ID',
  ],
} as const;

describe('The words of the specifications', () => {
  for (const language of ['zh', 'en'] as const)
    it(`are those of the pages and of the server, in ${language}`, () => {
      const pages = globSync(`src/**/i18n/${language}.json`, { cwd: join(import.meta.dirname, '..') }).map((file) =>
        readFileSync(join(import.meta.dirname, '..', file), 'utf8'),
      );
      const server = Object.values(errorCatalogue).map((entry) => entry[language]);
      const all = [...pages, ...server].join('\n');
      expect(quoted[language].filter((text) => !all.includes(text))).to.deep.equal([]);
    });
});
