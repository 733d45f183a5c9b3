import { channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { channelFields, refuseMalformedKeys, refuseUnusable } from '../features/channels/fields.ts';
import { heldKey, onlyKey, storedKeys } from '../features/channels/key-rows.ts';
import { settingToStore } from '../features/channels/proxies.ts';
import { type MappedChannel, mapChannel } from './map-channel.ts';
import { markDone, type Place, placesOf } from './places.ts';
import { type SourceChannel, sourceChannel } from './rows.ts';
import { insertRows, noteChange, noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { pagesOf } from './source.ts';

/** Takes over channels with their keys; which of them serve which models is computed from them, as for any channel. */
export async function importChannels(run: Run): Promise<void> {
  for await (const page of pagesOf(run.source, 'channels')) {
    const rows = readable(run, 'channel', { rows: page, schema: sourceChannel });
    const mapped = rows.flatMap((row) => mappedChannel(run, row) ?? []);
    const places = await placesOf(
      run,
      'channel',
      mapped.map(({ channel: { key } }) => ({ key })),
    );
    const open = mapped.map((each) => ({ ...each, place: places.get(each.channel.key) as Place })).filter(({ place }) => !place.isDone);
    for (const { channel } of open) for (const model of channel.body.models.split(',')) run.models.add(model);
    for (const { row, changes } of open) for (const text of changes) noteChange(run, 'channel', { which: named(row), text });
    run.report.made.channel += open.length;
    run.report.unchanged.channel += mapped.length - open.length;
    if (!run.apply) continue;
    await insertRows(
      open.map(({ row, channel, place }) => channelRow(run, channel, { id: place.id, createdAt: timeOf(run, row.created_time) })),
      {
        insert: (documents) => Channel.insertMany(documents, { ordered: false }),
        count: (ids) => Channel.countDocuments({ id: { $in: ids } }),
      },
    );
    await markDone(
      run,
      open.map(({ place }) => place),
    );
  }
}

function named({ id, name }: SourceChannel): string {
  return `${id} (${name})`;
}

interface Found {
  row: SourceChannel;
  channel: MappedChannel;
  /** What differs from the source. */
  changes: string[];
}

/** What a channel of the source becomes. What no call could be made with is kept, disabled, to be mended by hand. */
function mappedChannel(run: Run, row: SourceChannel): Found | undefined {
  const outcome = row.deleted_at ? { leftOut: 'it is deleted' } : mapChannel(run.product, row);
  if ('leftOut' in outcome) {
    noteLeftOut(run, 'channel', { which: named(row), text: outcome.leftOut });
    return undefined;
  }
  const { channel, changes } = outcome;
  const fields = channelFields(channel.body);
  const setting = problemIn(() => settingToStore(run.egress, fields.setting ?? ''));
  const called = { type: channel.body.type, baseUrl: fields.baseUrl ?? '', other: channel.body.other };
  const elsewhere = called.baseUrl === '' ? '' : 'https://example.com';
  const unusable =
    problemIn(() => refuseUnusable({ ...called, baseUrl: elsewhere }, run.egress)) ??
    problemIn(() => refuseMalformedKeys(channel.body.type, channel.several?.keys.map(({ key }) => key) ?? [channel.body.key]));
  const address = unusable === undefined ? problemIn(() => refuseUnusable(called, run.egress)) : undefined;
  const unknown = (fields.groups ?? []).filter((group) => !run.groups.has(group));
  const own = [
    ...changes,
    ...(unusable === undefined ? [] : [`it is disabled, as no call could be made: ${unusable}`]),
    ...(address === undefined ? [] : [`its calls fail for now: ${address}`]),
    ...(setting === undefined ? [] : [`its settings are left out: ${setting}`]),
    ...(unknown.length === 0 ? [] : [`its group ${unknown.join(', ')} has no ratio here: nobody is served there`]),
  ];
  const body = setting === undefined ? channel.body : { ...channel.body, setting: '' };
  return { row, channel: { ...channel, body, status: unusable === undefined ? channel.status : channelStatus.disabled }, changes: own };
}

/** Why something is refused; undefined where it is not. */
function problemIn(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function channelRow(run: Run, { body, status, several }: MappedChannel, { id, createdAt }: { id: number; createdAt: Date }) {
  const { key, ...rest } = body;
  const fields = channelFields(rest);
  if (fields.setting) fields.setting = settingToStore(run.egress, fields.setting);
  if (several === undefined) return { ...fields, id, status, ...onlyKey(id, key), createdAt };
  const { keys, keyMode } = several;
  const held = keys.map((each, at) => ({ ...heldKey(id, { id: at + 1, text: each.key, name: each.name }), status: each.status }));
  return { ...fields, id, status, keyMode, ...storedKeys(held, held.length), createdAt };
}
