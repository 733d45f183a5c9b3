import { rows, type TokenWalletRow } from '@tollgate/db';
import { writeAll } from './bulk.ts';
import { amountOf, type Charge, groupBy, sum } from './charge.ts';

export interface TokenState {
  remain: number;
  version: number;
}

/**
 * Counts each token's events beyond its mark, like `chargeWallets`. `remain` stops at zero: the wallet pays, and `remain` of an unlimited
 * token is meaningless. A token without a wallet (deleted) is skipped.
 */
export async function chargeTokens(mark: string, charges: Charge[]): Promise<Map<number, TokenState>> {
  const byToken = groupBy(
    charges.filter(({ tokenId }) => tokenId > 0),
    ({ tokenId }) => tokenId,
  );
  const states = new Map<number, TokenState>();
  let open = [...byToken.keys()];
  while (open.length > 0) {
    const operations = [];
    const tried = new Map<number, TokenState>();
    for (const token of await readTokens(mark, open)) {
      const counted = token.marks?.[mark] ?? '';
      const beyond = (byToken.get(token._id) ?? []).filter(({ offset }) => offset > counted);
      if (beyond.length === 0) {
        states.set(token._id, token);
        continue;
      }
      const used = sum(beyond, amountOf);
      const remain = Math.max(0, token.remain - used);
      operations.push({
        updateOne: { filter: { _id: token._id, version: token.version }, update: updateOf(mark, token, beyond, { used, remain }) },
      });
      tried.set(token._id, { remain, version: token.version + 1 });
    }
    const { done, failures } = await writeAll(rows.tokenWallets(), operations);
    if (failures.length === 0 && done === operations.length) {
      for (const [tokenId, state] of tried) states.set(tokenId, state);
      break;
    }
    open = [...tried.keys()];
  }
  return states;
}

function readTokens(mark: string, tokenIds: number[]): Promise<TokenWalletRow[]> {
  const projection = { remain: 1, version: 1, [`marks.${mark}`]: 1 };
  return rows
    .tokenWallets()
    .find({ _id: { $in: tokenIds } }, { projection })
    .toArray();
}

function updateOf(mark: string, token: TokenWalletRow, beyond: Charge[], { used, remain }: { used: number; remain: number }) {
  const last = beyond[beyond.length - 1] as Charge;
  const lastCall = beyond.findLast(({ refundOf }) => refundOf === undefined);
  return {
    $inc: { remain: remain - token.remain, used, version: 1 },
    $set: { [`marks.${mark}`]: last.offset, ...(lastCall && { accessedAt: lastCall.at }) },
  };
}
