import { SettingPage as Settings } from '../features/settings/setting-page.tsx';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { loadWithTexts } from './load-with-texts.ts';

const Personal = lazyPart(() => loadWithTexts('account', async () => (await import('../features/account/account-cards.tsx')).AccountCards));

/** The settings of the site with one's own before them, which are another feature. */
export function SettingPage() {
  return <Settings personal={<Personal />} />;
}
