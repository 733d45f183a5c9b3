import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type MediaProvider, sendJson, startMediaProvider } from './support/media-provider.ts';

const results = [{ url: 'https://oss.example.com/1.png' }];
const running = (more: object = {}) => ({ output: { task_id: 'own', task_status: 'RUNNING', ...more } });
const done = (more: object = {}) => ({ output: { task_id: 'own', task_status: 'SUCCEEDED', results, ...more } });
const badAnswer = { status: 502, code: 'upstream_bad_answer' };

interface OddPoll {
  title: string;
  submitted?: object;
  /** What it says when it is asked whether it is done. */
  told?: unknown;
  /** With this status. */
  by?: number;
  status: number;
  code: string;
}

const oddPolls: OddPoll[] = [
  { title: 'takes a request and names no task', submitted: { output: { task_status: 'PENDING' } }, ...badAnswer },
  { title: 'takes a request and names a task by a number', submitted: running({ task_id: 7 }), ...badAnswer },
  { title: 'takes a request and names a task by an object', submitted: running({ task_id: {} }), ...badAnswer },
  { title: 'takes a request and names a task by nothing', submitted: running({ task_id: '' }), ...badAnswer },
  { title: 'takes a request and names a task by dots', submitted: running({ task_id: '..' }), ...badAnswer },
  { title: 'takes a request and says nothing of it', submitted: {}, ...badAnswer },
  { title: 'is at work on another task', told: running({ task_id: 'strange' }), ...badAnswer },
  { title: 'gives the pictures of another task', told: done({ task_id: 'strange' }), ...badAnswer },
  { title: 'names a task by a number once it is asked', told: running({ task_id: 7 }), ...badAnswer },
  {
    title: 'knows no such task, with status 404',
    told: { code: 'InvalidTask', message: 'no such task' },
    by: 404,
    ...badAnswer,
  },
  { title: 'knows no such task, with status 200', told: running({ task_status: 'UNKNOWN' }), status: 502, code: 'upstream_error' },
  { title: 'gives no pictures', told: done({ results: undefined }), ...badAnswer },
  { title: 'gives pictures that are a text', told: done({ results: 'x' }), ...badAnswer },
  { title: 'gives an empty list of pictures', told: done({ results: [] }), ...badAnswer },
  { title: 'gives pictures that are null', told: done({ results: [null] }), ...badAnswer },
  { title: 'gives an output that is a text', told: { output: 'x' }, ...badAnswer },
  { title: 'gives a list', told: [], ...badAnswer },
  { title: 'gives null', told: null, ...badAnswer },
  { title: 'is at work forever', told: running(), status: 504, code: 'upstream_timeout' },
];

/** Each answer comes from a channel of its own, for a model of its own; all at once. */
describe('A provider who is asked whether it is done', () => {
  let gateway: Gateway;
  let provider: MediaProvider;
  let user: TestUser;
  let outcomes: { status: number; text: string }[];
  const balance = 1e9;
  const modelOf = (at: number) => `polled-${at}`;

  before(async function () {
    this.timeout(120_000);
    gateway = await startGateway({ UPSTREAM_POLL_MS: '500', UPSTREAM_FIRST_BYTE_MS: '10000' });
    provider = await startMediaProvider();
    provider.answer = (response, { path, json }) => {
      const at = Number(json.model === undefined ? path.split('/')[1] : String(json.model).slice('polled-'.length));
      const { submitted = running(), told = done(), by } = oddPolls[at] as OddPoll;
      if (path.includes('/tasks/')) sendJson(response, told, by);
      else sendJson(response, submitted);
    };
    user = await gateway.user({ balance });
    const prices = Object.fromEntries(oddPolls.map((_, at) => [modelOf(at), 0.02]));
    await gateway.options({ RetryTimes: '0', ModelPrice: JSON.stringify(prices) });
    await gateway.channels(oddPolls.map((_, at) => ({ baseUrl: `${provider.url}/${at}`, type: 17, models: [modelOf(at)] })));
    await untilServed(gateway, user.token, modelOf(oddPolls.length - 1));
    outcomes = await Promise.all(
      oddPolls.map(async (_, at) => {
        const body = { model: modelOf(at), prompt: 'a boat' };
        const answer = await gateway.post('/v1/images/generations', body, { authorization: user.token.authorization });
        return { status: answer.status, text: await answer.text() };
      }),
    );
  });
  after(async () => {
    await gateway?.stop();
    await provider?.close();
  });

  for (const [at, { title, status, code }] of oddPolls.entries()) {
    it(`${title}: ${status}`, () => {
      const outcome = outcomes[at];
      expect(outcome?.status, outcome?.text).to.equal(status);
      expect(JSON.parse(outcome?.text ?? '')).to.have.nested.property('error.code', code);
    });
  }

  it('is asked of the task alone that it named first', () => {
    const places = new Set(provider.calls.filter(({ path }) => path.includes('/tasks/')).map(({ path }) => path.replace(/^\/\d+/, '')));
    expect([...places]).to.deep.equal(['/api/v1/tasks/own']);
  });

  it('costs nothing when it gives none', async () => {
    await eventually(async () => expect([await gateway.held(user), await gateway.openHolds(user)]).to.deep.equal([0, 0]));
    expect(await gateway.events(user)).to.deep.equal([]);
    expect((await gateway.wallet.balance(user.id)).balance).to.equal(balance);
  });
});
