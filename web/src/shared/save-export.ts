import i18next from 'i18next';
import type { ApiCall } from './call.ts';
import { viewerZone } from './format.ts';
import { headersOf } from './own-headers.ts';
import { saveBlob } from './save-file.ts';
import { storedUser } from './session.ts';
import { toast } from './ui/toasts.ts';

/** Has the server write a whole list and hands it to the browser as a file, however many rows it has. Says so when that fails. */
export async function saveExport({ url, params, method = 'GET', body }: ApiCall): Promise<void> {
  const t = i18next.getFixedT(null, 'shared');
  const query = new URLSearchParams({ ...(params as Record<string, string>), zone: viewerZone });
  const headers = { ...headersOf(storedUser()?.id), ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  try {
    const answer = await fetch(`/api/${url}?${query}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
    if (answer.ok && name !== undefined) return saveBlob(name, await answer.blob());
    if (answer.status === 429) return toast('error', t('error.tooMany'));
    const { message = '' } = (await answer.json()) as { message?: string };
    toast('error', message || t('error.unknown'));
  } catch {
    toast('error', t('error.offline'));
  }
}
