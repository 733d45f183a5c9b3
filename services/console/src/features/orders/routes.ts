import type { orderRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import { bytesOf, formOf } from '../../http/body.ts';
import type { Handlers } from '../../http/handlers.ts';
import { takeCallback } from './credit.ts';
import { completeOrder, listOrders, listOwnOrders, makeOrder, payableAmount } from './service.ts';
import { payByStripe, takeStripeEvent } from './stripe.ts';

/** The word that clients of the product family look for in the answers about payments. */
const done = 'success';

export function orderHandlers(context: Context): Handlers<typeof orderRoutes> {
  return {
    'POST /api/user/amount': ({ body, caller }) => said(payableAmount(context, body, caller), done),
    'POST /api/user/pay': async ({ body, caller }) => said(await makeOrder(context, body, caller), done),
    'POST /api/user/stripe/pay': ({ body, caller }) => payByStripe(context, body, caller),
    'POST /api/user/stripe/webhook': async ({ req, res, address }) => {
      const signature = req.headers['stripe-signature'];
      const bytes = bytesOf(req);
      const { status, word } = await takeStripeEvent(context, {
        bytes,
        signature: typeof signature === 'string' ? signature : '',
        address,
      });
      res.status(status).type('text/plain').send(word);
    },
    'GET /api/user/epay/notify': async ({ req, res, address }) => {
      const word = await takeCallback(context, { query: req.query, address });
      res.type('text/plain').send(word);
    },
    'POST /api/user/epay/notify': async ({ req, res, address }) => {
      const word = await takeCallback(context, { query: await formOf(req, res), address });
      res.type('text/plain').send(word);
    },
    'GET /api/order/self': ({ query, caller }) => listOwnOrders(query, caller),
    'GET /api/order': ({ query }) => listOrders(query),
    'POST /api/order/complete': ({ body, caller }) => completeOrder(context, body.trade_no, caller),
  };
}
