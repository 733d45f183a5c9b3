import PlaylistAddCheckOutlined from '@mui/icons-material/PlaylistAddCheckOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const auditPage: FeaturePage = {
  path: 'audit',
  feature: 'audit',
  rank: role.root,
  group: 'configuration',
  icon: PlaylistAddCheckOutlined,
  title: { en: 'Audit log', zh: '审计日志' },
  load: async () => (await import('./audit-page.tsx')).AuditPage,
};
