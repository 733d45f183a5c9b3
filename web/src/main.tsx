import './app/global.css';
// Before all that writes styles.
import './app/nonce.ts';

import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import i18next from 'i18next';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { RouterProvider } from 'react-router/dom';
import { takeSwitchNote } from './app/account-switched.tsx';
import { startI18n } from './app/i18n.ts';
import { nonce } from './app/nonce.ts';
import { router } from './app/router.tsx';
import { store } from './app/store.ts';
import { modeStorageKey, theme } from './app/theme.ts';
import { ConfirmProvider } from './shared/ui/confirm.tsx';
import { CopyByHand } from './shared/ui/copy-by-hand.tsx';
import { lazyPart } from './shared/ui/lazy-part.tsx';
import { toast } from './shared/ui/toasts.ts';

// At once, yet after the page: what is said before waits for it.
const AfterFirstPaint = lazyPart(async () => (await import('./app/after-first-paint.tsx')).AfterFirstPaint);
const styles = createCache({ key: 'tg', ...(nonce ? { nonce } : {}) });

try {
  await startI18n();
} catch (error) {
  // public/first-paint.js says so, in words that need not be loaded.
  dispatchEvent(new Event('unstartable'));
  throw error;
}
const switchedTo = takeSwitchNote();
if (switchedTo) toast('info', i18next.t('app:account.switched', { name: switchedTo }));

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey={modeStorageKey}>
        <CssBaseline />
        <Provider store={store}>
          <ConfirmProvider>
            <RouterProvider router={router} />
            <CopyByHand />
            <AfterFirstPaint />
          </ConfirmProvider>
        </Provider>
      </ThemeProvider>
    </CacheProvider>
  </StrictMode>,
);
