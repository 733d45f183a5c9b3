import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from './support/browser.ts';
import { forgetSession, signIn } from './support/session.ts';
import { intercept, openSite, type Site } from './support/site.ts';

/** What the specifications say of single fields and defaults, as far as no other test comes by it. */
describe('Details of the specifications, in a browser', () => {
  let site: Site;
  let page: Page;
  const api = <T = unknown>(path: string, body?: unknown, method = 'POST') => site.installation.console<T>(path, { method, body });
  const names = Array.from({ length: 14 }, (_, at) => `model-${at}`);

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
    const options = {
      GitHubClientId: 'id',
      GitHubClientSecret: 'secret',
      GitHubOAuthEnabled: 'true',
      SMTPServer: '127.0.0.1',
      SMTPAccount: 'site@example.com',
      ServerAddress: site.installation.address,
      EmailVerificationEnabled: 'true',
      ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
    };
    for (const [key, value] of Object.entries(options)) await api('/api/option/', { key, value }, 'PUT');
    await api('/api/channel/', { name: 'c', type: 1, key: 'k', base_url: 'http://127.0.0.1:9', models: names.join(','), group: 'default' });
    for (const [name, model_limits_enabled] of [
      ['free', false],
      ['bound', true],
    ] as const)
      await api('/api/token/', { name, unlimited_quota: true, model_limits_enabled, model_limits: 'model-1' });
    await api('/api/redemption/', { name: 'code', quota: 1, count: 1 });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => site?.close());

  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  it('folds the models of the personal page after ten, and copies one by a click', async () => {
    await site.open('/setting');
    await page.getByRole('button', { name: 'model-0', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^model-\d+$/ }).count()).to.equal(10);
    await page.getByRole('button', { name: 'More 4 models' }).click();
    expect(await page.getByRole('button', { name: /^model-\d+$/ }).count()).to.equal(14);
    await page.getByRole('button', { name: 'model-9', exact: true }).click();
    await eventually(async () => expect(await copied()).to.equal('model-9'));
  });

  it('shows the figures of the own account, its id and group', async () => {
    await site.open('/setting');
    const figures = ['Balance', 'Total used', 'Requests', 'Pending earnings', 'Total earnings', 'Invited users'];
    await eventually(async () => expect(await page.locator('dt').allInnerTexts()).to.include.members(figures));
    await page
      .getByText(/ID:? ?1\b/)
      .first()
      .waitFor();
    await page.getByText('default', { exact: true }).first().waitFor();
  });

  it('has the columns of each list', async () => {
    await page.setViewportSize({ width: 1920, height: 900 });
    for (const [path, names] of [
      ['/channel', ['ID', 'Name', 'Group', 'Type', 'Status', 'Response time', 'Priority', 'Weight']],
      ['/token', ['Name', 'Status', 'Used', 'Remaining', 'Expires']],
      ['/redemption', ['ID', 'Name', 'Status', 'Quota', 'Created', 'Redeemed by']],
      ['/log?range=all', ['Time', 'User', 'Token', 'Model', 'Duration / first token', 'Prompt', 'Completion', 'Cost']],
      ['/user', ['Username', 'Group', 'Role', 'Status']],
      ['/pricing', ['Model', 'Availability', 'Billing', 'Groups']],
    ] as const) {
      await site.open(path);
      const headers = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
      await eventually(async () => expect(await headers(), path).to.include.members([...names]));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('offers the thresholds of warnings in dollars, and the quota of a new token and code', async () => {
    await site.open('/setting');
    for (const amount of ['$0.20', '$1.00', '$2.00', '$10.00'])
      await page.getByRole('button', { name: amount, exact: true }).first().waitFor();
    await site.open('/token/add');
    const drawer = page.getByRole('dialog');
    expect(await drawer.getByLabel('Quota', { exact: true }).inputValue()).to.equal('1');
    for (const amount of ['$1.00', '$10.00', '$50.00', '$100.00', '$500.00', '$1,000.00'])
      await drawer.getByRole('button', { name: amount, exact: true }).waitFor();
    await site.open('/redemption/add');
    expect(await page.getByRole('dialog').getByLabel('Quota', { exact: true }).inputValue()).to.equal('0.2');
    expect(await page.getByRole('dialog').getByLabel('Quantity', { exact: true }).inputValue()).to.equal('1');
  });

  it('warns on the token page, and remembers the size of pages', async () => {
    await site.open('/token');
    await page.getByText('Tokens are for your own use and must not be handed out').waitFor();
    const size = page.locator('label', { hasText: 'Rows per page' }).locator('select');
    expect(await size.inputValue()).to.equal('10');
    expect(await size.locator('option').allInnerTexts()).to.deep.equal(['10', '20', '50', '100']);
    await size.selectOption('20');
    await eventually(async () => expect(await page.evaluate(() => localStorage.getItem('page-size'))).to.equal('20'));
    await page.reload();
    await eventually(async () => expect(await size.inputValue()).to.equal('20'));
  });

  it('labels a token with model limits otherwise, and reads the list again by a button', async () => {
    await site.open('/token');
    const labelOf = (name: string) =>
      page
        .getByRole('row', { name: new RegExp(name) })
        .getByText(/^Enabled/)
        .textContent();
    expect(await labelOf('bound')).not.to.equal(await labelOf('free'));
    await Promise.all([page.waitForRequest(/\/api\/token\/?\?/), page.getByRole('button', { name: 'Refresh', exact: true }).click()]);
  });

  it('shows administrators who a user of the log is', async () => {
    await site.open('/log?range=all');
    await page.getByRole('button', { name: 'root', exact: true }).first().click();
    const info = page.getByRole('dialog', { name: 'User' });
    for (const text of ['Balance', 'Used', 'Calls', 'Group', 'default']) await info.getByText(text, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('fills the models of a new channel by its type while there are none', async () => {
    await site.open('/channel/add');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('combobox', { name: 'Type' }).click();
    await page
      .getByRole('option', { name: /Anthropic|Claude/ })
      .first()
      .click();
    await drawer
      .getByText(/^claude-/)
      .first()
      .waitFor();
  });

  it('asks drawings of the last 30 days up to an hour ahead, and tasks of today', async () => {
    const asked: URL[] = [];
    page.on('request', (request) => void (/\/api\/(?:mj|task)\b/.test(request.url()) && asked.push(new URL(request.url()))));
    await site.open('/midjourney');
    await site.open('/task');
    const spanOf = (part: string, unit: number) => {
      const { searchParams } = asked.find(({ pathname }) => pathname.startsWith(part)) as URL;
      return [Number(searchParams.get('start_timestamp')) / unit, Number(searchParams.get('end_timestamp') ?? 0) / unit];
    };
    await eventually(() => expect(asked.map(({ pathname }) => pathname.split('/')[2])).to.include.members(['mj', 'task']));
    const now = Date.now() / 1000;
    const [drawings = 0, end = 0] = spanOf('/api/mj', 1000);
    expect(now - drawings).to.be.closeTo(30 * 86_400, 600);
    expect(end === 0 || end - now > 3000, 'what begins now is in it').to.equal(true);
    expect(spanOf('/api/task', 1)[0]).to.equal(Math.floor(new Date().setHours(0, 0, 0, 0) / 1000));
  });

  it('begins the playground with its usual model and temperature, and can clear it', async () => {
    await site.open('/playground');
    const slider = page.getByRole('slider', { name: 'Temperature' });
    expect(await Promise.all(['min', 'max', 'step', 'aria-valuetext'].map((name) => slider.getAttribute(name)))).to.deep.equal([
      '0.1',
      '1',
      '0.1',
      '0',
    ]);
    await page.getByRole('button', { name: 'Clear conversation' }).first().waitFor();
  });

  it('goes to the settings when something was bound', async () => {
    const mend = await intercept(page, /\/api\/oauth\/github\?/, (route) =>
      route.fulfill({ json: { success: true, message: 'bind', data: null } }),
    );
    await page.goto(`${site.installation.address}/oauth/github?code=x&state=y`);
    await page.waitForURL(/\/setting$/);
    await mend();
  });

  it('waits 30 s before another email can be asked for', async () => {
    await forgetSession(page, site.installation.address);
    await site.open('/register');
    await page.getByRole('button', { name: /GitHub/ }).waitFor();
    await page.route(/\/api\/(?:verification|reset_password)/, (route) =>
      route.fulfill({ json: { success: true, message: '', data: null } }),
    );
    await page.getByLabel(/^E-?mail$/).fill('a@example.com');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('button', { name: /^Resend in (?:30|29|28) s$/, disabled: true }).waitFor();
    await site.open('/reset');
    await page.getByLabel(/^E-?mail$/).fill('a@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('button', { name: /^Resend in (?:30|29|28) s$/, disabled: true }).waitFor();
  });

  it('is Chinese for other languages, and keeps the one that was chosen', async () => {
    const context = await page.context().browser()?.newContext({ locale: 'fr-FR' });
    const french = await context?.newPage();
    await french?.goto(`${site.installation.address}/login`);
    await french?.getByRole('button', { name: '登录', exact: true }).waitFor();
    await context?.close();
    await prefer(page, { i18nextLng: 'zh' });
    await site.open('/login');
    await page.getByRole('button', { name: '登录', exact: true }).waitFor();
    await prefer(page, { i18nextLng: 'en' });
    await site.open('/login');
    await signIn(page, 'root', '123456');
  });
});
