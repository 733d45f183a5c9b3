import { randomBytes } from 'node:crypto';
import type { OptionView, UserView } from '@tollgate/contracts';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { allFindings, prefer } from './support/browser.ts';
import { keepPicture, looksRight } from './support/looks.ts';
import { signIn } from './support/session.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';

/** Sealed nothing, and could open what it had. */
const olderKey = randomBytes(32).toString('hex');

describe('Settings, in a browser', () => {
  let site: Site;
  let page: Page;

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, () => openSite({ MASTER_KEYS_ALSO: olderKey }));
    page = site.page;
  });
  after(() => site?.close());

  const stored = async (key: string): Promise<string | undefined> => {
    const options = await site.installation.console<OptionView[]>('/api/option/', { method: 'GET' });
    return options.find((option) => option.key === key)?.value;
  };
  const field = (key: string): Locator => page.locator(`[data-option="${key}"]`);
  const save = () => page.getByRole('region', { name: 'Save' }).getByRole('button', { name: 'Save', exact: true }).click();
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const openTab = async (tab: string, key: string) => {
    await site.open(`/setting?tab=${tab}`);
    await field(key).waitFor();
  };

  it('shows the options of each tab, says when nothing was changed, and saves what was', async () => {
    await site.open('/setting');
    await page.getByRole('tab', { name: 'Personal', selected: true }).waitFor();
    await page.getByRole('region', { name: 'Notifications' }).waitFor();
    await page.getByRole('tab', { name: 'Operation' }).click();
    await field('RetryTimes').waitFor();
    await save();
    await says('You seem not to have changed anything');
    await field('RetryTimes').getByRole('textbox').fill('3');
    await page.getByLabel('Blocked-word filter').click();
    await page.getByText('2 settings changed').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review changes' });
    await dialog.getByText('Blocked-word filter').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await save();
    await says('Save successful');
    expect([await stored('RetryTimes'), await stored('CheckSensitiveEnabled')]).to.deep.equal(['3', 'false']);
    await page.getByText('No changes').waitFor();
  });

  it('saves and discards the tab in sight only, whatever is drafted in another', async () => {
    await openTab('system', 'ServerAddress');
    await field('ServerAddress').getByRole('textbox').fill('https://draft.example');
    await field('SMTPPort').getByRole('textbox').fill('no port');
    await page.getByRole('tab', { name: 'Other' }).click();
    await page.getByRole('tab', { name: 'System, 2 unsaved changes' }).waitFor();
    await page.getByText('No changes').waitFor();
    await field('SystemName').getByRole('textbox').fill('My gateway');
    await save();
    await says('System name updated');
    await field('Footer').getByRole('textbox').fill('to be discarded');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect([await stored('SystemName'), await stored('ServerAddress'), await stored('Footer')]).to.deep.equal(['My gateway', '', '']);
    await page.getByRole('tab', { name: /^System/ }).click();
    await page.getByText('2 settings changed').waitFor();
    await save();
    await field('SMTPPort').getByText('Please enter a number').waitFor();
    expect(await stored('ServerAddress')).to.equal('');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No changes').waitFor();
  });

  it('asks with a warning before password sign-in is disabled, in both languages and widths', async () => {
    const flag = () => field('PasswordLoginEnabled').getByRole('switch').click();
    for (const { language, width, title, action, cancel, saves, warning } of [
      {
        language: 'zh',
        width: 390,
        title: '关闭密码登录？',
        action: '关闭密码登录',
        cancel: '取消',
        saves: '保存',
        warning: '未绑定其他登录方式的用户（包括管理员）',
      },
      {
        language: 'en',
        width: 1280,
        title: 'Disable password sign-in?',
        action: 'Disable password sign-in',
        cancel: 'Cancel',
        saves: 'Save',
        warning: 'Users without another sign-in method, including administrators',
      },
    ]) {
      await prefer(page, { i18nextLng: language });
      await page.setViewportSize({ width, height: 800 });
      await openTab('system', 'PasswordLoginEnabled');
      await flag();
      await page.getByRole('region', { name: saves }).getByRole('button', { name: saves, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByText(warning).waitFor();
      await dialog.getByRole('button', { name: action }).waitFor();
      expect(await allFindings(page)).to.deep.equal([]);
      await keepPicture(site, `password-login ${language} ${width}`);
      await dialog.getByRole('button', { name: cancel }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await stored('PasswordLoginEnabled'), 'nothing is sent without a yes').to.equal('true');
      await flag();
    }
    let sent: unknown;
    const mend = await intercept(page, /api\/option\/batch/, (route) => {
      sent = route.request().postDataJSON();
      return failing(route);
    });
    await flag();
    await save();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable password sign-in' }).click();
    await says('Internal server error');
    expect((sent as { options: { key: string; value: string }[] }).options.map(({ key, value }) => [key, value])).to.deep.equal([
      ['PasswordLoginEnabled', 'false'],
    ]);
    await mend();
    await flag();
  });

  it('counts a domain that is typed and not entered, once its field is left for the button that saves', async () => {
    await openTab('system', 'EmailDomainWhitelist');
    await field('EmailDomainWhitelist').getByRole('combobox').fill('typed.example, other.example');
    await save();
    await says('Save successful');
    expect((await stored('EmailDomainWhitelist'))?.split(',').slice(-2)).to.deep.equal(['typed.example', 'other.example']);
  });

  it('has words of its own for single settings of the tab "other"', async () => {
    await openTab('other', 'About');
    await field('About').getByRole('textbox').fill('# Hello');
    await save();
    await says('About content updated');
    await field('SystemName').getByRole('textbox').fill('Tollgate');
    const mend = await intercept(page, /api\/option\/batch/, failing);
    await save();
    await says('System name update failed: Internal server error');
    await mend();
    await save();
    await says('System name updated');
  });

  it('says under each field what is wrong with it, keeps what was typed, and saves nothing of it', async () => {
    await openTab('operation', 'RetryTimes');
    await field('RetryTimes').getByRole('textbox').fill('99');
    await field('DataExportInterval').getByRole('textbox').fill('x');
    await field('RetryTimes').getByText('Must be at most 10').waitFor();
    await save();
    await field('DataExportInterval').getByText('Please enter a number').waitFor();
    await field('RetryTimes').getByRole('textbox').fill('5');
    await field('DataExportInterval').getByRole('textbox').fill('7');
    await save();
    await says('Save successful');
    await page.getByRole('tab', { name: 'System' }).click();
    await field('SMTPPort').getByRole('textbox').fill('2525');
    await page.getByLabel('GitHub sign-in').click();
    await save();
    await field('GitHubOAuthEnabled').getByText('Set GitHubClientId before you enable GitHubOAuthEnabled').waitFor();
    await says('Save failed, please retry');
    expect(await stored('SMTPPort'), 'one batch').to.equal('587');
    await field('GitHubClientId').getByRole('textbox').fill('an id');
    await field('GitHubClientSecret').locator('input').fill('a secret');
    const mend = await intercept(page, /api\/option\/batch/, failing);
    await save();
    await says('Internal server error');
    await mend();
    await save();
    await says('Save successful');
    expect([await stored('RetryTimes'), await stored('SMTPPort'), await stored('GitHubOAuthEnabled')]).to.deep.equal(['5', '2525', 'true']);
    const secret = field('GitHubClientSecret').locator('input');
    await eventually(async () => expect(await secret.getAttribute('placeholder')).to.contain('Set'));
    expect(await secret.inputValue()).to.equal('');
  });

  it('takes back a change, puts a setting back to its default, and finds settings of all tabs', async () => {
    await openTab('operation', 'RetryTimes');
    await field('RetryTimes').getByRole('textbox').fill('8');
    await field('RetryTimes').getByRole('button', { name: /^Undo/ }).click();
    expect(await field('RetryTimes').getByRole('textbox').inputValue()).to.equal('5');
    await page.getByRole('textbox', { name: 'Search all settings' }).fill('retries');
    await eventually(async () => expect(await page.locator('[data-option]').count()).to.equal(1));
    await field('RetryTimes')
      .getByRole('button', { name: /^Reset to default/ })
      .click();
    await save();
    await says('Save successful');
    expect(await stored('RetryTimes')).to.equal('0');
    await page.getByRole('textbox', { name: 'Search all settings' }).fill('smtp');
    await field('SMTPServer').waitFor();
    await page.getByRole('textbox', { name: 'Search all settings' }).fill('no such thing');
    await page.getByText('No settings found').waitFor();
  });

  it('names what a setting needs as one writes in Chinese', async () => {
    await prefer(page, { i18nextLng: 'zh' });
    await site.open('/setting?tab=system');
    await page.getByText('需要先设置：GitHub Client ID、GitHub Client Secret。').waitFor();
    await prefer(page, { i18nextLng: 'en' });
  });

  it('says that payment needs the address of the server', async () => {
    await openTab('system', 'PayAddress');
    await field('PayAddress').getByRole('textbox').fill('https://pay.example');
    await save();
    await says('Please fill in the server address first');
    await field('ServerAddress').getByRole('textbox').fill('https://site.example/');
    await save();
    await says('Save successful');
    expect(await stored('ServerAddress')).to.equal('https://site.example');
    await field('ServerAddress')
      .getByRole('button', { name: /^Reset to default/ })
      .click();
    await field('PayAddress')
      .getByRole('button', { name: /^Reset to default/ })
      .click();
    await save();
    await says('Save successful');
  });

  it('edits JSON with its faults by line', async () => {
    await openTab('operation', 'GroupRatio');
    await field('GroupRatio').getByRole('button', { name: 'Edit Group ratios' }).click();
    const editor = field('GroupRatio').getByRole('textbox', { name: 'Group ratios' });
    const write = async (text: string) => {
      await editor.focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    };
    await write('{"default": 1');
    await page.keyboard.press('Tab');
    await field('GroupRatio').getByText('Not a valid JSON string').waitFor();
    await write('{"default": 1,\n"vip": 1,\n"default": 2}');
    await page.keyboard.press('Tab');
    await field('GroupRatio').getByText('Line 3: duplicate default').waitFor();
    await write('{"default": 1,\n"vip": -1}');
    await save();
    await field('GroupRatio')
      .getByText(/^Line 2: .*vip/)
      .waitFor();
    await write('{"default": 1, "vip": 0.8, "svip": 1}');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review changes' });
    expect((await dialog.locator('section').textContent())?.replace(/\s+/g, ' ')).to.equal('Group ratiosvip: 1 → 0.8');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await says('Save successful');
    expect(JSON.parse((await stored('GroupRatio')) ?? '')).to.include({ vip: 0.8 });
  });

  it('shows prices as a table: finds, filters, adds, pastes, and saves them in one change', async () => {
    await site.installation.console('/api/channel/', {
      method: 'POST',
      body: { name: 'prices', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'gpt-4o-mini,never-heard-of' },
    });
    await openTab('operation', 'ModelRatio');
    const table = page.getByRole('table', { name: 'Table' });
    const row = (model: string): Locator => table.locator(`[data-model="${model}"]`);
    await page.getByLabel('Unpriced only').click();
    await row('never-heard-of').waitFor();
    expect(await table.locator('[data-model]').count()).to.equal(1);
    await page.getByLabel('Model ratio of never-heard-of').fill('nonsense');
    await row('never-heard-of').getByText('Please enter a number').waitFor();
    await page.getByLabel('Model ratio of never-heard-of').fill('1.5');
    await page.keyboard.press('Tab');
    await page.getByText('No models').waitFor();
    await page.getByLabel('Unpriced only').click();

    await page.getByRole('button', { name: 'Add model' }).click();
    const add = page.getByRole('dialog', { name: 'Add model' });
    await add.getByLabel('Model name').fill('gpt-4o-mini');
    await add.getByRole('button', { name: 'Add model' }).click();
    await add.getByText('Model name already exists').waitFor();
    await add.getByLabel('Model name').fill('fixed-one');
    await add.getByLabel('Fixed price').fill('0.02');
    expect(await add.getByLabel('Model ratio').isDisabled()).to.equal(true);
    await add.getByRole('button', { name: 'Add model' }).click();

    await page.getByRole('button', { name: 'Paste from spreadsheet' }).click();
    const paste = page.getByRole('dialog', { name: 'Paste prices from a spreadsheet' });
    await paste.getByLabel('Lines').fill('model\tratio\tcompletion\nsheet-a\t2\t4\nsheet-b\t$0.5\nsheet-c\tdear');
    await paste.getByText('Line 4: sheet-c').waitFor();
    await paste.getByLabel('Lines').fill('model\tratio\tcompletion\nsheet-a\t2\t4\nsheet-b\t$0.5');
    await paste.getByRole('button', { name: 'Apply 2 models' }).click();
    await page.getByRole('textbox', { name: 'Search models' }).fill('sheet-a');
    await row('sheet-a').getByText('≈ $4.00 / $16.00 per 1M').waitFor();

    await page.getByRole('button', { name: 'Review changes' }).click();
    const changes = page.getByRole('dialog', { name: 'Review changes' });
    await changes
      .getByRole('region', { name: 'What last week would have cost at these prices' })
      .getByText('No calls used these models last week')
      .waitFor();
    expect((await changes.textContent()) ?? '')
      .to.match(/fixed-one: \(none\).*0\.02/)
      .and.match(/never-heard-of: \(none\).*1\.5/);
    await changes.getByRole('button', { name: 'Save' }).click();
    await says('Save successful');
    expect(JSON.parse((await stored('ModelPrice')) ?? '')).to.include({ 'fixed-one': 0.02, 'sheet-b': 0.5 });
    expect(JSON.parse((await stored('ModelRatio')) ?? '')).to.include({ 'never-heard-of': 1.5, 'sheet-a': 2, 'gpt-4o-mini': 0.075 });
    expect(JSON.parse((await stored('CompletionRatio')) ?? '')).to.include({ 'sheet-a': 4 });
  });

  it('keeps what saves, reviews and discards on one line, on a phone too', async () => {
    await openTab('other', 'SystemName');
    await field('SystemName').locator('input').fill('Another name');
    await page.setViewportSize({ width: 360, height: 800 });
    const buttons = page.getByRole('region', { name: 'Save' }).getByRole('button');
    await eventually(async () => expect(await buttons.count()).to.equal(3));
    const tops = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    expect(new Set(tops).size).to.equal(1);
    await buttons.first().click();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('shows all cards of a tab at once, in their order', async () => {
    await site.open('/token');
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = (): void => {
        const first = document.querySelector('main section h2')?.textContent;
        if (first && first !== seen.at(-1)) seen.push(first);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    });
    await site.go('/setting?tab=operation');
    await page.getByRole('heading', { name: 'Model prices' }).waitFor();
    await page.getByRole('heading', { name: 'General' }).waitFor();
    expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).to.deep.equal(['General']);
  });

  it('clears old logs after a question, and asks for the time', async () => {
    await openTab('operation', 'LogRetentionDays');
    const moment = page.getByRole('group', { name: 'Delete logs before' });
    await moment.getByRole('spinbutton', { name: 'Year' }).press('Delete');
    await page.getByRole('button', { name: 'Delete old logs' }).click();
    await says('Please choose the log time');
    await moment.getByRole('spinbutton', { name: 'Year' }).click();
    await page.keyboard.type('202401010000');
    await page.getByRole('button', { name: 'Delete old logs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete old logs' }).click();
    await says('0 logs cleaned');
  });

  it('keeps the header and what saves in sight on a page that is long, and marks in the navigation where one is', async () => {
    await openTab('operation', 'RetryTimes');
    await field('ModelRatio').scrollIntoViewIfNeeded();
    const isInSight = (selector: string) =>
      page.evaluate((each) => {
        const place = document.querySelector(each)?.getBoundingClientRect();
        return place !== undefined && place.top >= 0 && place.bottom <= innerHeight;
      }, selector);
    expect(await isInSight('header'), 'header').to.equal(true);
    expect(await isInSight('[role="region"][aria-label="Save"]'), 'save').to.equal(true);
    const marked = () => page.locator('nav [aria-current="page"]').allTextContents();
    expect(await marked()).to.deep.equal(['Settings']);
    await site.open('/user/edit');
    expect(await marked()).to.deep.equal([]);
    await site.open('/user');
    expect(await marked()).to.deep.equal(['Users']);
  });

  it('tells root how the services, the engines and the money path stand', async () => {
    await site.open('/system');
    for (const service of ['relay', 'billing', 'console'])
      await page.getByRole('region', { name: 'Services' }).getByRole('row', { name: service }).first().getByText('Running').waitFor();
    const engines = page.getByRole('table', { name: 'Datastores' });
    for (const engine of [/^Database/, /^Redis/, /^Bus/]) await engines.getByRole('row', { name: engine }).getByText('Healthy').waitFor();
    await page.getByText('None. Every event was processed.').waitFor();
    await looksRight(site, '/system', () => page.locator('main table').nth(1).waitFor());
  });

  it('has dead letters published again after a question, once', async () => {
    let asked = 0;
    const restore = await intercept(page, /\/api\/system/, async (route) => {
      if (route.request().method() === 'POST') {
        asked += 1;
        return route.fulfill({ json: { success: true, message: '' } });
      }
      const answer = (await (await route.fetch()).json()) as { data: { dead_letters: object } };
      Object.assign(answer.data.dead_letters, { waiting: { 'usage.recorded': 3 }, replay_wanted: asked > 0 });
      return route.fulfill({ json: answer });
    });
    await site.open('/system');
    await page.getByRole('table', { name: 'Dead letters' }).getByRole('row', { name: 'usage.recorded' }).getByText('3').waitFor();
    await page.getByRole('button', { name: 'Publish again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish again' }).click();
    await page.getByText('billing has not started it yet').waitFor();
    expect([asked, await page.getByRole('button', { name: 'Publish again' }).isDisabled()]).to.deep.equal([1, true]);
    await restore();
  });

  it('has the stored secrets sealed anew after a question, shows how far it is, and says when an older key can go', async () => {
    await site.open('/system');
    const card = page.getByRole('region', { name: 'Stored secrets' });
    await card.getByText('Some secrets still use older keys').waitFor();
    await card.getByRole('button', { name: 'Re-encrypt' }).click();
    await page
      .getByRole('dialog', { name: /^Re-encrypt all/ })
      .getByRole('button', { name: 'Re-encrypt' })
      .click();
    await card.getByText('No secrets use the older keys').waitFor();
    let change: object = { ended_time: 0, total: 4000, looked: 1000, changed: 900 };
    const restore = await intercept(page, /\/api\/system/, async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: { sealing: object } };
      Object.assign(answer.data.sealing, change);
      return route.fulfill({ json: answer });
    });
    await site.open('/system');
    await card.getByText('1,000 of 4,000 rows checked, 900 re-encrypted').waitFor();
    expect(await card.getByRole('progressbar', { name: 'Stored secrets' }).getAttribute('aria-valuenow')).to.equal('25');
    expect(await card.getByRole('button', { name: 'Re-encrypt' }).isDisabled()).to.equal(true);
    expect(await allFindings(page)).to.deep.equal([]);
    change = { unreadable: 2 };
    await card.getByText('Secrets in 2 rows cannot be decrypted').waitFor();
    await restore();
  });

  it('looks right in both themes and languages, with an editor open too, and works by keyboard', async function () {
    this.timeout(180_000);
    await looksRight(site, '/setting?tab=operation', async () => {
      await field('GroupRatio').waitFor();
      const editor = field('GroupRatio').locator('.cm-content');
      if ((await editor.count()) === 0) await field('GroupRatio').locator('button[aria-expanded="false"]').click();
      await editor.waitFor();
    });
    await openTab('ratelimit', 'ModelRequestRateLimitEnabled');
    await field('ModelRequestRateLimitEnabled').getByRole('switch').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.getByText('1 setting changed').waitFor();
    await page.getByRole('region', { name: 'Save' }).getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await says('Save successful');
    expect(await stored('ModelRequestRateLimitEnabled')).to.equal('true');
  });

  it('says that the session is over, when it ended before they were saved', async () => {
    await openTab('operation', 'RetryTimes');
    await field('RetryTimes').getByRole('textbox').fill('6');
    await page.context().clearCookies();
    await save();
    await page.waitForURL('**/login?expired=true&next=%2Fsetting%3Ftab%3Doperation');
    await page.getByRole('alert').getByText('Not logged in or session expired').waitFor();
  });

  it('are the super administrator’s, as other pages that an administrator is told of', async () => {
    const send = (path: string, body: unknown): Promise<unknown> => site.installation.console(path, { method: 'POST', body });
    await send('/api/user/', { username: 'an-admin', password: 'long enough' });
    const { items } = await site.installation.console<{ items: UserView[] }>('/api/user/search?keyword=an-admin');
    await send('/api/user/manage', { id: items[0]?.id, action: 'promote' });
    await site.open('/login');
    await signIn(page, 'an-admin', 'long enough');
    await page.waitForURL('**/token');
    for (const path of ['/system', '/jobs', '/audit', '/start']) {
      await site.open(path);
      await page.getByRole('heading', { name: 'Super administrator only', level: 1 }).waitFor();
      await page.getByText('Contact the super administrator').waitFor();
    }
    await site.open('/setting?tab=system');
    expect(await page.getByRole('tab').allTextContents()).to.deep.equal(['Personal']);
    await site.open('/channel');
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
  });
});
