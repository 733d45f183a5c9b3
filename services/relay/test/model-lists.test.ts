import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

interface Models {
  data: { id: string }[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

describe('A long list of models', () => {
  let gateway: Gateway;
  let user: TestUser;
  const names = Array.from({ length: 120 }, (_, at) => `model-${String(at).padStart(3, '0')}`);

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channel({ models: names.toReversed() });
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))) });
    await untilServed(gateway, user.token, 'model-000');
  });
  after(() => gateway.stop());

  /** An official client's own fetch that keeps what it is asked for. */
  function keeping(asked: string[]): typeof fetch {
    return (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
  }
  const anthropicAt = (asked: string[]) =>
    new Anthropic({ apiKey: `sk-${user.token.key}`, baseURL: gateway.url, maxRetries: 0, fetch: keeping(asked) });
  const get = (path: string, headers: Record<string, string>) => fetch(gateway.url + path, { headers });
  const ofAnthropic = (query: string) => get(`/v1/models?${query}`, { 'x-api-key': user.token.key, 'anthropic-version': '2023-06-01' });
  const ofGemini = (query: string) => get(`/v1beta/models?${query}`, { 'x-goog-api-key': user.token.key });
  const pageOf = async (query: string) => (await (await ofAnthropic(query)).json()) as Models;

  it('is read to its end by Anthropic’s client, page by page, each model once, in both directions', async () => {
    for (const [settings, pages] of [
      [{}, 6],
      [{ limit: 50 }, 3],
      [{ limit: 1000 }, 1],
    ] as const) {
      const [asked, seen]: [string[], string[]] = [[], []];
      for await (const { id } of anthropicAt(asked).models.list(settings)) seen.push(id);
      expect(seen).to.deep.equal(names);
      expect(asked, asked.join(' ')).to.have.length(pages);
    }
    const seen: string[][] = [];
    const last = await anthropicAt([]).models.list({ before_id: 'model-110', limit: 50 });
    for await (const page of last.iterPages()) seen.unshift(page.data.map(({ id }) => id));
    expect(seen.flat()).to.deep.equal(names.slice(0, 110));
    expect(seen.map(({ length }) => length)).to.deep.equal([10, 50, 50]);
  });

  it('is read to its end by Google’s client, page by page, each model once', async () => {
    const google = new GoogleGenAI({ apiKey: `sk-${user.token.key}`, httpOptions: { baseUrl: gateway.url } });
    for (const [config, first] of [
      [{}, 50],
      [{ pageSize: 7 }, 7],
      [{ pageSize: 5000 }, 120],
    ] as const) {
      const pager = await google.models.list({ config: { ...config } });
      expect(pager.page).to.have.length(first);
      const seen: unknown[] = [];
      for await (const { name } of pager) seen.push(name);
      expect(seen).to.deep.equal(names.map((name) => `models/${name}`));
    }
  });

  it('is told whole to OpenAI’s client, who knows no pages', async () => {
    const { data } = await gateway.client(user.token).models.list();
    expect(data.map(({ id }) => id)).to.deep.equal(names);
  });

  it('says where its pages begin and end, also behind a model that has gone', async () => {
    expect(await pageOf('limit=2')).to.deep.include({ has_more: true, first_id: 'model-000', last_id: 'model-001' });
    expect(await pageOf('limit=2&after_id=model-117')).to.deep.include({ has_more: false, first_id: 'model-118', last_id: 'model-119' });
    expect(await pageOf('limit=1&after_id=model-001-that-was')).to.deep.include({ first_id: 'model-002' });
    expect(await pageOf('after_id=model-119')).to.deep.equal({ data: [], has_more: false, first_id: null, last_id: null });
    expect(await pageOf('limit=2&before_id=model-002')).to.deep.include({ has_more: false, first_id: 'model-000', last_id: 'model-001' });
    expect((await (await ofGemini('pageSize=120')).json()) as object).not.to.have.property('nextPageToken');
  });

  it('refuses what is no page by the name of the field, in the words of who asks', async () => {
    for (const query of ['limit=0', 'limit=1001', 'limit=few', 'limit=', 'limit=1.5', 'after_id=a&before_id=b']) {
      const refused = await ofAnthropic(query);
      expect(refused.status, query).to.equal(400);
      expect(await refused.json(), query).to.have.nested.property('error.type', 'invalid_request_error');
    }
    for (const query of ['pageSize=-1', 'pageSize=few', 'pageSize=1.5', 'pageToken=***', 'pageToken=_w']) {
      const refused = await ofGemini(query);
      expect(refused.status, query).to.equal(400);
      expect(await refused.json(), query).to.have.nested.property('error.status', 'INVALID_ARGUMENT');
    }
  });
});
