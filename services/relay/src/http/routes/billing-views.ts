import type { Caller } from '../../auth/callers.ts';
import type { Relay } from '../../context/relay.ts';

/** What an unlimited token shows as its limit, as the product family does. */
const unlimitedUsd = 100_000_000;

interface Subscription {
  object: 'billing_subscription';
  has_payment_method: true;
  soft_limit_usd: number;
  hard_limit_usd: number;
  system_hard_limit_usd: number;
  /** Unix seconds; 0: for ever. */
  access_until: number;
}

/** What the token, or its owner, has had in all: what is left and what is used. */
export async function subscriptionView(relay: Relay, caller: Caller): Promise<Subscription> {
  const { remain, used, isUnlimited } = await moneyOf(relay, caller);
  const limit = isUnlimited ? unlimitedUsd : shown(relay, remain + used);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Number.isFinite(caller.expiresAtMs) ? Math.floor(caller.expiresAtMs / 1000) : 0,
  };
}

/** What the token, or its owner, has used, in cents. */
export async function usageView(relay: Relay, caller: Caller): Promise<{ object: 'list'; total_usage: number }> {
  const { used } = await moneyOf(relay, caller);
  return { object: 'list', total_usage: shown(relay, used) * 100 };
}

/** What a key may do and has spent, as LiteLLM shows it to the key itself. Source: https://docs.litellm.ai/docs/proxy/virtual_keys */
export async function keyInfoView(relay: Relay, caller: Caller): Promise<object> {
  const money = (await relay.wallet.tokenBalances([caller.tokenId])).get(caller.tokenId);
  const used = money?.used ?? 0;
  return {
    info: {
      key_alias: caller.tokenName,
      spend: shown(relay, used),
      max_budget: caller.unlimited ? null : shown(relay, (money?.remain ?? 0) + used),
      expires: Number.isFinite(caller.expiresAtMs) ? new Date(caller.expiresAtMs).toISOString() : null,
      models: [...(caller.modelLimits ?? [])],
      user_id: String(caller.userId),
      blocked: false,
    },
  };
}

async function moneyOf(relay: Relay, caller: Caller): Promise<{ remain: number; used: number; isUnlimited: boolean }> {
  if (relay.settings.options.DisplayTokenStatEnabled) {
    const token = (await relay.wallet.tokenBalances([caller.tokenId])).get(caller.tokenId);
    return { remain: token?.remain ?? 0, used: token?.used ?? 0, isUnlimited: caller.unlimited };
  }
  const { balance, usedQuota } = await relay.wallet.balance(caller.userId);
  return { remain: balance, used: usedQuota, isUnlimited: false };
}

function shown(relay: Relay, quota: number): number {
  const { DisplayInCurrencyEnabled, QuotaPerUnit } = relay.settings.options;
  return DisplayInCurrencyEnabled ? quota / QuotaPerUnit : quota;
}
