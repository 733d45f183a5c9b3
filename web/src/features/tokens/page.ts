import KeyOutlined from '@mui/icons-material/KeyOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const tokensPage: FeaturePage = {
  path: 'token',
  feature: 'tokens',
  rank: role.user,
  group: 'workspace',
  icon: KeyOutlined,
  title: { en: 'Tokens', zh: '令牌' },
  load: async () => (await import('./tokens-page.tsx')).TokensPage,
  loadEditor: async () => (await import('./token-drawer.tsx')).TokenDrawer,
};
