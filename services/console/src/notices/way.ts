import type { Language, UserSettingBody } from '@tollgate/contracts';
import { type UserDoc, unseal } from '@tollgate/db';

type Reader = Pick<UserDoc, 'id' | 'email' | 'setting'>;
type Stored = Partial<UserSettingBody & { language: Language }>;

export type Way =
  | { by: 'mail'; address: string }
  | { by: 'webhook'; url: string; secret: string; form: NonNullable<Stored['webhook_form']> };

export function settingOf({ setting }: Pick<Reader, 'setting'>): Stored {
  return JSON.parse(setting || '{}') as Stored;
}

/** How somebody wants to hear of things; undefined for whoever has said nothing and has no address. */
export function wayTo(reader: Reader): Way | undefined {
  const { notify_type, webhook_url, webhook_secret, webhook_form = 'json', notification_email } = settingOf(reader);
  if (notify_type === 'webhook') {
    const secret = webhook_secret ? unseal(webhook_secret, placeOfWebhookSecret(reader.id)) : '';
    return webhook_url ? { by: 'webhook', url: webhook_url, secret, form: webhook_form } : undefined;
  }
  const address = notification_email || reader.email;
  return address ? { by: 'mail', address } : undefined;
}

export function placeOfWebhookSecret(userId: number): string {
  return `user:${userId}:webhook_secret`;
}
