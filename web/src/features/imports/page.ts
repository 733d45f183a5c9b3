import MoveToInboxOutlined from '@mui/icons-material/MoveToInboxOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const importPage: FeaturePage = {
  path: 'import',
  feature: 'imports',
  rank: role.root,
  group: 'configuration',
  icon: MoveToInboxOutlined,
  title: { en: 'Import', zh: '导入' },
  load: async () => (await import('./import-page.tsx')).ImportPage,
};
