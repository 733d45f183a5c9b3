import { mostUploadBytes } from '@tollgate/contracts/api/import';
import i18next from 'i18next';
import { headersOf } from '../../shared/own-headers.ts';
import { storedUser } from '../../shared/session.ts';
import { toast } from '../../shared/ui/toasts.ts';

/** Sends a file to the server. Returns what names it as a source; undefined where that failed, which it says. */
export async function uploadSource(file: File): Promise<string | undefined> {
  const t = i18next.getFixedT(null, ['imports', 'shared']);
  if (file.size > mostUploadBytes) return refused(t('tooLarge'));
  try {
    const headers = { ...headersOf(storedUser()?.id), 'Content-Type': 'application/octet-stream' };
    const answer = await fetch('/api/import/file', { method: 'POST', headers, body: file });
    const { success, message, data } = (await answer.json()) as { success?: boolean; message?: string; data?: { from: string } };
    return success ? data?.from : refused(message || t('shared:error.unknown'));
  } catch {
    return refused(t('shared:error.offline'));
  }
}

function refused(text: string): undefined {
  toast('error', text);
  return undefined;
}
