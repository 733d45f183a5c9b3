import { accountPage } from '../features/account/page.ts';
import { apiDocsPage } from '../features/api-docs/page.ts';
import { auditPage } from '../features/audit/page.ts';
import { budgetsPage, runsPage } from '../features/budgets/page.ts';
import { catalogPage } from '../features/catalog/page.ts';
import { channelHealthPage, channelsPage } from '../features/channels/page.ts';
import { chatLinkPage, chatPage } from '../features/chat/page.ts';
import { dashboardPage } from '../features/dashboard/page.ts';
import { importPage } from '../features/imports/page.ts';
import { jobsPage } from '../features/jobs/page.ts';
import { logsPage } from '../features/logs/page.ts';
import { ordersPage } from '../features/orders/page.ts';
import { playgroundPage } from '../features/playground/page.ts';
import { pricingPage } from '../features/pricing/page.ts';
import { redemptionPage } from '../features/redemption/page.ts';
import { settingPage } from '../features/settings/page.ts';
import { stepsPage } from '../features/steps/page.ts';
import { systemPage } from '../features/system/page.ts';
import { drawingsPage, tasksPage } from '../features/tasks/page.ts';
import { tokensPage } from '../features/tokens/page.ts';
import { usersPage } from '../features/users/page.ts';
import { walletPage } from '../features/wallet/page.ts';
import type { FeaturePage } from '../shared/page.ts';

/** Every page of the console, in the order of the navigation. */
export const pages: FeaturePage[] = [
  dashboardPage,
  playgroundPage,
  chatPage,
  chatLinkPage,
  tokensPage,
  budgetsPage,
  runsPage,
  walletPage,
  logsPage,
  drawingsPage,
  tasksPage,
  pricingPage,
  channelsPage,
  channelHealthPage,
  redemptionPage,
  ordersPage,
  usersPage,
  { ...settingPage, load: async () => (await import('./setting-page.tsx')).SettingPage },
  catalogPage,
  auditPage,
  jobsPage,
  importPage,
  systemPage,
  accountPage,
  apiDocsPage,
  stepsPage,
];
