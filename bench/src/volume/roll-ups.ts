import type { VolumeLog } from './logs.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Sum = Record<'requests' | 'promptTokens' | 'completionTokens' | 'quota', number> & Record<string, unknown>;
export type RollUpRows = Record<'hourly' | 'byModel' | 'byPart', Sum[]>;

/**
 * Adds logs up as billing does, in the order of time: `add` returns the rows of periods that are over, so that no more than a day stands in memory.
 */
export function rollingUp() {
  const open = {
    hourly: new Map<string, Sum>(),
    byModel: new Map<string, Sum>(),
    byPart: new Map<string, Sum>(),
    byDay: new Map<string, Sum>(),
  };
  let [hour, day] = [0, 0];
  const drain = (map: Map<string, Sum>): Sum[] => {
    const rows = [...map.values()];
    map.clear();
    return rows;
  };
  const close = (days: boolean): RollUpRows => ({
    hourly: drain(open.hourly),
    byModel: drain(open.byModel),
    byPart: [...drain(open.byPart), ...(days ? drain(open.byDay) : [])],
  });
  return {
    add(row: VolumeLog): RollUpRows | undefined {
      if (row.type !== 2) return undefined;
      const [inHour, inDay] = [Math.floor(row.at.getTime() / hourMs), Math.floor(row.at.getTime() / dayMs)];
      const ended = inHour === hour ? undefined : close(inDay !== day);
      [hour, day] = [inHour, inDay];
      count(inHour, inDay, row);
      return ended;
    },
    rest: () => close(true),
  };

  function count(inHour: number, inDay: number, row: VolumeLog): void {
    const { userId, username, model, channelId, tokenId, group } = row;
    const [at, atDay] = [new Date(inHour * hourMs), new Date(inDay * dayMs)];
    const caller = { userId, username, model, channelId, tokenId, tokenName: `token-${tokenId}`, group };
    sum(open.hourly, `${inHour}|${userId}|${channelId}|${tokenId}|${group.length}|${group}|${model}`, row, { hour: at, ...caller });
    sum(open.byModel, `${inHour}|${model}`, row, { hour: at, model });
    sum(open.byPart, `g|${inHour}|${group}`, row, { by: 'group', at, group });
    sum(open.byDay, `c|${inDay}|${channelId}`, row, { by: 'channel', at: atDay, channelId });
    sum(open.byDay, `n|${inDay}|token-${tokenId}`, row, { by: 'tokenName', at: atDay, tokenName: `token-${tokenId}` });
    sum(open.byDay, `t|${inDay}|${userId}|${tokenId}`, row, { by: 'token', at: atDay, userId, tokenId });
  }
}

function sum(rows: Map<string, Sum>, id: string, log: VolumeLog, place: Record<string, unknown>): void {
  let row = rows.get(id);
  if (!row) {
    row = {
      _id: id,
      ...place,
      requests: 0,
      promptTokens: 0,
      completionTokens: 0,
      quota: 0,
      uncollected: 0,
      marks: { abc_0: '00000000000000000012' },
    };
    rows.set(id, row);
  }
  row.requests += 1;
  row.promptTokens += log.promptTokens;
  row.completionTokens += log.completionTokens;
  row.quota += log.quota;
}
