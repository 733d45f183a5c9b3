import AudiotrackOutlined from '@mui/icons-material/AudiotrackOutlined';
import CropOriginalOutlined from '@mui/icons-material/CropOriginalOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

const shared = { feature: 'tasks', rank: role.user, group: 'workspace' } as const;

export const drawingsPage: FeaturePage = {
  ...shared,
  path: 'midjourney',
  shownWith: 'enable_drawing',
  icon: CropOriginalOutlined,
  title: { en: 'Images', zh: '绘图' },
  load: async () => (await import('./drawings-page.tsx')).DrawingsPage,
};

export const tasksPage: FeaturePage = {
  ...shared,
  path: 'task',
  shownWith: 'enable_task',
  icon: AudiotrackOutlined,
  title: { en: 'Tasks', zh: '异步任务' },
  load: async () => (await import('./tasks-page.tsx')).TasksPage,
};
