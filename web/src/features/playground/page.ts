import ForumOutlined from '@mui/icons-material/ForumOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const playgroundPage: FeaturePage = {
  path: 'playground',
  feature: 'playground',
  rank: role.user,
  group: 'workspace',
  icon: ForumOutlined,
  title: { en: 'Playground', zh: '操练场' },
  load: async () => (await import('./playground-page.tsx')).PlaygroundPage,
};
