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
    '请先选择要设置标签的渠道！',
    '标签不能为空！',
    '请先选择要删除的通道！',
    '渠道未找到，请刷新页面后重试。',
    '请至少选择一个令牌！',
    '请至少选择一个兑换码！',
    '提交失败，请勿重复提交！',
    '请求失败',
    '操作失败，重定向至登录界面中...',
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
    'Page does not exist, please check the address in your browser',
    'More {{count}} models',
    'Unknown identity',
    'Cancelled',
    'Password length must not be less than 8',
    'The two passwords differ',
    'Please retry in a few seconds, Turnstile is checking the environment',
    'Please enter username and password',
    'Please enter email',
    'Please enter the email verification code',
    'Please enter your account name to confirm deletion',
    'Transfer amount minimum is',
    'Please fill in the server address first',
    'Not a valid JSON string',
    'You seem not to have changed anything',
    'Save failed, please retry',
    'Some saves failed',
    'Please enter a number',
    'Model name already exists',
    'Please choose the log time',
    'Too many requests, try later',
    'Internal server error, contact the admin',
    'This site is for demo only, no server',
    'Error: ',
    'Cannot copy to clipboard, please copy manually',
    'Registration successful',
    'Login successful',
    'User account created successfully',
    'User info updated successfully',
    'Operation completed',
    'Notice updated',
    'System name updated',
    'Account deleted',
    'Password changed',
    '{{name}} bound',
    'Token reset and copied',
    'Save successful',
    '{{count}} logs cleaned',
    'Password reset complete',
    'Unable to connect to server',
    'Failed to load status',
    'Insufficient quota',
    'Test is already running',
    'Administrator has disabled new user registration',
    'Administrator has disabled password login',
    'Administrator has disabled password registration, please use third-party verification',
    'User has been banned',
    'This {provider} account is already bound',
    'Email address is already in use',
    'This email address is not registered',
    'Reset link is invalid or expired',
    'Verification code is incorrect or expired',
    'Invalid parameter',
    'Invalid input',
    'Username or password is incorrect, or user has been banned',
    'Invalid redemption code',
    'This redemption code has been used',
    'Invalid token',
    'Token has expired',
    'Token quota is depleted',
    'Insufficient token quota',
    'Insufficient user quota',
    'Token name is too long',
    'Current group upstream load is saturated',
    'No available channels',
    'This channel has been disabled',
    'Invalid channel ID',
    'Turnstile verification failed',
    'Too many requests, please try again later',
    'Server internal error, contact the administrator',
    'Not logged in or session expired, please login again',
    'Unable to connect to the server',
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

  it('label every action, status and submit result of drawings and tasks, in both languages', () => {
    const actions =
      'IMAGINE UPSCALE VARIATION HIGH_VARIATION LOW_VARIATION PAN DESCRIBE BLEND UPLOAD SHORTEN REROLL INPAINT ZOOM CUSTOM_ZOOM MODAL SWAP_FACE MUSIC LYRICS';
    const statuses = 'SUCCESS NOT_START SUBMITTED IN_PROGRESS FAILURE MODAL QUEUED UNKNOWN SUBMITTING';
    for (const language of ['en', 'zh']) {
      const file = join(import.meta.dirname, `../src/features/tasks/i18n/${language}.json`);
      const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<'actions' | 'statuses' | 'codes', Record<string, string>>;
      expect(texts.actions, language).to.include.all.keys(actions.split(' '));
      expect(texts.statuses, language).to.include.all.keys(statuses.split(' '));
      expect(texts.codes, language).to.include.all.keys('taken', 'waiting', 'known', 'open');
    }
  });

  it('stand among others that address people alike in Chinese', () => {
    const texts = globSync('src/**/i18n/zh.json', { cwd: join(import.meta.dirname, '..') }).flatMap((file) =>
      readFileSync(join(import.meta.dirname, '..', file), 'utf8').split('\n'),
    );
    // What is said when nothing was changed is quoted, familiar as it is.
    const familiar = texts.filter((text) => /你(?!好|似乎并没有修改什么)/.test(text));
    expect(familiar).to.deep.equal([]);
  });
});
