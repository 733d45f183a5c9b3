import LanOutlined from '@mui/icons-material/LanOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const channelsPage: FeaturePage = {
  path: 'channel',
  feature: 'channels',
  rank: role.admin,
  group: 'operations',
  icon: LanOutlined,
  title: { en: 'Channels', zh: '渠道' },
  load: async () => (await import('./channels-page.tsx')).ChannelsPage,
  loadEditor: async () => (await import('./channel-drawer.tsx')).ChannelDrawer,
};

/** One channel: how it does, its last failures and tests. */
export const channelHealthPage: FeaturePage = {
  path: 'channel-health',
  params: '/:id',
  feature: 'channels',
  rank: role.admin,
  icon: LanOutlined,
  title: { en: 'Channel health', zh: '渠道状况' },
  load: async () => (await import('./health-page.tsx')).HealthPage,
};
