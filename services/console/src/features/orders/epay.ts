import { createHash } from 'node:crypto';
import type { CallbackVerdict, OptionValues } from '@tollgate/contracts';
import type { OrderDoc } from '@tollgate/db';
import { isOneOf } from '@tollgate/runtime';

/** What gateways of the epay protocol are paid in. */
export const epayCurrency = 'CNY';

export interface Gateway {
  address: string;
  merchant: string;
  key: string;
  /** Where the gateway's callbacks reach us. */
  callback: string;
  /** Where the payer comes back to. */
  returnTo: string;
}

type GatewayOptions = Pick<OptionValues, 'PayAddress' | 'EpayId' | 'EpayKey' | 'ServerAddress' | 'CustomCallbackAddress'>;
type Params = Record<string, string>;

/** The gateway that the options name; none while one of them is missing. With an empty key anybody could sign. */
export function gatewayOf(options: GatewayOptions): Gateway | undefined {
  const { PayAddress: address, EpayId: merchant, EpayKey: key, ServerAddress } = options;
  const callback = options.CustomCallbackAddress || ServerAddress;
  if (address === '' || merchant === '' || key === '' || callback === '') return undefined;
  return { address, merchant, key, callback, returnTo: ServerAddress || callback };
}

/** What a browser posts to have an order paid, and where. */
export function paymentForm(order: OrderDoc, gateway: Gateway): { data: Params; url: string } {
  const fields: Params = {
    pid: gateway.merchant,
    type: order.method,
    out_trade_no: order.tradeNo,
    notify_url: `${gateway.callback}/api/user/epay/notify`,
    return_url: `${gateway.returnTo}/topup`,
    name: `TUC${order.amount}`,
    money: moneyText(order.cents),
    device: 'pc',
  };
  return { data: { ...fields, sign: signatureOf(fields, gateway.key), sign_type: 'MD5' }, url: `${gateway.address}/submit.php` };
}

/** The protocol's signature: MD5 over the fields in the order of their names, empty ones and the signature itself left out, and the key. */
export function signatureOf(params: Params, key: string): string {
  const signed = Object.keys(params)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && params[name] !== '')
    .sort()
    .map((name) => `${name}=${params[name]}`);
  return createHash('md5')
    .update(signed.join('&') + key)
    .digest('hex');
}

/** Whether who has the key signed this; takes as long for a wrong signature as for one that is nearly right. */
export function isSigned(params: Params, key: string): boolean {
  const given = Buffer.from((params.sign ?? '').toLowerCase());
  const right = Buffer.from(signatureOf(params, key));
  return key !== '' && isOneOf(given, [right]);
}

/** The parameters of a callback; none where one stands there twice. */
export function paramsIn(query: object): Params | undefined {
  const entries: [string, unknown][] = Object.entries(query);
  return entries.every(([, value]) => typeof value === 'string') ? (Object.fromEntries(entries) as Params) : undefined;
}

/** What a signed callback says of the order that it names. */
export function verdictOn(params: Params, order: Pick<OrderDoc, 'cents' | 'currency'>, { merchant }: Gateway): CallbackVerdict {
  if (params.pid !== merchant) return 'wrong_merchant';
  if ((params.currency || epayCurrency) !== order.currency) return 'wrong_currency';
  const cents = /^\d{1,12}(\.\d{1,6})?$/.test(params.money ?? '') ? Number(params.money) * 100 : Number.NaN;
  // 73.1 * 100 is 7309.999999999999.
  if (!(Math.abs(cents - order.cents) < 0.001)) return 'wrong_amount';
  return params.trade_status === 'TRADE_SUCCESS' ? 'paid' : 'not_paid';
}

export function moneyText(cents: number): string {
  return (cents / 100).toFixed(2);
}
