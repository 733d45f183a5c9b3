import {
  channelIdsBody,
  createChannelBody,
  fetchModelsBody,
  listChannelsQuery,
  queryText,
  tagBody,
  tagChannelsBody,
  updateChannelBody,
  updateTagBody,
} from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { callerOf } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { languageOf, ok } from '../../http/answer.ts';
import { messageOf } from '../../http/error-handler.ts';
import type { Routes } from '../../http/mount.ts';
import { pathId } from '../../http/path-id.ts';
import { updateBalance, updateBalances } from './balance.ts';
import { listChannels } from './list.ts';
import { probeChannel } from './probe.ts';
import { startProbingAll } from './probe-all.ts';
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
import { switchTag, tagChannels, updateTag } from './tags.ts';
import { knownModels, modelsOfChannel, modelsOfUpstream } from './upstream-models.ts';

export function channelRoutes(context: Context) {
  return {
    'GET /api/channel': async (req, res) => ok(res, await listChannels(listChannelsQuery.parse(req.query))),
    'GET /api/channel/search': async (req, res) => ok(res, await listChannels(listChannelsQuery.parse(req.query))),
    'GET /api/channel/models': (_req, res) => ok(res, knownModels()),
    'GET /api/channel/fetch_models/:id': async (req, res) => ok(res, await modelsOfChannel(context.egress, pathId(req))),
    'POST /api/channel/fetch_models': async (req, res) => ok(res, await modelsOfUpstream(context.egress, fetchModelsBody.parse(req.body))),
    'GET /api/channel/test': async (_req, res) => {
      await startProbingAll(context);
      ok(res);
    },
    'GET /api/channel/test/:id': async (req, res) => {
      const { failure, durationMs } = await probeChannel(context.egress, pathId(req), queryText.parse(req.query.model));
      const message = failure instanceof AppError ? messageOf(failure, languageOf(req)) : failure?.message;
      res.json({ success: failure === undefined, message: message ?? '', time: durationMs / 1000 });
    },
    'GET /api/channel/update_balance': async (_req, res) => ok(res, await updateBalances(context)),
    'GET /api/channel/update_balance/:id': async (req, res) => {
      res.json({ success: true, message: '', balance: await updateBalance(context, pathId(req)) });
    },
    'GET /api/channel/:id': async (req, res) => ok(res, await getChannel(pathId(req))),
    'POST /api/channel': async (req, res) => ok(res, await createChannels(context, createChannelBody.parse(req.body), callerOf(res))),
    'PUT /api/channel': async (req, res) => ok(res, await updateChannel(context, updateChannelBody.parse(req.body), callerOf(res))),
    'POST /api/channel/:id/copy': async (req, res) => ok(res, await copyChannel(context, pathId(req), callerOf(res))),
    'DELETE /api/channel/:id': async (req, res) => {
      await deleteChannel(context, pathId(req), callerOf(res));
      ok(res);
    },
    'DELETE /api/channel/disabled': async (_req, res) => ok(res, await deleteDisabledChannels(context, callerOf(res))),
    'POST /api/channel/batch': async (req, res) =>
      ok(res, await deleteChannels(context, channelIdsBody.parse(req.body).ids, callerOf(res))),
    'POST /api/channel/fix': async (_req, res) => ok(res, await rereadChannels(context)),
    'POST /api/channel/batch/tag': async (req, res) => {
      const { ids, tag } = tagChannelsBody.parse(req.body);
      ok(res, await tagChannels(context, ids, tag ?? '', callerOf(res)));
    },
    'PUT /api/channel/tag': async (req, res) => {
      await updateTag(context, updateTagBody.parse(req.body), callerOf(res));
      ok(res);
    },
    'POST /api/channel/tag/enabled': async (req, res) => {
      await switchTag(context, tagBody.parse(req.body).tag, true, callerOf(res));
      ok(res);
    },
    'POST /api/channel/tag/disabled': async (req, res) => {
      await switchTag(context, tagBody.parse(req.body).tag, false, callerOf(res));
      ok(res);
    },
  } satisfies Routes;
}
