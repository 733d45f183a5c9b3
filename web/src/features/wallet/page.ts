import AccountBalanceWalletOutlined from '@mui/icons-material/AccountBalanceWalletOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const walletPage: FeaturePage = {
  path: 'topup',
  feature: 'wallet',
  rank: role.user,
  group: 'workspace',
  icon: AccountBalanceWalletOutlined,
  title: { en: 'Wallet', zh: '钱包' },
  load: async () => (await import('./wallet-page.tsx')).WalletPage,
};
