import LibraryBooksOutlined from '@mui/icons-material/LibraryBooksOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const catalogPage: FeaturePage = {
  path: 'catalog',
  feature: 'catalog',
  rank: role.root,
  group: 'configuration',
  icon: LibraryBooksOutlined,
  title: { en: 'Model catalog', zh: '模型目录' },
  load: async () => (await import('./catalog-page.tsx')).CatalogPage,
};
