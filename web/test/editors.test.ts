import type { ChannelView, TokenView, UserView } from '@tollgate/contracts';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { sessionEnds } from './editors/session-ends.ts';
import { unsaved } from './editors/unsaved.ts';
import { allFindings, prefer } from './support/browser.ts';
import { getsFocus } from './support/keys.ts';
import { keepPicture } from './support/looks.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';

describe('Editors, in a browser', () => {
  let site: Site;
  let page: Page;
  const send = <T>(method: string, path: string, body?: unknown): Promise<T> => site.installation.console<T>(path, { method, body });
  const newToken = (name: string): Promise<TokenView> => send('POST', '/api/token/', { name, remain_quota: 500_000 });
  const storedToken = (id: number): Promise<TokenView> => send('GET', `/api/token/${id}`);
  const newChannel = async (name: string): Promise<ChannelView> => {
    await send('POST', '/api/channel/', { name, type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model' });
    const { items } = await send<{ items: ChannelView[] }>('GET', `/api/channel/search?keyword=${encodeURIComponent(name)}`);
    return items[0] as ChannelView;
  };
  const newUser = async (username: string): Promise<UserView> => {
    await send('POST', '/api/user/', { username, password: 'long enough' });
    const { items } = await send<{ items: UserView[] }>('GET', `/api/user/search?keyword=${username}`);
    return items[0] as UserView;
  };

  const dialog = (name: string, on = page): Locator => on.getByRole('dialog', { name });
  const openEditor = async (path: string, title: string, on = page): Promise<Locator> => {
    await site.go(path, on);
    const drawer = dialog(title, on);
    await drawer.getByRole('textbox').first().waitFor();
    return drawer;
  };
  const save = (drawer: Locator): Promise<void> => drawer.locator('button[type="submit"]').click();
  const gone = (drawer: Locator): Promise<void> => drawer.waitFor({ state: 'detached' });
  const saysOf = (drawer: Locator, label: string, text: RegExp | string): Promise<void> =>
    drawer
      .locator('.MuiFormControl-root', { has: page.getByLabel(label, { exact: true }) })
      .getByText(text)
      .waitFor();

  /** One of the parts of a moment's field: its year, its month, ... */
  const part = (within: Locator, label: string, name: string): Locator =>
    within.getByRole('group', { name: label }).getByRole('spinbutton', { name });

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
  });
  after(() => site?.close());
  afterEach(async () => {
    if (!page) return;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate(() => sessionStorage.clear()).catch(() => undefined);
    // What is left open is left by loading another page; else the next test goes on in this one, as people do.
    if ((await page.getByRole('dialog').count()) > 0) await page.goto('about:blank');
  });

  /** On a phone an editor fills the window; from 600 px on it is as wide as it gets. */
  for (const width of [360, 1280]) {
    describe(`${width} px wide`, () => {
      before(() => page.setViewportSize({ width, height: 800 }));

      describe('fields', () => {
        it('take up model names on a comma, on Enter and on leaving the field', async () => {
          const channel = await newChannel('typed names');
          const drawer = await openEditor(`/channel/edit/${channel.id}`, 'Edit channel');
          const models = drawer.getByLabel('Models', { exact: true });
          await models.pressSequentially('first,second');
          await models.press('Enter');
          await models.pressSequentially('third');
          await save(drawer);
          await gone(drawer);
          expect((await send<ChannelView>('GET', `/api/channel/${channel.id}`)).models).to.equal('some-model,first,second,third');
        });

        it('never submit with the Enter after a pasted list of models, and refuse those that are there', async () => {
          const drawer = await openEditor('/channel/add', 'Create channel');
          await drawer.getByLabel('Name', { exact: true }).fill('not asked for');
          await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-x');
          await drawer.getByRole('button', { name: 'Clear', exact: true }).click();
          const models = drawer.getByLabel('Models', { exact: true });
          await models.focus();
          await models.evaluate((field) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', 'pasted-1\npasted-2, pasted-3');
            field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
          });
          await keepPicture(site, 'pasted models');
          await drawer.getByText('3 selected.').waitFor();
          await models.press('Enter');
          await models.pressSequentially('pasted-2');
          await models.press('Enter');
          await page.getByText('Some of these models are already in the list!').waitFor();
          await drawer.getByText('3 selected.').waitFor();
          await models.pressSequentially('pasted-4,');
          await drawer.getByText('4 selected.').waitFor();
          const { total } = await send<{ total: number }>('GET', '/api/channel/search?keyword=not+asked+for');
          expect(total).to.equal(0);
        });

        it('limit a token to modes of drawing', async () => {
          const token = await newToken('drawing');
          const drawer = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          await drawer.getByLabel('Midjourney modes').pressSequentially('rel');
          await page.getByRole('option', { name: 'relax' }).click();
          await save(drawer);
          await gone(drawer);
          expect((await storedToken(token.id)).drawing_modes).to.equal('relax');
        });

        it('let the year of an expiry be typed', async () => {
          const token = await newToken('typed year');
          const drawer = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          await drawer.getByRole('button', { name: '1 month' }).click();
          const year = part(drawer, 'Expires', 'Year');
          await year.click();
          await page.keyboard.type('2031');
          expect(await year.textContent()).to.equal('2031');
          await save(drawer);
          await gone(drawer);
          expect(new Date((await storedToken(token.id)).expired_time * 1000).getFullYear()).to.equal(2031);
        });

        it('ask before an expiry that has passed is saved', async () => {
          const token = await newToken('past expiry');
          const drawer = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          await part(drawer, 'Expires', 'Year').click();
          await page.keyboard.type('20200101000000');
          await save(drawer);
          await dialog('This time has passed').getByRole('button', { name: 'Cancel' }).click();
          expect((await storedToken(token.id)).expired_time).to.equal(-1);
          await save(drawer);
          await dialog('This time has passed').getByRole('button', { name: 'Save anyway' }).click();
          await gone(drawer);
          expect((await storedToken(token.id)).status).to.equal(3);
        });

        it('ask for a moment in the language of the page, and say when it is not whole', async () => {
          const token = await newToken('half a date');
          await prefer(page, { i18nextLng: 'zh' });
          await site.open(`/token/edit/${token.id}`);
          const drawer = dialog('编辑令牌');
          await part(drawer, '过期时间', '年份').click();
          await page.keyboard.type('2031');
          await save(drawer);
          await drawer.getByText('过期时间格式错误').waitFor();
          expect((await storedToken(token.id)).expired_time).to.equal(-1);
          await drawer.getByRole('button', { name: '永不过期' }).click();
          await drawer.getByText('过期时间格式错误').waitFor({ state: 'detached' });
          expect(await part(drawer, '过期时间', '年份').textContent(), 'what was typed is gone').to.equal('YYYY');
          await page.getByRole('button', { name: '选择日期' }).click();
          await page.getByRole('dialog').getByRole('grid').getByText('一', { exact: true }).waitFor();
          await prefer(page, { i18nextLng: 'en' });
          await site.open('/token');
        });

        it('limit what a token and a channel may do, a number for each limit', async () => {
          const [token, channel] = [await newToken('limited'), await newChannel('limited channel')];
          const ofToken = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          await ofToken.getByLabel('Requests per minute').fill('60');
          await ofToken.getByLabel('Concurrent requests').fill('-1');
          await save(ofToken);
          await saysOf(ofToken, 'Concurrent requests', 'Must be at least 0');
          await ofToken.getByLabel('Concurrent requests').fill('3');
          await save(ofToken);
          await gone(ofToken);
          expect(await storedToken(token.id)).to.include({ requests_per_minute: 60, concurrent: 3, tokens_per_day: 0 });
          const ofChannel = await openEditor(`/channel/edit/${channel.id}`, 'Edit channel');
          await ofChannel.getByLabel('Tokens per day').fill('1000000');
          await part(ofChannel, 'Expires', 'Year').click();
          await page.keyboard.type('22000101000000');
          await save(ofChannel);
          await ofChannel.getByText(/^Must be 2\d{3}-\d\d-\d\d or earlier$/).waitFor();
          await part(ofChannel, 'Expires', 'Year').click();
          await page.keyboard.type('2031');
          await save(ofChannel);
          await gone(ofChannel);
          const stored = await send<ChannelView>('GET', `/api/channel/${channel.id}`);
          expect(stored).to.include({ tokens_per_day: 1_000_000, concurrent: 0 });
          expect(new Date((stored.expired_time ?? 0) * 1000).getFullYear()).to.equal(2031);
        });

        it('refuse amounts that are none, or could be two', async () => {
          const drawer = await openEditor('/token/add', 'Create token');
          await drawer.getByLabel('Name').fill('amounts');
          for (const [text, answer] of [
            ['1.500', 'Ambiguous amount: 1500 or 1.5000'],
            ['$-5', 'Enter an amount'],
            ['-5', 'Must be at least 0'],
            ['lots', 'Enter an amount'],
          ] as const) {
            await drawer.getByLabel('Quota', { exact: true }).fill(text);
            await save(drawer);
            await saysOf(drawer, 'Quota', answer);
          }
        });

        it('do not let an amount that nobody can mend stand in the way of an unlimited token', async () => {
          const drawer = await openEditor('/token/add', 'Create token');
          await drawer.getByLabel('Name').fill('without limits');
          await drawer.getByLabel('Quota', { exact: true }).fill('lots');
          await drawer.getByLabel('Unlimited quota').click();
          await save(drawer);
          await dialog('Use token "without limits"').waitFor();
        });

        it('refuse names that turn the direction of writing', async () => {
          const drawer = await openEditor('/token/add', 'Create token');
          await drawer.getByLabel('Name').fill('safe\u202egnp.exe');
          await save(drawer);
          await saysOf(drawer, 'Name', 'Contains invisible control characters');
        });

        it('refuse groups that do not exist', async () => {
          const drawer = await openEditor('/channel/add', 'Create channel');
          const name = drawer.getByLabel('Name', { exact: true });
          await getsFocus(name);
          await drawer.getByLabel('Groups', { exact: true }).fill('nowhere');
          await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-x');
          await saysOf(drawer, 'Groups', 'Unknown group: nowhere');
          expect(await name.getAttribute('aria-invalid'), 'one that was only passed by').to.equal('false');
          await save(drawer);
          await saysOf(drawer, 'Name', 'Required');
          const message = await send('POST', '/api/channel/', { name: 'x', type: 1, key: 'k', models: 'm', group: 'nowhere' }).catch(
            String,
          );
          expect(message).to.match(/nowhere/);
        });

        it('say under each of the JSON fields that a text is none', async () => {
          const drawer = await openEditor('/channel/add', 'Create channel');
          await drawer.getByLabel('Name', { exact: true }).fill('bad JSON');
          await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-x');
          for (const label of ['Model mapping', 'Status code mapping', 'Extra settings']) {
            await drawer.getByLabel(label).fill('{"a":');
            await save(drawer);
            await saysOf(drawer, label, label === 'Model mapping' ? 'The model mapping must be valid JSON!' : 'Must be a JSON object');
            await drawer.getByLabel(label).fill('');
          }
        });
      });

      describe('saving', () => {
        it('that fails ends its spinner, says why and keeps what was typed', async () => {
          const token = await newToken('fails');
          const drawer = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          const mend = await intercept(page, /api\/token/, failing);
          await drawer.getByLabel('Name').fill('renamed');
          await save(drawer);
          await drawer.getByRole('alert').waitFor();
          await mend();
          await save(drawer);
          await gone(drawer);
          expect((await storedToken(token.id)).name).to.equal('renamed');
        });

        it('that fails after its drawer was closed says so, and the draft waits', async () => {
          const token = await newToken('slow');
          const drawer = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          let fail: (() => void) | undefined;
          await intercept(page, /api\/token/, (route) => {
            if (route.request().method() !== 'PUT') return route.continue();
            fail = () => void failing(route);
          });
          await drawer.getByLabel('Name').fill('nearly lost');
          await save(drawer);
          await eventually(() => expect(fail).to.be.a('function'));
          await drawer.getByLabel('Name').press('Escape');
          await gone(drawer);
          fail?.();
          await page.getByText('not saved').waitFor();
          await page.getByRole('button', { name: 'Reopen' }).click();
          await drawer.getByText('Your unsaved input was restored').waitFor();
          expect(await drawer.getByLabel('Name').inputValue()).to.equal('nearly lost');
        });

        it('of many tokens shows their keys, however long the list, without findings', async () => {
          const drawer = await openEditor('/token/add', 'Create token');
          await drawer.getByLabel('Name', { exact: true }).fill(`batch ${width}`);
          await drawer.getByLabel('Quantity').fill('12');
          await save(drawer);
          await gone(drawer);
          const made = dialog(`Use token "batch ${width}"`);
          await made
            .getByText(/sk-\w{48}/)
            .first()
            .waitFor();
          expect(await allFindings(page)).to.deep.equal([]);
          await made.getByRole('button', { name: 'Close' }).click();
          await gone(made);
        });

        it('sends what was changed and nothing else', async () => {
          const channel = await newChannel('only the name');
          const drawer = await openEditor(`/channel/edit/${channel.id}`, 'Edit channel');
          await drawer.getByLabel('Name', { exact: true }).fill('another name');
          const sent = page.waitForRequest((request) => request.method() === 'PUT');
          await save(drawer);
          expect((await sent).postDataJSON()).to.deep.equal({ id: channel.id, version: channel.version, name: 'another name' });
          await gone(drawer);
        });
      });

      describe('two tabs', () => {
        let other: Page;
        before(async () => {
          other = await page.context().newPage();
          await other.setViewportSize({ width, height: 800 });
        });
        after(() => other.close());

        it('change different fields of a token, and both changes stand', async () => {
          const token = await newToken('both');
          const first = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          const second = await openEditor(`/token/edit/${token.id}`, 'Edit token', other);
          await second.getByLabel('Quota', { exact: true }).fill('7');
          await save(second);
          await gone(second);
          await first.getByLabel('Name').fill('renamed later');
          await save(first);
          await gone(first);
          expect(await storedToken(token.id)).to.include({ name: 'renamed later', remain_quota: 3_500_000 });
        });

        it('change one field of a channel: both values are shown, and one is chosen', async () => {
          const channel = await newChannel('clash');
          const first = await openEditor(`/channel/edit/${channel.id}`, 'Edit channel');
          const second = await openEditor(`/channel/edit/${channel.id}`, 'Edit channel', other);
          await second.getByLabel('Name', { exact: true }).fill('their name');
          await second.getByLabel('Priority').fill('5');
          await save(second);
          await gone(second);
          await first.getByLabel('Name', { exact: true }).fill('my name');
          await first.getByLabel('Tag').fill('mine');
          await save(first);
          await first.getByText('Your value: my name').waitFor();
          await first.getByText('Current value: their name').waitFor();
          await first.getByRole('button', { name: 'Keep mine' }).click();
          await save(first);
          await gone(first);
          expect(await send('GET', `/api/channel/${channel.id}`)).to.include({ name: 'my name', priority: 5, tag: 'mine' });
        });

        it('change one field of a user: theirs can be taken', async () => {
          const user = await newUser(`twotabs${width}`);
          const first = await openEditor(`/user/edit/${user.id}`, 'Edit user');
          const second = await openEditor(`/user/edit/${user.id}`, 'Edit user', other);
          await second.getByLabel('Display name').fill('Theirs');
          await save(second);
          await gone(second);
          await first.getByLabel('Display name').fill('Mine');
          await save(first);
          await first.getByRole('button', { name: 'Use theirs' }).click();
          expect(await first.getByLabel('Display name').inputValue()).to.equal('Theirs');
          await save(first);
          await gone(first);
          expect(await send('GET', `/api/user/${user.id}`)).to.include({ display_name: 'Theirs', username: `twotabs${width}` });
        });

        it('never begin with a row as it once was', async () => {
          const token = await newToken(`read afresh ${width}`);
          await page.goto('about:blank'); // the list that is there does not know the token
          const first = await openEditor(`/token/edit/${token.id}`, 'Edit token');
          await page.keyboard.press('Escape');
          await gone(first);
          await send('PUT', '/api/token/', { id: token.id, name: 'changed elsewhere' });
          await page.getByRole('button', { name: `Edit read afresh ${width}` }).click();
          await first.getByRole('textbox').first().waitFor();
          await eventually(async () => expect(await first.getByLabel('Name').inputValue()).to.equal('changed elsewhere'));
        });
      });
    });
  }

  for (const width of [360, 768, 1280])
    it(`a priority out of range is refused in the row at ${width} px, and what was typed is kept`, async () => {
      await page.setViewportSize({ width, height: 800 });
      const channel = await newChannel(`out of range ${width}`);
      await site.go(`/channel?keyword=${width}`);
      if (width < 1024) await page.getByRole('button', { name: `Details of out of range ${width}` }).click();
      const cell = page.getByRole('spinbutton', { name: `Priority of out of range ${width}` });
      await cell.fill('-5000');
      await cell.press('Enter');
      await page.getByText('Must be at least -999').waitFor();
      expect(await cell.inputValue()).to.equal('-5000');
      expect((await send<ChannelView>('GET', `/api/channel/${channel.id}`)).priority).to.equal(0);
      await cell.press('Escape');
      expect(await cell.inputValue()).to.equal('0');
    });

  unsaved(() => site);
  sessionEnds(() => site);
});
