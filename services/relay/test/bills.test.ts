import { relayModes } from '@tollgate/contracts';
import { priceOfRow, rows, type UsageLogRow, usageOfRow } from '@tollgate/db';
import { billLines } from '@tollgate/pricing';
import { eventually, faultRounds, type KafkaServer, orSkip, type ServiceProcess, startKafka } from '@tollgate/testing';
import { expect } from 'chai';
import { fieldsOfGemini } from './bills/fields-of-gemini.ts';
import { fieldsOfMedia } from './bills/fields-of-media.ts';
import { fieldsOfTexts } from './bills/fields-of-texts.ts';
import { type HandMadeBill, type Line, statedTotal, type Told, workedOut } from './bills/hand-made-bill.ts';
import { type HostileCall, hostileCalls, hostileJson, hostileNumbers } from './bills/hostile-numbers.ts';
import { mediaBills } from './bills/media.ts';
import { otherBills } from './bills/others.ts';
import { priceList, priceOptions } from './bills/price-list.ts';
import { textBills } from './bills/texts.ts';
import * as anthropic from './priced-fields/anthropic.ts';
import * as gemini from './priced-fields/gemini.ts';
import * as media from './priced-fields/media.ts';
import * as openai from './priced-fields/openai.ts';
import type { Word } from './priced-fields/words.ts';
import { expectSettled } from './support/books.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type MediaProvider, startMediaProvider } from './support/media-provider.ts';
import { startBillingProcess } from './support/processes.ts';
import { type RealtimeProvider, startRealtimeProvider } from './support/realtime-provider.ts';
import { talkAt } from './support/talk.ts';

const bills = [...textBills, ...mediaBills, ...otherBills, ...fieldsOfTexts, ...fieldsOfGemini, ...fieldsOfMedia];
const granted = 10_000_000;
const groupOf = (at: number) => `bill-${at}`;
/** Nobody calls it yet. */
const unusedModes = new Set(['messages']);

/** What is said of the fields of each request; `part` is where they stand in it, if not anywhere. */
const fieldTables: [path: RegExp, words: Record<string, Word>, part?: string][] = [
  [/chat\/completions$/, openai.chat],
  [/v1\/completions$/, openai.completion],
  [/responses$/, openai.responses],
  [/messages$/, { ...anthropic.messages, ...anthropic.blocks }],
  [/:generateContent$/, { ...gemini.generationConfig, ...gemini.imageConfig, ...gemini.parts }],
  [/generations$/, media.drawn],
  [/edits$/, media.edited],
  [/variations$/, media.varied],
  [/transcriptions$/, media.transcribed],
  [/translations$/, media.translated],
  [/realtime/, media.session, 'session'],
  [/realtime/, media.answerOfSession, 'response'],
];

describe('The table of bills', () => {
  it('has each field that is said to be counted, or to cap what comes', () => {
    for (const [path, words, part] of fieldTables) {
      const asked = bills.filter((bill) => path.test(bill.path)).map(({ body, form }) => fieldsIn(body, part) + fieldsIn(form));
      const due = Object.keys(words).filter((field) => ['counted', 'capped'].includes(words[field]?.is ?? ''));
      expect(due.filter((field) => !asked.some((text) => text.includes(`"${field}"`)))).to.deep.equal([], String(path));
    }
  });

  it('has every mode', () => {
    const modes = new Set(bills.map(({ mode }) => mode));
    expect(relayModes.filter((mode) => !modes.has(mode) && !unusedModes.has(mode))).to.deep.equal([]);
  });

  for (const { title, sum, quota } of bills) {
    it(`is added up right: ${title}: ${sum}`, () => {
      expect(workedOut(sum)).to.be.closeTo(statedTotal(sum), 1e-9 * Math.max(1, quota));
      const least = statedTotal(sum) === 0 ? 0 : 1;
      expect(Math.max(least, Math.floor(statedTotal(sum) + 0.5))).to.equal(quota);
    });
  }
});

