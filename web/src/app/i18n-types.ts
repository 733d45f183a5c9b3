import type accountEn from '../features/account/i18n/en.json';
import type accountZh from '../features/account/i18n/zh.json';
import type apiDocsEn from '../features/api-docs/i18n/en.json';
import type apiDocsZh from '../features/api-docs/i18n/zh.json';
import type auditEn from '../features/audit/i18n/en.json';
import type auditZh from '../features/audit/i18n/zh.json';
import type budgetsEn from '../features/budgets/i18n/en.json';
import type budgetsZh from '../features/budgets/i18n/zh.json';
import type catalogEn from '../features/catalog/i18n/en.json';
import type catalogZh from '../features/catalog/i18n/zh.json';
import type channelsEn from '../features/channels/i18n/en.json';
import type channelsZh from '../features/channels/i18n/zh.json';
import type chatEn from '../features/chat/i18n/en.json';
import type chatZh from '../features/chat/i18n/zh.json';
import type dashboardEn from '../features/dashboard/i18n/en.json';
import type dashboardZh from '../features/dashboard/i18n/zh.json';
import type doorEn from '../features/door/i18n/en.json';
import type doorZh from '../features/door/i18n/zh.json';
import type importsEn from '../features/imports/i18n/en.json';
import type importsZh from '../features/imports/i18n/zh.json';
import type jobsEn from '../features/jobs/i18n/en.json';
import type jobsZh from '../features/jobs/i18n/zh.json';
import type logsEn from '../features/logs/i18n/en.json';
import type logsZh from '../features/logs/i18n/zh.json';
import type ordersEn from '../features/orders/i18n/en.json';
import type ordersZh from '../features/orders/i18n/zh.json';
import type paletteEn from '../features/palette/i18n/en.json';
import type paletteZh from '../features/palette/i18n/zh.json';
import type playgroundEn from '../features/playground/i18n/en.json';
import type playgroundZh from '../features/playground/i18n/zh.json';
import type pricingEn from '../features/pricing/i18n/en.json';
import type pricingZh from '../features/pricing/i18n/zh.json';
import type redemptionEn from '../features/redemption/i18n/en.json';
import type redemptionZh from '../features/redemption/i18n/zh.json';
import type sessionEn from '../features/session/i18n/en.json';
import type sessionZh from '../features/session/i18n/zh.json';
import type settingsEn from '../features/settings/i18n/en.json';
import type settingsZh from '../features/settings/i18n/zh.json';
import type siteEn from '../features/site/i18n/en.json';
import type siteZh from '../features/site/i18n/zh.json';
import type stepsEn from '../features/steps/i18n/en.json';
import type stepsZh from '../features/steps/i18n/zh.json';
import type systemEn from '../features/system/i18n/en.json';
import type systemZh from '../features/system/i18n/zh.json';
import type tasksEn from '../features/tasks/i18n/en.json';
import type tasksZh from '../features/tasks/i18n/zh.json';
import type tokensEn from '../features/tokens/i18n/en.json';
import type tokensZh from '../features/tokens/i18n/zh.json';
import type usersEn from '../features/users/i18n/en.json';
import type usersZh from '../features/users/i18n/zh.json';
import type walletEn from '../features/wallet/i18n/en.json';
import type walletZh from '../features/wallet/i18n/zh.json';
import type sharedEn from '../shared/i18n/en.json';
import type sharedZh from '../shared/i18n/zh.json';
import type appEn from './i18n/en.json';
import type appZh from './i18n/zh.json';

interface English {
  app: typeof appEn;
  shared: typeof sharedEn;
  account: typeof accountEn;
  door: typeof doorEn;
  session: typeof sessionEn;
  site: typeof siteEn;
  tokens: typeof tokensEn;
  catalog: typeof catalogEn;
  budgets: typeof budgetsEn;
  channels: typeof channelsEn;
  users: typeof usersEn;
  settings: typeof settingsEn;
  logs: typeof logsEn;
  redemption: typeof redemptionEn;
  orders: typeof ordersEn;
  wallet: typeof walletEn;
  'api-docs': typeof apiDocsEn;
  audit: typeof auditEn;
  tasks: typeof tasksEn;
  jobs: typeof jobsEn;
  imports: typeof importsEn;
  system: typeof systemEn;
  pricing: typeof pricingEn;
  steps: typeof stepsEn;
  chat: typeof chatEn;
  dashboard: typeof dashboardEn;
  palette: typeof paletteEn;
  playground: typeof playgroundEn;
}

interface Chinese {
  app: typeof appZh;
  shared: typeof sharedZh;
  account: typeof accountZh;
  door: typeof doorZh;
  session: typeof sessionZh;
  site: typeof siteZh;
  tokens: typeof tokensZh;
  catalog: typeof catalogZh;
  budgets: typeof budgetsZh;
  channels: typeof channelsZh;
  users: typeof usersZh;
  settings: typeof settingsZh;
  logs: typeof logsZh;
  redemption: typeof redemptionZh;
  orders: typeof ordersZh;
  wallet: typeof walletZh;
  'api-docs': typeof apiDocsZh;
  audit: typeof auditZh;
  tasks: typeof tasksZh;
  jobs: typeof jobsZh;
  imports: typeof importsZh;
  system: typeof systemZh;
  pricing: typeof pricingZh;
  steps: typeof stepsZh;
  chat: typeof chatZh;
  dashboard: typeof dashboardZh;
  palette: typeof paletteZh;
  playground: typeof playgroundZh;
}

type HasKeysOf<Texts extends Wanted, Wanted> = Texts;
/** A key that one language has and the other lacks fails the type check here. */
export type Complete = [HasKeysOf<Chinese, English>, HasKeysOf<English, Chinese>];

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shared';
    resources: English;
  }
}
