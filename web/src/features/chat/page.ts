import ChatOutlined from '@mui/icons-material/ChatOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const chatPage: FeaturePage = {
  path: 'chat',
  params: '/:id?',
  feature: 'chat',
  rank: role.guest,
  group: 'workspace',
  icon: ChatOutlined,
  title: { en: 'Chat', zh: '聊天' },
  load: async () => (await import('./chat-page.tsx')).ChatPage,
};

/** Leads on to a client; nothing that one would look for in the navigation. */
export const chatLinkPage: FeaturePage = {
  path: 'chat2link',
  feature: 'chat',
  rank: role.user,
  icon: ChatOutlined,
  title: { en: 'Chat', zh: '聊天' },
  load: async () => (await import('./chat-link-page.tsx')).ChatLinkPage,
};
