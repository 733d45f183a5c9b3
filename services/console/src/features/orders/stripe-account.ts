import type { OptionValues } from '@tollgate/contracts';

export interface StripeAccount {
  secretKey: string;
  webhookSecret: string;
  /** Where the payer comes back to. */
  returnTo: string;
}

/** The account that the options name; none while one of them is missing. With an empty secret anybody could sign. */
export function stripeAccountOf(
  options: Pick<OptionValues, 'StripeSecretKey' | 'StripeWebhookSecret' | 'ServerAddress'>,
): StripeAccount | undefined {
  const { StripeSecretKey: secretKey, StripeWebhookSecret: webhookSecret, ServerAddress: returnTo } = options;
  return secretKey === '' || webhookSecret === '' || returnTo === '' ? undefined : { secretKey, webhookSecret, returnTo };
}
