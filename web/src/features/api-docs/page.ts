import ApiOutlined from '@mui/icons-material/ApiOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const apiDocsPage: FeaturePage = {
  path: 'api-docs',
  feature: 'api-docs',
  rank: role.user,
  group: 'account',
  icon: ApiOutlined,
  title: { en: 'API', zh: 'API 文档' },
  load: async () => (await import('./api-docs-page.tsx')).ApiDocsPage,
};
