import { styled, useColorScheme } from '@mui/material/styles';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../language.ts';

const Frame = styled('iframe')({ display: 'block', flex: 1, width: '100%', minHeight: 480, border: 0 });

interface FramedPageProps {
  /** https, or an address of ours. */
  url: string;
  title: string;
  /** What the page may use of the machine, as in a permissions policy. */
  allow?: string;
}

/** Somebody else's page. It is told, it alone, in which theme and language we are, and again when they change; it learns no address of ours. */
export function FramedPage({ url, title, allow }: FramedPageProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { i18n } = useTranslation();
  const { mode, systemMode } = useColorScheme();
  const themeMode = (mode === 'system' ? systemMode : mode) ?? 'light';
  const lang = languageOf(i18n.language);
  const { origin } = new URL(url);
  const tell = (): void => {
    // A page that has no origin of its own, or is not there yet, hears nothing.
    frame.current?.contentWindow?.postMessage({ themeMode }, origin);
    frame.current?.contentWindow?.postMessage({ lang }, origin);
  };
  const latest = useRef(tell);
  latest.current = tell;
  const isLoaded = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told anew when one of these changes
  useEffect(() => {
    if (isLoaded.current) latest.current();
  }, [themeMode, lang]);
  // With an origin of ours and scripts, a page could take its sandbox off.
  const sandbox = `allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals${origin === location.origin ? '' : ' allow-same-origin'}`;
  return (
    <Frame
      ref={frame}
      src={url}
      title={title}
      sandbox={sandbox}
      allow={allow ?? ''}
      referrerPolicy="no-referrer"
      onLoad={() => {
        isLoaded.current = true;
        tell();
      }}
    />
  );
}
