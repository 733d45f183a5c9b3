import { markup, text } from './kinds.ts';

const orAddress = {
  en: 'Markdown or HTML, or an https address that is shown in a frame.',
  zh: '支持 Markdown 与 HTML，也可以填写 https 链接，将以 iframe 方式嵌入',
};

/** The tab "other". */
export const otherOptions = {
  Notice: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Notice', zh: '公告' },
    help: { en: 'Markdown or HTML.', zh: '支持 Markdown 与 HTML' },
  }),
  SystemName: text({ section: 'other', access: 'public', label: { en: 'System name', zh: '系统名称' } }, 'Tollgate'),
  Logo: text({ section: 'other', access: 'public', label: { en: 'Logo address', zh: 'Logo 图片地址' } }),
  HomePageContent: markup({ section: 'other', access: 'public', label: { en: 'Home page', zh: '首页内容' }, help: orAddress }),
  About: markup({ section: 'other', access: 'public', label: { en: 'About', zh: '关于' }, help: orAddress }),
  Footer: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Footer', zh: '页脚' },
    help: { en: 'HTML; empty for the default.', zh: '支持 HTML，留空则使用默认页脚' },
  }),
};
