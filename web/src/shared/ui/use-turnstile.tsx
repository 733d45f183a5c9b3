import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery, useLazyGetStatusQuery } from '../site.ts';
import { lazyPart } from './lazy-part.tsx';
import { toast } from './toasts.ts';

const Challenge = lazyPart(async () => (await import('./challenge.tsx')).Challenge);

interface TurnstileUse {
  /** Stands in the form; nothing while the site asks for no challenge. */
  widget: ReactNode;
  /** What goes along with one call; undefined, and said so, while the challenge is not solved yet. */
  take: () => Promise<{ turnstile?: string } | undefined>;
}

/** The challenge that tells people from programs. A solved one is good for one call: another begins by itself. */
export function useTurnstile(): TurnstileUse {
  const { t } = useTranslation('shared');
  const { data: status } = useGetStatusQuery();
  const [askStatus] = useLazyGetStatusQuery();
  const [solved, setSolved] = useState('');
  const [round, setRound] = useState(0);
  const isOn = status?.turnstile_check === true;
  const take = async () => {
    const { data: site } = await askStatus(undefined, true); // who is quicker than the page does not know yet whether there is one
    if (!site?.turnstile_check) return {};
    if (solved === '') return void toast('info', t('turnstile'));
    setSolved('');
    setRound((before) => before + 1);
    return { turnstile: solved };
  };
  const widget = isOn && <Challenge key={round} siteKey={status.turnstile_site_key} onSolved={setSolved} />;
  return { widget, take };
}
