import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ChannelView,
  type OptionView,
  optionValues,
  type Page,
  type PriceHistoryView,
  type PriceSourceView,
  type PricingRow,
  type ProposalView,
  type TakenFile,
} from '@tollgate/contracts';
import { Channel, Proposal, UsageByModel } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { notePrices, priceHistory } from '../src/features/catalog/history.ts';
import type { Offered } from '../src/features/pricing/offered-models.ts';
import { openBoard } from '../src/jobs/board.ts';
import { keepPrices, syncModels } from '../src/jobs/catalog-jobs.ts';
import { startConsole, type TestConsole } from './support/console.ts';

type Json = Record<string, unknown>;

describe('The catalog', () => {
  let tollgate: TestConsole;
  let files: Server;
  let url: string;
  let redis: Redis;
  let board: ReturnType<typeof openBoard>;
  /** What the addresses of the sources and of a provider answer. */
  const answers = new Map<string, unknown>();

  before(async () => {
    tollgate = await startConsole({ EGRESS_ALLOW: '127.0.0.1', EGRESS_ALLOW_SERVICES: '127.0.0.1' });
    redis = new Redis(tollgate.redisUrl);
    board = openBoard(redis);
    files = createServer((req, res) => {
      const answer = answers.get(req.url ?? '');
      res.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    await tollgate.root.ok('POST', '/api/channel/', {
      type: 1,
      name: 'main',
      key: 'k',
      group: 'default',
      base_url: url,
      models: 'gpt-4.1,gpt-5.4,gpt-4.1-mini,o3,gpt-4o',
    });
  });
  after(async () => {
    files.close();
    await board.close();
    redis.disconnect();
    await tollgate.close();
  });
  beforeEach(async () => {
    answers.clear();
    await Proposal.deleteMany({});
    await set({ ModelCatalog: null, CatalogSources: null, CatalogPins: null, ModelSyncHours: null, CatalogQuietPercent: null });
  });

  /** Has the console do a job now. */
  const run = (work: Parameters<typeof board.start>[0]) => eventually(async () => expect(await board.start(work, {})).to.equal(true));

  async function set(values: Record<string, unknown>): Promise<void> {
    const options = Object.entries(values).map(([key, value]) => ({ key, value: value === null ? null : JSON.stringify(value) }));
    await tollgate.root.ok('PUT', '/api/option/batch', { options, confirm: true });
  }
  const proposals = async (status = '') =>
    (await tollgate.root.ok<Page<ProposalView>>('GET', `/api/catalog/proposal?page_size=100&status=${status}`)).items;
  const upload = (models: Json, more: Json = {}) =>
    tollgate.root.ok<TakenFile>('POST', '/api/catalog/upload', {
      kind: 'models.dev',
      text: JSON.stringify({ openai: { models } }),
      ...more,
    });
  const priceOf = async (model: string) => {
    const { data } = await tollgate.anonymous.send<PricingRow[]>('GET', '/api/pricing');
    const row = data.find(({ model_name: name }) => name === model);
    return row && [row.model_ratio * 2, Number((row.model_ratio * 2 * row.completion_ratio).toPrecision(6))];
  };
  const decide = (ids: string[], action: string, more: Json = {}) =>
    tollgate.root.ok<{ decided: number }>('POST', '/api/catalog/proposal', { ids, action, ...more });
  const cost = (input: number, output: number) => ({ cost: { input, output } });

  it('takes small changes at once and lets others wait for approval', async () => {
    const models = { 'gpt-4.1': cost(2.1, 8.2), 'gpt-5.4': cost(99, 990), o3: cost(0, 0), 'not-offered': cost(1, 2) };
    const plan = await upload(models, { dry_run: true });
    expect(plan).to.deep.include({ applied: 1, waiting: 1, quarantined: 1 });
    expect(await proposals()).to.have.length(0);
    expect(await upload(models)).to.deep.equal(plan);
    expect(await priceOf('gpt-4.1')).to.deep.equal([2.1, 8.2]);
    const [before] = [await priceOf('gpt-5.4')];
    expect((await proposals('waiting')).map(({ id, reasons }) => [id, reasons])).to.deep.equal([['price:0:gpt-5.4', ['rise']]]);
    expect((await proposals('quarantined')).map(({ id, reasons }) => [id, reasons])).to.deep.equal([['price:0:o3', ['free']]]);
    expect(await priceOf('gpt-5.4')).to.deep.equal(before);
    expect((await decide(['price:0:gpt-5.4', 'price:0:o3'], 'approve')).decided).to.equal(1);
    expect(await priceOf('gpt-5.4')).to.deep.equal([99, 990]);
    expect((await decide(['price:0:gpt-5.4'], 'approve')).decided, 'a second time').to.equal(0);
    await set({ CatalogQuietPercent: 0 });
    expect(await upload({ 'gpt-4.1': cost(2.15, 8.2) })).to.include({ applied: 0, waiting: 1 });
  });

  it('shows what the tokens of the last month would cost, and does not propose again what was rejected', async () => {
    await UsageByModel.create({ _id: 'x', hour: new Date(), model: 'gpt-4.1', requests: 1, promptTokens: 1e6, completionTokens: 1e6 });
    await upload({ 'gpt-4.1': cost(4, 16) });
    const [waiting] = await proposals();
    expect(waiting).to.deep.include({ cost_before: 10, cost_after: 20, source: 'file', action: 'set' });
    await decide([waiting?.id ?? ''], 'reject');
    await upload({ 'gpt-4.1': cost(4, 16) });
    expect((await proposals())[0]?.status).to.equal('rejected');
    await upload({ 'gpt-4.1': cost(5, 16) });
    expect((await proposals())[0]?.status).to.equal('waiting');
    await UsageByModel.deleteMany({});
  });

  it('puts an approved price in force at its time, and shows customers how prices have changed', async () => {
    await upload({ 'gpt-4.1': cost(4, 16) });
    await decide(['price:0:gpt-4.1'], 'approve', { effective_time: Math.floor(Date.now() / 1000) + 3600 });
    expect((await proposals())[0]).to.include({ status: 'scheduled', decided_by: 'root' });
    expect(await priceOf('gpt-4.1')).to.deep.equal([2, 8]);
    const inputs = async () =>
      (await tollgate.anonymous.ok<PriceHistoryView>('GET', '/api/pricing/history?model=gpt-4.1')).map(({ prices }) => prices.input);
    await run(keepPrices);
    await eventually(async () => expect((await inputs())[0]).to.equal(2));
    await Proposal.updateMany({}, { effectiveAt: new Date() });
    await run(keepPrices);
    await eventually(async () => expect((await inputs()).slice(0, 2)).to.deep.equal([4, 2]));
    expect(await priceOf('gpt-4.1')).to.deep.equal([4, 16]);
  });

  it('compares prices only after a change of options, channels or the time', async () => {
    const source = { source: 'https://example.com', read: '2026-11-26' };
    const until = new Date(Date.now() + 400).toISOString();
    const price = { input: 4, output: 8, variants: [{ when: { until }, times: 0.5 }] };
    const catalog = { version: 1, families: {}, models: [{ name: 'timed', provider: 'p', price, ...source }] };
    let values = optionValues(new Map());
    let models: Offered = new Map([['gpt-4.1', new Set(['default'])]]);
    const note = () => notePrices({ options: { read: async () => values }, offered: { read: async () => models } } as never);
    const both = async () => [await note(), await note()];
    expect(await both()).to.deep.equal([true, false]);
    values = optionValues(new Map([['ModelCatalog', JSON.stringify(catalog)]]));
    models = new Map([['timed', new Set(['default'])]]);
    expect(await both()).to.deep.equal([true, false]);
    await eventually(async () => expect(await note(), 'the price has ended').to.equal(true));
    expect((await priceHistory('timed')).map(({ prices }) => prices.input)).to.deep.equal([4, 2]);
    expect(await note()).to.equal(false);
  });

  it('reads its sources by schedule, the first one that lists a model decides', async () => {
    answers.set('/first', { 'gpt-4.1': { litellm_provider: 'openai', input_cost_per_token: 2.1e-6, output_cost_per_token: 8e-6 } });
    answers.set('/second', {
      data: [
        { model_name: 'gpt-4.1', quota_type: 0, model_ratio: 1.01, completion_ratio: 4 },
        { model_name: 'gpt-4.1-mini', quota_type: 0, model_ratio: 0.21, completion_ratio: 4 },
      ],
    });
    const sources = [
      { name: 'first', kind: 'litellm', url: `${url}/first` },
      { name: 'second', kind: 'pricing', url: `${url}/second` },
      { name: 'gone', kind: 'openrouter', url: `${url}/gone` },
    ];
    await set({ CatalogSources: sources, CatalogSyncHours: 1 });
    await tollgate.root.ok('POST', '/api/catalog/sync');
    await eventually(async () => expect(await priceOf('gpt-4.1-mini')).to.deep.equal([0.42, 1.68]), { timeoutMs: 20_000 });
    expect(await priceOf('gpt-4.1')).to.deep.equal([2.1, 8]);
    await eventually(async () => {
      const states = await tollgate.root.ok<PriceSourceView[]>('GET', '/api/catalog/source');
      expect(states.map(({ name, error, applied }) => [name, error, applied])).to.deep.equal([
        ['first', '', 1],
        ['second', '', 1],
        ['gone', 'status 404', 0],
      ]);
    });
    const { schedules } = await tollgate.root.ok<{ schedules: { name: string; every: number }[] }>('GET', '/api/job');
    expect(schedules.find(({ name }) => name === 'sync-catalog')?.every).to.equal(3600);
    await set({ CatalogSyncHours: null });
  });

  it('leaves pinned models alone, and takes a pinned source', async () => {
    await set({ CatalogPins: { 'gpt-4.1': '', 'gpt-5*': 'elsewhere' } });
    expect(await upload({ 'gpt-4.1': cost(2.1, 8), 'gpt-5.4': cost(2.6, 15), 'gpt-4.1-mini': cost(0.41, 1.6) })).to.include({
      applied: 1,
      waiting: 0,
    });
    expect(await priceOf('gpt-4.1')).to.deep.equal([2, 8]);
  });

  it('lets the rules of an uploaded catalog wait, and takes its prices by the same guards', async () => {
    const at = { source: 'https://example.com/nova', read: '2026-11-26' };
    const models = [
      { name: 'nova-1', provider: 'nova', price: { input: 1, output: 2 }, limits: { context: 1000 }, ...at },
      {
        name: 'gpt-4.1',
        provider: 'openai',
        price: { input: 2, output: 8, variants: [{ when: { from: '2030-01-01T00:00:00Z' }, times: 0 }] },
        ...at,
      },
    ];
    const text = JSON.stringify({ version: 1, families: {}, models });
    expect(await tollgate.root.ok('POST', '/api/catalog/upload', { kind: 'catalog', text })).to.include({
      applied: 1,
      waiting: 1,
      quarantined: 1,
    });
    expect((await proposals()).map(({ id, reasons }) => [id, reasons])).to.have.deep.members([
      ['price:0:gpt-4.1', ['free']],
      ['facts:0:file', []],
    ]);
    await decide(['facts:0:file'], 'approve');
    const stored = (await tollgate.root.ok<OptionView[]>('GET', '/api/option/')).find(({ key }) => key === 'ModelCatalog');
    expect(stored?.value).to.contain('"context":1000');
    expect((await tollgate.root.send('POST', '/api/catalog/upload', { kind: 'catalog', text: '{"models":[]}' })).message).to.contain(
      'no catalog',
    );
  });

  it('flags discontinued models with the channels that they break', async () => {
    const text = JSON.stringify({
      o3: { litellm_provider: 'openai', input_cost_per_token: 2e-6, output_cost_per_token: 8e-6, deprecation_date: '2026-01-01' },
    });
    await tollgate.root.ok('POST', '/api/catalog/upload', { kind: 'litellm', text });
    const [flagged] = (await proposals()).filter(({ kind }) => kind === 'discontinued');
    expect(flagged).to.deep.include({ model: 'o3', action: 'remove' });
    expect(flagged?.channels.map(({ name }) => name)).to.deep.equal(['main']);
  });

  it('proposes what a provider lists otherwise, and changes a channel by one click only', async () => {
    answers.set('/v1/models', { data: [{ id: 'gpt-4.1' }, { id: 'gpt-5.4' }, { id: 'gpt-4.1-mini' }, { id: 'o3' }, { id: 'gpt-7' }] });
    const before = (await Channel.findOne({ name: 'main' }).lean())?.models;
    await run(syncModels);
    let found: ProposalView[] = [];
    await eventually(async () => {
      found = await proposals();
      expect(found.map(({ action, model }) => `${action} ${model}`)).to.have.members(['add gpt-7', 'remove gpt-4o']);
    });
    expect((await Channel.findOne({ name: 'main' }).lean())?.models).to.deep.equal(before);
    expect(
      (
        await decide(
          found.map(({ id }) => id),
          'approve',
        )
      ).decided,
    ).to.equal(2);
    const [channel] = (await tollgate.root.ok<Page<ChannelView>>('GET', '/api/channel/')).items;
    expect(channel?.models).to.equal('gpt-4.1,gpt-5.4,gpt-4.1-mini,o3,gpt-7');
    answers.set('/v1/models', { data: [{ id: 'gpt-4.1' }] });
    await run(syncModels);
    await eventually(async () => expect(await proposals('waiting')).to.have.length(4));
  });
});
