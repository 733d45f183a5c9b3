import './app/global.css';
// Before all that writes styles.
import './app/nonce.ts';

import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { RouterProvider } from 'react-router/dom';
import { startI18n } from './app/i18n.ts';
import { nonce } from './app/nonce.ts';
import { router } from './app/router.tsx';
import { store } from './app/store.ts';
import { modeStorageKey, theme } from './app/theme.ts';
import { ConfirmProvider } from './shared/ui/confirm.tsx';
import { ToastStack } from './shared/ui/toast-stack.tsx';

const styles = createCache({ key: 'tg', ...(nonce ? { nonce } : {}) });

await startI18n();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey={modeStorageKey}>
        <CssBaseline />
        <Provider store={store}>
          <ConfirmProvider>
            <RouterProvider router={router} />
            <ToastStack />
          </ConfirmProvider>
        </Provider>
      </ThemeProvider>
    </CacheProvider>
  </StrictMode>,
);
