import type { LoginAnswer } from '@tollgate/contracts/api/user';
import { useBeginAtProviderMutation } from './ways-api.ts';

/**
 * Leads to a provider's page, in a window of its own, which comes back to a page of ours there; where the browser opens none, in this one.
 * It is opened before the server is asked for the address: later, no browser believes that a click opened it.
 */
export function useOpenProvider(): (provider: 'github' | 'linuxdo' | 'oidc', inviter?: string) => Promise<LoginAnswer | undefined> {
  const [begin] = useBeginAtProviderMutation();
  return async (provider, aff = '') => {
    const opened = window.open('about:blank', '_blank');
    try {
      const { url } = await begin({ provider, aff }).unwrap();
      if (opened) {
        opened.opener = null;
        opened.location.replace(url);
      } else location.assign(url);
    } catch (error) {
      opened?.close();
      throw error;
    }
    return undefined;
  };
}
