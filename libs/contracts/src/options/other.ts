import { markup, text } from './kinds.ts';

const orAddress = {
  en: 'Markdown, HTML, or an https URL that is shown in a frame. Leave empty for the default.',
  zh: '支持 Markdown 与 HTML，也可以填写 https 链接，将以 iframe 方式嵌入；留空则使用默认内容。',
};

/** The tab "other". */
export const otherOptions = {
  Notice: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Notice', zh: '公告' },
    help: {
      en: 'Shown to users when they open the console. Markdown or HTML; leave empty for none.',
      zh: '用户打开控制台时显示，支持 Markdown 与 HTML，留空则不显示。',
    },
  }),
  SystemName: text(
    {
      section: 'other',
      access: 'public',
      label: { en: 'System name', zh: '系统名称' },
      help: { en: 'The name of this site in titles, emails and authenticator apps.', zh: '本站名称，用于标题、邮件与身份验证器。' },
    },
    'Tollgate',
  ),
  Logo: text({
    section: 'other',
    access: 'public',
    label: { en: 'Logo URL', zh: 'Logo 图片地址' },
    help: { en: 'URL of the logo image. Leave empty for the default.', zh: 'Logo 图片的地址，留空则使用默认 Logo。' },
  }),
  HomePageContent: markup({ section: 'other', access: 'public', label: { en: 'Home page', zh: '首页内容' }, help: orAddress }),
  About: markup({ section: 'other', access: 'public', label: { en: 'About', zh: '关于' }, help: orAddress }),
  Footer: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Footer', zh: '页脚' },
    help: {
      en: 'HTML shown at the bottom of each page. Leave empty for the default.',
      zh: '显示在每个页面底部，支持 HTML，留空则使用默认页脚。',
    },
  }),
};
