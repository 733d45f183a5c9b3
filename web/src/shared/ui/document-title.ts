import { useEffect } from 'react';
import { useGetStatusQuery } from '../site.ts';

/** Names the page in the browser's tab: what it is, and whose site that is; the tab's picture is the site's logo. */
export function useDocumentTitle(title: string): void {
  const { data: status } = useGetStatusQuery();
  const site = status?.system_name || 'Tollgate';
  const logo = status?.logo || '/favicon.svg';
  useEffect(() => {
    document.title = title === '' || title === site ? site : `${title} · ${site}`;
  }, [title, site]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!icon || icon.getAttribute('href') === logo) return;
    icon.removeAttribute('type');
    icon.href = logo;
  }, [logo]);
}
