import {
  type BulkResult,
  type channelRoutes,
  type channelStatsRoutes,
  channelStatus,
  mostInBulk,
  type PatchChannelsBody,
} from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { failed, type Said, undoable } from '../../http/answer.ts';
import { messageOf } from '../../http/error-handler.ts';
import type { Handlers } from '../../http/handlers.ts';
import { probeAll } from '../../jobs/probe-all.ts';
import { changeRows } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { updateBalance, updateBalances } from './balance.ts';
import { announceChannels } from './change.ts';
import { channelFacets } from './facets.ts';
import { channelFields } from './fields.ts';
import { addKeys, deleteKeys, listKeys, patchKeys } from './keys.ts';
import { channelFilter, listChannels } from './list.ts';
import { probeChannel, testsOf } from './probe.ts';
import { channelTests } from './probe-all.ts';
import {
  copyChannel,
  createChannels,
  deleteChannel,
  deleteChannels,
  deleteDisabledChannels,
  getChannel,
  rereadChannels,
  updateChannel,
} from './service.ts';
import { callStatsOf, channelHealthOf, channelStatsOf } from './stats.ts';
import { switchTag, tagChannels, updateTag } from './tags.ts';
import { knownModels, modelsOfChannel, modelsOfUpstream } from './upstream-models.ts';
import { type ChannelRow, isExpired } from './views.ts';

const action = 'channel.update_many';

/** Puts the same on many channels: one write, one row in the audit log that names them all, one notice. */
async function patchChannels(context: Context, { ids, filter, set }: PatchChannelsBody, actor: Caller): Promise<Said<BulkResult>> {
  const { status, ...rest } = set;
  const fields = channelFields(rest);
  const rows = await Channel.find(filter ? channelFilter(filter) : { id: { $in: ids } })
    .sort({ id: 1 })
    .limit(mostInBulk + 1)
    .lean();
  if (rows.length > mostInBulk) throw new AppError('too_many_selected', { limit: mostInBulk });
  refuseUnknownGroups(context.options.values, fields.groups);
  const now = new Date();
  const changed = await changeRows<ChannelRow>(Channel, rows, (channel) => {
    if (status === channelStatus.enabled && isExpired({ ...channel, ...fields }, now.getTime())) throw new AppError('channel_needs_expiry');
    return { ...fields, ...(status !== undefined && status !== channel.status && { status, statusReason: '', statusChangedAt: now }) };
  });
  if (changed.length > 0) {
    const changedIds = changed.map(({ before }) => before.id);
    await audit(actor, action, `channels:${changedIds.length}`, { after: { ids: changedIds, ...set } });
    await announceChannels(context, changedIds);
  }
  const undo = await keepUndo(actor, { action, kind: 'channel', changed });
  return undoable({ matched: rows.length, changed: changed.length }, undo);
}

export function channelHandlers(context: Context): Handlers<typeof channelRoutes & typeof channelStatsRoutes> {
  const nowMs = () => context.wallet.time();
  return {
    'GET /api/channel': ({ query }) => listChannels(query),
    'GET /api/channel/search': ({ query }) => listChannels(query),
    'GET /api/channel/facets': () => channelFacets(context.offered),
    'GET /api/channel/models': () => knownModels(),
    'GET /api/channel/fetch_models/:id': ({ params }) => modelsOfChannel(context.egress, params.id),
    'POST /api/channel/fetch_models': ({ body }) => modelsOfUpstream(context.egress, body),
    'GET /api/channel/test': async () => {
      if (!(await context.jobs.start(probeAll, { byHand: true }))) throw new AppError('channel_test_running');
    },
    'GET /api/channel/test/progress': async () => channelTests(context, await context.jobs.isUnderWay(probeAll)),
    'GET /api/channel/test/:id': async ({ params, query, language }) => {
      const { failure, durationMs } = await probeChannel(context.egress, params.id, {
        model: query.model,
        keyId: query.key_id || undefined,
      });
      const time = durationMs / 1000;
      if (!failure) return { time };
      return failed({ time }, failure instanceof AppError ? messageOf(failure, language) : failure.message);
    },
    'GET /api/channel/update_balance': () => updateBalances(context),
    'GET /api/channel/update_balance/:id': async ({ params }) => ({ balance: await updateBalance(context, params.id) }),
    'GET /api/channel/health': ({ query }) => channelHealthOf(query.ids, nowMs()),
    'GET /api/channel/:id/stats': ({ params, query }) => channelStatsOf(params.id, query, nowMs()),
    'GET /api/data/calls': ({ query }) => callStatsOf(query, nowMs()),
    'GET /api/channel/:id': ({ params }) => getChannel(params.id),
    'POST /api/channel': ({ body, caller }) => createChannels(context, body, caller),
    'PUT /api/channel': ({ body, caller }) => updateChannel(context, body, caller),
    'GET /api/channel/:id/tests': ({ params }) => testsOf(params.id),
    'GET /api/channel/:id/keys': ({ params, query }) => listKeys(context, params.id, query),
    'POST /api/channel/:id/keys': ({ params, body, caller }) => addKeys(context, params.id, body, caller),
    'PUT /api/channel/:id/keys': ({ params, body, caller }) => patchKeys(context, params.id, body, caller),
    'POST /api/channel/:id/keys/delete': ({ params, body, caller }) => deleteKeys(context, params.id, body.ids, caller),
    'POST /api/channel/:id/copy': ({ params, caller }) => copyChannel(context, params.id, caller),
    'DELETE /api/channel/:id': ({ params, caller }) => deleteChannel(context, params.id, caller),
    'DELETE /api/channel/disabled': ({ caller }) => deleteDisabledChannels(context, caller),
    'POST /api/channel/batch': ({ body, caller }) => deleteChannels(context, body.ids, caller),
    'PUT /api/channel/batch': ({ body, caller }) => patchChannels(context, body, caller),
    'POST /api/channel/fix': () => rereadChannels(context),
    'POST /api/channel/batch/tag': ({ body, caller }) => tagChannels(context, body.ids, body.tag ?? '', caller),
    'PUT /api/channel/tag': ({ body, caller }) => updateTag(context, body, caller),
    'POST /api/channel/tag/enabled': ({ body, caller }) => switchTag(context, body.tag, true, caller),
    'POST /api/channel/tag/disabled': ({ body, caller }) => switchTag(context, body.tag, false, caller),
  };
}
