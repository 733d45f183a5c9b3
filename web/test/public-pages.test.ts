import { eventually, type FakeProvider, orSkip, startFakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from './support/browser.ts';
import { looksRight } from './support/looks.ts';
import { forgetSession } from './support/session.ts';
import { intercept, openSite, type Site } from './support/site.ts';

const model = 'gpt-4o-mini';

describe('What is open to everybody, in a browser', () => {
  let site: Site;
  let page: Page;
  let provider: FakeProvider;

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
    provider = await startFakeProvider({ script: { words: 4 } });
    const channel = {
      name: 'Fake',
      type: 1,
      key: 'sk-x',
      base_url: provider.url,
      models: `${model},gpt-4o,mj_imagine,unpriced`,
      group: 'default,vip',
    };
    await site.installation.console('/api/channel/', { method: 'POST', body: channel });
    await option('GroupRatio', '{"default":1,"vip":0.5,"svip":1}');
  });
  after(async () => {
    await site?.close();
    await provider?.close();
  });

  const option = (key: string, value: string) => site.installation.console('/api/option/', { method: 'PUT', body: { key, value } });
  const leave = (): Promise<void> => forgetSession(page, site.installation.address);

  it('shows who is signed in the front page with a way into the console', async () => {
    await site.open('/');
    await page.getByRole('heading', { name: 'Tollgate', level: 1 }).waitFor();
    expect(await page.title()).to.equal('Tollgate');
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Pricing' }).click();
    await page.waitForURL('**/pricing');
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor(); // the console stays around it
    await page
      .locator('footer')
      .getByText(/^Powered by Tollgate /)
      .waitFor();
  });

  it('lets a stranger look around: front page, prices, about, and what is no page', async () => {
    await leave();
    await site.open('/');
    await page.getByText(`${site.installation.address}/v1`, { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('from openai import OpenAI').waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('heading', { name: 'About', level: 1 }).waitFor();
    expect(await page.title()).to.equal('About · Tollgate');
    await site.open('/no/such/page');
    await page.getByRole('heading', { name: 'Page does not exist' }).waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Console' }).click();
    await page.waitForURL('**/login?next=%2Ftoken');
  });

  it('prices models for a stranger by a group they choose, and says what calls would cost', async () => {
    await site.open('/pricing');
    const row = page.getByRole('row', { name: /gpt-4o-mini/ });
    await row.getByText('$0.15', { exact: true }).waitFor();
    await row.getByText('$0.60', { exact: true }).waitFor();
    await page.getByText('You are not signed in. Prices of group default (ratio 1).').waitFor();
    expect(await page.getByRole('row', { name: /unpriced/ }).count()).to.equal(0);
    await row.getByRole('button', { name: /Prices in vip/ }).click();
    await row.getByText('$0.075', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('group')).to.equal('vip');
    await page.getByRole('button', { name: '1K tokens' }).click();
    await row.getByText('$0.000075', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Model name' }).fill('mj_imagine');
    await page
      .getByRole('row', { name: /mj_imagine/ })
      .getByText(/\$.* per call/)
      .waitFor();
    await page.getByRole('textbox', { name: 'Model name' }).fill('gpt-4o');
    await page.getByRole('row', { name: /mj_imagine/ }).waitFor({ state: 'detached' });
    for (const name of [model, 'gpt-4o']) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await page.getByRole('button', { name: 'Compare' }).click();
    const calculator = page.getByRole('dialog', { name: 'Calculator' });
    await calculator.getByLabel('Calls per day').fill('2000');
    // (1000 x 0.15 + 500 x 0.6) / 1M at ratio 0.5 is 0.000225 dollars.
    const cost = calculator.getByRole('region', { name: model, exact: true }).getByRole('row', { name: /vip/ });
    await eventually(async () => expect(await cost.getByRole('cell').allTextContents()).to.deep.equal(['$0.000225', '$0.45', '$13.50']));
    await calculator.getByLabel('Calls per day').fill('many');
    await calculator.getByText('Enter a whole number').waitFor();
    await page.reload();
    await calculator.getByRole('region', { name: 'gpt-4o', exact: true }).waitFor();
  });

  it('is called what the administrator calls it, and shows what they wrote as Markdown, in which tags are text', async () => {
    await option('SystemName', 'Harbour <b>Gate</b>');
    await option('HomePageContent', '# Welcome\n\n<script>window.broken = 1</script>\n\n**bold** [x](javascript:alert(1))');
    await site.open('/');
    await page.getByRole('heading', { name: 'Welcome', level: 2 }).waitFor();
    await page.getByText('<script>window.broken = 1</script>').waitFor();
    expect(await page.title()).to.equal('Harbour <b>Gate</b>');
    expect(await page.evaluate(() => 'broken' in window)).to.equal(false);
    expect(await page.locator('a', { hasText: /^x$/ }).getAttribute('href')).to.equal('');
  });

  it('keeps the administrator’s HTML in a frame where nothing can run', async () => {
    const html =
      '<h2 id="a" onclick="parent.broken = 1">Our house</h2><style>h2{color:rgb(1,2,3)}</style><script>parent.broken = 1</script><a href="https://x.example/">out</a><a href="javascript:parent.broken=1">bad</a><img src=x onerror="parent.broken=1"><form action="https://x.example/"><button>send</button></form>';
    await option('About', html);
    await option('Footer', '<p>Harbour Ltd</p>');
    await site.open('/about');
    const frame = page.frameLocator('iframe[title="About"]');
    await frame.getByRole('heading', { name: 'Our house' }).click();
    expect(await frame.getByRole('heading').evaluate((heading) => getComputedStyle(heading).color)).to.equal('rgb(1, 2, 3)');
    expect(await frame.getByText('out').getAttribute('rel')).to.equal('noopener noreferrer');
    expect(await frame.getByText('bad').getAttribute('href')).to.equal(null);
    await page.frameLocator('iframe[title="Footer"]').getByText('Harbour Ltd').waitFor();
    expect(await page.evaluate(() => 'broken' in window)).to.equal(false);
    const sandbox = (await page.locator('iframe[title="About"]').getAttribute('sandbox')) ?? '';
    expect(sandbox.split(' ')).to.not.include.members(['allow-scripts']);
  });

  it('frames a page at an address, and tells it, it alone, our theme and language', async () => {
    const heard = '<body><script>addEventListener("message", (e) => document.body.append(JSON.stringify(e.data)))</script></body>';
    const forget = await intercept(page, /^https:\/\/home\.example\//, (route) => route.fulfill({ contentType: 'text/html', body: heard }));
    await option('HomePageContent', 'https://home.example/welcome');
    await prefer(page, { 'theme-mode': 'light' });
    await site.open('/');
    const frame = page.frameLocator('iframe[src]');
    await frame.getByText('{"themeMode":"light"}{"lang":"en"}').waitFor();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await frame.getByText('{"themeMode":"dark"}').waitFor();
    await prefer(page, { 'theme-mode': 'light' });
    await forget();
  });

  it('has its own texts back where the administrator’s are taken away', async () => {
    for (const key of ['HomePageContent', 'About', 'Footer']) await option(key, '');
    await option('SystemName', 'Tollgate');
    await site.open('/about');
    await page
      .locator('footer')
      .getByText(/^Powered by Tollgate .* Console v0\.4\.8\.4\.3$/)
      .waitFor();
  });

  it('shows a new notice once, on demand again, and not again today where that is wished', async () => {
    await option('Notice', 'Closed on **Sunday**');
    await site.open('/');
    const dialog = page.getByRole('dialog', { name: 'Notice' });
    await dialog.getByText('Sunday').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await site.open('/');
    await page.getByRole('button', { name: 'Notice' }).click();
    await dialog.getByText('Sunday').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await option('Notice', 'Reopen');
    await site.open('/about');
    await dialog.getByRole('button', { name: "Don't show again today" }).click();
    await option('Notice', 'Something else');
    await site.open('/about');
    await page.getByRole('button', { name: 'Notice' }).waitFor();
    expect(await dialog.count()).to.equal(0);
    await option('Notice', '');
  });

  for (const path of ['/', '/about', '/pricing?compare=gpt-4o-mini', '/pricing', '/no/such/page']) {
    it(`${path} looks right at every width, in both languages and themes`, async function () {
      this.timeout(120_000);
      await looksRight(site, path, async () => {
        if (path.includes('compare')) await page.getByRole('dialog').getByRole('row', { name: /vip/ }).waitFor();
        else if (path === '/pricing') await page.locator('[data-row]').first().waitFor();
        else if (path === '/') await page.getByText('/v1', { exact: false }).first().waitFor();
        else await page.locator('h1').waitFor();
      });
    });
  }

  it('made the browser complain about nothing but what strangers may not see, and handlers in the administrator’s HTML', () => {
    expect(site.complaints.filter((text) => !/status of 401|inline event handler/.test(text)).slice(0, 5)).to.deep.equal([]);
  });
});
