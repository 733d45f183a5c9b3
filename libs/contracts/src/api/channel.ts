import { z } from 'zod';
import {
  channelIdsBody,
  createChannelBody,
  fetchModelsBody,
  listChannelsQuery,
  patchChannelsBody,
  tagBody,
  tagChannelsBody,
  updateChannelBody,
  updateTagBody,
} from './channel-bodies.ts';
import { channelFacets, channelTestsView, channelTestView, channelView, knownModel } from './channel-views.ts';
import { bulkResult, pageView, queryText } from './common.ts';
import { route } from './route.ts';

const count = z.number();
const modelNames = z.array(z.string());

export const channelRoutes = {
  'GET /api/channel': route({ summary: 'Channels', access: 'admin', query: listChannelsQuery, answer: pageView(channelView) }),
  'GET /api/channel/search': route({
    summary: 'Channels by id, key, a part of the name or base URL, group and model',
    access: 'admin',
    query: listChannelsQuery,
    answer: pageView(channelView),
    example: { query: { keyword: 'main', group: 'default', model: 'gpt' } },
  }),
  'GET /api/channel/facets': route({
    summary: 'Types, groups, tags and models of all channels, with counts',
    access: 'admin',
    answer: channelFacets,
  }),
  'GET /api/channel/models': route({ summary: 'The models that channels can have', access: 'admin', answer: z.array(knownModel) }),
  'GET /api/channel/fetch_models/:id': route({
    summary: 'The models that the upstream of a channel has',
    access: 'admin',
    answer: modelNames,
    example: { params: { id: 1 } },
  }),
  'POST /api/channel/fetch_models': route({
    summary: 'The models of an upstream that is no channel yet',
    access: 'admin',
    body: fetchModelsBody,
    answer: modelNames,
    unaudited: 'it asks an upstream and changes nothing',
    example: { body: { type: 1, key: 'sk-example', base_url: 'https://upstream.example' } },
  }),
  'GET /api/channel/test': route({ summary: 'Starts a test of all channels', access: 'admin' }),
  'GET /api/channel/test/progress': route({
    summary: 'How far the test of all channels has come that runs, or ran last',
    access: 'admin',
    answer: channelTestsView,
  }),
  'GET /api/channel/test/:id': route({
    summary: 'Sends a small question through a channel; answers the seconds that it took',
    access: 'admin',
    query: z.object({ model: queryText }),
    beside: z.object({ time: z.number() }),
    example: { params: { id: 1 } },
  }),
  'GET /api/channel/update_balance': route({
    summary: 'Asks for the balances of all channels; answers how many told',
    access: 'admin',
    answer: count,
  }),
  'GET /api/channel/update_balance/:id': route({
    summary: "Asks a channel's provider what the account has left, in US dollars",
    access: 'admin',
    beside: z.object({ balance: z.number() }),
    example: { params: { id: 1 } },
  }),
  'DELETE /api/channel/disabled': route({
    summary: 'Deletes the channels that are switched off',
    access: 'admin',
    answer: count,
    undoable: true,
  }),
  'POST /api/channel/batch': route({
    summary: 'Deletes channels; answers how many there were',
    access: 'admin',
    body: channelIdsBody,
    answer: count,
    undoable: true,
    example: { body: { ids: [1, 2] } },
  }),
  'POST /api/channel/batch/tag': route({
    summary: 'Puts a tag on channels, or takes it away',
    access: 'admin',
    body: tagChannelsBody,
    answer: count,
    undoable: true,
    example: { body: { ids: [1, 2], tag: 'spare' } },
  }),
  'PUT /api/channel/batch': route({
    summary: 'Changes many channels alike: those named, or all that a filter leaves',
    access: 'admin',
    body: patchChannelsBody,
    answer: bulkResult,
    undoable: true,
    example: { body: { filter: { tag: 'main' }, set: { priority: 3 } } },
  }),
  'POST /api/channel/fix': route({
    summary: 'Has every relay read the channels again; answers how many there are',
    access: 'admin',
    answer: count,
    unaudited: 'it changes nothing',
  }),
  'PUT /api/channel/tag': route({
    summary: 'Changes all channels of a tag alike',
    access: 'admin',
    body: updateTagBody,
    undoable: true,
    example: { body: { tag: 'main', priority: 5 } },
  }),
  'POST /api/channel/tag/enabled': route({
    summary: 'Switches the channels of a tag on',
    access: 'admin',
    body: tagBody,
    undoable: true,
    example: { body: { tag: 'main' } },
  }),
  'POST /api/channel/tag/disabled': route({
    summary: 'Switches the channels of a tag off',
    access: 'admin',
    body: tagBody,
    undoable: true,
    example: { body: { tag: 'main' } },
  }),
  'GET /api/channel/:id': route({ summary: 'One channel', access: 'admin', answer: channelView, example: { params: { id: 1 } } }),
  'GET /api/channel/:id/tests': route({
    summary: 'The last tests of a channel, the newest first',
    access: 'admin',
    answer: z.array(channelTestView),
    example: { params: { id: 1 } },
  }),
  'POST /api/channel/:id/copy': route({
    summary: 'Copies a channel, key and all',
    access: 'admin',
    answer: channelView,
    example: { params: { id: 1 } },
  }),
  'POST /api/channel': route({
    summary: 'Makes a channel, or one for each line of the key',
    access: 'admin',
    body: createChannelBody,
    answer: z.array(channelView),
    example: {
      body: {
        name: 'main',
        type: 1,
        key: 'sk-example',
        base_url: 'https://upstream.example',
        models: 'gpt-4o,gpt-4o-mini',
        group: 'default',
      },
    },
  }),
  'PUT /api/channel': route({
    summary: 'Changes what the body names of a channel',
    access: 'admin',
    body: updateChannelBody,
    answer: channelView,
    example: { body: { id: 1, priority: 7 } },
  }),
  'DELETE /api/channel/:id': route({
    summary: 'Deletes a channel',
    access: 'admin',
    undoable: true,
    example: { params: { id: 1 } },
  }),
};
