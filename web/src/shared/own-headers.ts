import i18next from 'i18next';

/** What every call of the console's API says: who makes it, as this tab believes, and in which language it is answered. */
export function headersOf(userId: number | undefined): Record<string, string> {
  return { 'New-Api-User': String(userId ?? -1), 'Accept-Language': i18next.language || 'en' };
}
