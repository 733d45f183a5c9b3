import { Turnstile } from '@marsidev/react-turnstile';
import { useTranslation } from 'react-i18next';

/** Cloudflare's widget; its script is loaded with it. */
export function Challenge({ siteKey, onSolved }: { siteKey: string; onSolved: (solved: string) => void }) {
  const { i18n } = useTranslation();
  return (
    <Turnstile
      style={{ minHeight: 65 }}
      siteKey={siteKey}
      options={{ language: i18n.language, size: 'flexible' }}
      onSuccess={onSolved}
      onExpire={() => onSolved('')}
      onError={() => onSolved('')}
    />
  );
}