for (const busName of faultRounds > 1 ? ['Redis Streams', 'Kafka'] : ['Redis Streams']) {
  /** Each call is that of a user, a group and a channel of its own; all are made at once, sessions one after the other. */
  describe(`What is charged, on ${busName}`, function () {
    this.timeout(120_000);
    let gateway: Gateway;
    let provider: MediaProvider;
    let voices: RealtimeProvider;
    let billing: ServiceProcess;
    let kafka: KafkaServer | undefined;
    let users: TestUser[];
    /** What is told instead of what stands in the table. */
    const toldNow = new Map<number, Told>();

    before(async function () {
      if (busName === 'Kafka') kafka = await orSkip(this, startKafka);
      gateway = await startGateway(kafka && { BUS_URL: `kafka://${kafka.brokers.join(',')}` });
      provider = await startMediaProvider();
      voices = await startRealtimeProvider();
      billing = await startBillingProcess(gateway.env);
      provider.answer = (response, { path }) => {
        const at = Number(/^\/bill-(\d+)\//.exec(path)?.[1]);
        tell(response, toldNow.get(at) ?? (bills[at] as HandMadeBill).told);
      };
      const GroupRatio = Object.fromEntries(bills.map(({ group = 1 }, at) => [groupOf(at), group]));
      await gateway.options({ ...priceOptions(), GroupRatio: JSON.stringify(GroupRatio) });
      const models = [...Object.keys(priceList), 'mj_shorten'];
      await gateway.channels(
        bills.map(({ channel, told }, at) => ({
          type: 1,
          models,
          groups: [groupOf(at)],
          ...channel,
          baseUrl: 'spoken' in told ? voices.url : `${provider.url}/${groupOf(at)}`,
        })),
      );
      users = await Promise.all(bills.map((_, at) => gateway.user({ balance: granted, group: groupOf(at), token: { remain: granted } })));
      await untilServed(gateway, (users.at(-1) as TestUser).token, 'texts');
      await Promise.all(bills.map((bill, at) => ('spoken' in bill.told ? undefined : call(bill, users[at] as TestUser))));
      for (const [at, bill] of bills.entries()) if ('spoken' in bill.told) await talk(bill, bill.told.spoken, users[at] as TestUser);
      const paid = bills.filter(({ quota }) => quota > 0).length;
      const charged = () => rows.usageLogs().countDocuments({ userId: { $in: users.map(({ id }) => id) }, quota: { $gt: 0 } });
      await eventually(async () => expect(await charged()).to.equal(paid), { timeoutMs: 60_000 });
    });
    after(async () => {
      await billing?.stop();
      await gateway?.stop();
      await provider?.close();
      await voices?.close();
      await kafka?.stop();
    });

    async function call(bill: HandMadeBill, user: TestUser): Promise<void> {
      const { status, text } = await asked(bill, user);
      expect(status, `${bill.title}: ${text}`).to.equal(200);
    }

    async function asked({ path, body, form }: Pick<HandMadeBill, 'path' | 'body' | 'form'>, { token }: TestUser) {
      const { authorization } = token;
      const answer =
        form === undefined
          ? await gateway.post(path, hostileJson(body), { authorization })
          : await fetch(gateway.url + path, { method: 'POST', headers: { authorization }, body: formOf(form) });
      return { status: answer.status, text: await answer.text() };
    }

    async function talk({ body }: HandMadeBill, usage: Record<string, unknown>, { token }: TestUser): Promise<void> {
      voices.manner({ usage });
      const made = await talkAt(gateway.url, token.authorization, { model: 'senses' });
      if (body?.session !== undefined) made.say({ type: 'session.update', session: body.session });
      made.say({ type: 'response.create', ...(body?.response !== undefined && { response: body.response }) });
      await made.next('response.done');
      made.socket.close();
    }

    /** One session, in which one thing after the other is asked for or answered; each ends in an answer or in a refusal. */
    async function talkOf(calls: HostileCall[], { token }: TestUser): Promise<void> {
      const made = await talkAt(gateway.url, token.authorization, { model: 'senses' });
      const ends = () => made.heard.filter(({ type }) => type === 'response.done' || type === 'error').length;
      for (const [at, { what, body, told }] of calls.entries()) {
        if (told !== undefined && 'spoken' in told) voices.manner({ usage: told.spoken });
        made.say({ type: 'response.create', ...body });
        await eventually(() => expect(ends(), what).to.equal(at + 1), { timeoutMs: 30_000 });
      }
      made.socket.close();
    }

    for (const [at, { title, mode, lines, sum, quota, group = 1 }] of bills.entries()) {
      it(`${title}: ${sum}`, async () => {
        const user = users[at] as TestUser;
        const [row, ...more] = await rows.usageLogs().find({ userId: user.id, type: 2 }).toArray();
        if (row === undefined || more.length > 0) throw new Error(`${row === undefined ? 'no' : 1 + more.length} rows`);
        expect(row).to.include({ mode, quota, uncollected: 0, endReason: 'complete' });
        expect(priceOfRow(row.price)?.groupRatio).to.equal(group);
        expectLines(linesOf(row), lines);
        await eventually(() => expectSettled(gateway, user, { calls: 1, granted }));
        const entries = await rows.ledger().find({ userId: user.id, state: 'applied' }).toArray();
        expect(
          entries.map(({ amount }) => amount),
          'the ledger',
        ).to.deep.equal([granted]);
        const token = (await gateway.wallet.tokenBalances([user.token.id])).get(user.token.id);
        expect(token).to.include({ remain: granted - quota, used: quota });
      });
    }

    it('no request raises a balance, however hostile the numbers in it or in what its provider tells', async () => {
      const wealth = 1e12;
      const owners = await Promise.all(
        bills.map((_, at) => gateway.user({ balance: wealth, group: groupOf(at), token: { remain: wealth } })),
      );
      const each = faultRounds > 1 ? hostileNumbers.length : 2;
      await Promise.all(
        bills.map(async (bill, at) => {
          const calls = hostileCalls(bill, { each, from: at * 5 });
          if ('spoken' in bill.told) return talkOf(calls, owners[at] as TestUser);
          for (const { what, told, ...question } of calls) {
            if (told !== undefined) toldNow.set(at, told);
            const { status, text } = await asked({ ...bill, ...question }, owners[at] as TestUser);
            toldNow.delete(at);
            expect(status, `${bill.title}, ${what}: ${text}`).to.be.oneOf([200, 400, 403, 404, 422, 502]);
          }
        }),
      );
      for (const owner of owners) await eventually(() => expectNothingGained(gateway, owner, wealth), { timeoutMs: 60_000 });
    });
  });
}

/** The names of all fields, and of all kinds of things, that a request has. */
function fieldsIn(request: object | undefined, part?: string): string {
  const asked = part === undefined ? request : (request as Record<string, unknown> | undefined)?.[part];
  return JSON.stringify(asked ?? {}).replaceAll('[]', '');
}

/** All calls are charged, each something or nothing; wallet and token have what was granted but for that. */
async function expectNothingGained(gateway: Gateway, { id, token }: TestUser, wealth: number): Promise<void> {
  const calls = await rows.usageLogs().find({ userId: id, type: 2 }).toArray();
  let charged = 0;
  for (const { quota, uncollected } of calls) {
    expect(quota).to.satisfy((amount: number) => Number.isSafeInteger(amount) && amount >= 0);
    expect(uncollected).to.equal(0);
    charged += quota;
  }
  expect(await gateway.held({ id, token })).to.equal(0);
  expect((await gateway.wallet.balance(id)).balance).to.equal(wealth - charged);
  expect((await gateway.wallet.tokenBalances([token.id])).get(token.id)).to.include({ remain: wealth - charged, used: charged });
}

function tell(response: Parameters<MediaProvider['answer']>[0], told: Told): void {
  if ('json' in told) return void response.writeHead(200, { 'content-type': 'application/json' }).end(hostileJson(told.json));
  if ('bytes' in told) return void response.writeHead(200, { 'content-type': told.type }).end(told.bytes);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = 'events' in told ? told.events : [];
  for (const event of events) {
    if (typeof event === 'string') response.write(`data: ${event}\n\n`);
    else response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${hostileJson(event)}\n\n`);
  }
  response.end();
}

function formOf({ fields, files }: NonNullable<HandMadeBill['form']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of Object.entries(files)) form.append(name, new Blob([new Uint8Array(bytes)]), `${name}.bin`);
  return form;
}

/** Pieces that are priced each; all else in dollars a million. */
const eachPriced = new Set(['pictures', 'seconds', 'characters', 'searches', 'toolCalls', 'call']);

/** What a log row tells of a call, as its readers work it out. */
function linesOf(row: UsageLogRow): Line[] {
  const price = priceOfRow(row.price);
  if (price === undefined) throw new Error('the row has no price');
  if (row.items) {
    // The last of what was cached is sound where the row says so beside.
    const { items, cachedAudio } = row;
    const isSound = (at: number) =>
      items[at]?.kind === 'cachedInput' && items[at]?.amount === cachedAudio && items[at + 1]?.kind !== 'cachedInput';
    return items.map(({ kind, amount, price: each }, at) => [
      isSound(at) ? 'cachedAudio' : kind,
      amount,
      eachPriced.has(kind) ? each : each * 1e6,
    ]);
  }
  if (price.kind === 'fixed') return [['call', 1, price.modelPrice]];
  return billLines(usageOfRow(row.usage), price).map(({ kind, tokens, ratio }) => [kind, tokens, ratio * price.modelRatio * 2]);
}

function expectLines(told: Line[], due: Line[]): void {
  expect(told.map(([kind, amount]) => [kind, amount])).to.have.deep.members(due.map(([kind, amount]) => [kind, amount]));
  for (const [kind, amount, dollars] of due) {
    const line = told.find(([name, much]) => name === kind && much === amount);
    expect(line?.[2], `${kind} ${amount}`).to.be.closeTo(dollars, dollars * 1e-12);
  }
}
