import { readFile } from 'node:fs/promises';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, prefer, sidewaysOverflow } from './support/browser.ts';
import { keepPicture } from './support/looks.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';

const widths = [360, 768, 1280];

describe('Money in, in a browser', () => {
  let site: Site;
  let page: Page;
  let codes: string[] = [];

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
  });
  after(() => site?.close());

  const option = (key: string, value: string) => site.installation.console('/api/option/', { method: 'PUT', body: { key, value } });
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  const menu = async (name: string, item: string) => {
    await row(name)
      .getByRole('button', { name: /More actions/ })
      .click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  it('makes codes, shows them, and hands them out as a file', async () => {
    await site.open('/redemption');
    await page.getByText('No codes yet').waitFor();
    await page.getByRole('link', { name: 'Create codes' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create codes' });
    await drawer.getByLabel('Quantity').fill('101');
    await drawer.getByRole('button', { name: 'Create codes' }).click();
    await drawer.getByText('Must be at most 100').waitFor();
    await drawer.getByLabel('Quantity').fill('3');
    await drawer.getByLabel('Quota').fill('2');
    await drawer.getByRole('button', { name: 'Create codes' }).click();
    const made = page.getByRole('dialog', { name: '3 codes created' });
    const [download] = await Promise.all([page.waitForEvent('download'), made.getByRole('button', { name: 'Download (CSV)' }).click()]);
    const lines = (await readFile(await download.path(), 'utf8')).replace('\ufeff', '').trim().split('\r\n');
    expect(lines[0]).to.equal('code,name,quota');
    codes = lines.slice(1).map((line) => line.split(',')[0] ?? '');
    for (const line of lines.slice(1)) expect(line).to.match(/^[0-9a-f]{32},\$2\.00,1000000$/); // the empty name became what it is worth
    await made.getByRole('button', { name: 'Close' }).click();
    await eventually(async () => expect(await page.locator('[data-row]').count()).to.equal(3));
  });

  it('edits, disables, enables and finds a code, and says what the server refuses', async () => {
    const [first = ''] = codes;
    await page.getByLabel('ID, name or full code').fill(first);
    await eventually(async () => expect(await page.locator('[data-row]').count()).to.equal(1));
    await page.locator('[data-row]').getByRole('button', { name: /^Edit/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Edit code' });
    await drawer.getByLabel('Name').fill('spring');
    await drawer.getByRole('button', { name: 'Save changes' }).click();
    await row('spring').waitFor();
    await menu('spring', 'Disable');
    await row('spring').getByText('Disabled').waitFor();
    expect(await row('spring').getByRole('button', { name: /^Edit/ }).count()).to.equal(0);
    const mend = await intercept(page, /api\/redemption\?status_only/, failing);
    await menu('spring', 'Enable');
    await page.getByText('Internal server error').waitFor();
    await row('spring').getByText('Disabled').waitFor();
    await mend();
    await menu('spring', 'Enable');
    await row('spring').getByText('Unused').waitFor();
  });

  it('redeems a code, shows the new balance, and says why another is refused', async () => {
    await site.open('/topup');
    const balance = page.getByRole('region', { name: 'Balance' });
    const before = await balance.locator('p').first().textContent();
    const form = page.getByRole('region', { name: 'Redeem code' });
    await form.getByRole('button', { name: 'Redeem code' }).click();
    await form.getByText('Enter a redemption code').waitFor();
    await form.getByLabel('Redemption code').fill(codes[0] ?? '');
    await form.getByRole('button', { name: 'Redeem code' }).click();
    await page.getByText('Redeemed: $2.00').waitFor();
    await eventually(async () => expect(await balance.locator('p').first().textContent()).not.to.equal(before));
    await form.getByLabel('Redemption code').fill(codes[0] ?? '');
    await form.getByRole('button', { name: 'Redeem code' }).click();
    await form.getByText('This redemption code has been used').waitFor();
    await form.getByRole('button', { name: 'Get a code' }).click();
    await page.getByText('The super administrator has not set a link').waitFor();
    await site.open('/redemption');
    await row('spring').getByText('Used').waitFor();
    await row('spring')
      .getByText(/root #1/)
      .waitFor();
  });

  it('deletes a code after a question', async () => {
    await page
      .locator('[data-row]')
      .first()
      .getByRole('button', { name: /More actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Code deleted').waitFor();
    await eventually(async () => expect(await page.locator('[data-row]').count()).to.equal(2));
  });

  it('offers to pay once the gateway is set, posts the form there, and shows the order', async () => {
    await site.open('/topup');
    await page.getByText('The administrator has not enabled online top-up').waitFor();
    const gateway = {
      ServerAddress: site.installation.address,
      PayAddress: 'https://pay.example',
      EpayId: '7',
      EpayKey: 'k',
      MinTopUp: '2',
    };
    for (const [key, value] of Object.entries(gateway)) await option(key, value);
    await site.open('/topup');
    const form = page.getByRole('region', { name: 'Pay online' });
    await form.getByText('¥14.60').waitFor();
    await form.getByLabel('Amount in dollars').fill('1');
    await form.getByText('The amount must be at least 2').waitFor();
    await form.getByLabel('Amount in dollars').fill('10.7');
    await form.getByText('¥73.00').waitFor();
    await form.getByLabel('Amount in dollars').blur();
    expect(await form.getByLabel('Amount in dollars').inputValue(), 'what is paid for stands in the field').to.equal('10');
    await form.getByRole('button', { name: 'Alipay' }).click();
    let posted = new URLSearchParams();
    await intercept(page, /^https:\/\/pay\.example\//, (route) => {
      posted = new URLSearchParams(route.request().postData() ?? '');
      return route.fulfill({ contentType: 'text/html', body: '<h1>Gateway</h1>' });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('heading', { name: 'Gateway' }).waitFor();
    expect(posted.get('money')).to.equal('73.00');
    expect(page.url()).to.equal('https://pay.example/submit.php');
    await site.open('/topup');
    await row(posted.get('out_trade_no') ?? '')
      .getByText('Unpaid')
      .waitFor();
    await row(posted.get('out_trade_no') ?? '')
      .getByText('73.00 CNY')
      .waitFor();
  });

  it('credits an order by hand, once, where no callback has come', async () => {
    await site.open('/order');
    const order = page.locator('[data-row]').first();
    await order.getByText('Unpaid').waitFor();
    await order.getByRole('button', { name: /^Details of/ }).click();
    await page.getByText('No callbacks received for this order').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await order.getByRole('button', { name: /^Credit order/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Credit' }).click();
    await page.getByText('$10.00 credited to root').waitFor();
    await order.getByText('Credited').waitFor();
    await page.getByText(/manually by root/).waitFor();
    expect(await order.getByRole('button', { name: /^Credit order/ }).count()).to.equal(0);
    await page
      .getByRole('button', { name: /^Status/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Unpaid' }).click();
    await page.getByText('No orders found').waitFor();
  });

  it('leads to the page that takes a card once that is set', async () => {
    for (const [key, value] of Object.entries({ StripeSecretKey: 'sk_test', StripeWebhookSecret: 'whsec_test' })) await option(key, value);
    await site.open('/topup');
    let asked: unknown;
    const undo = await intercept(page, /\/api\/user\/stripe\/pay$/, (route) => {
      asked = route.request().postDataJSON();
      return route.fulfill({ json: { success: true, message: '', data: { url: 'https://checkout.example/c', trade_no: '1' } } });
    });
    await intercept(page, /^https:\/\/checkout\.example\//, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Checkout</h1>' }),
    );
    const form = page.getByRole('region', { name: 'Pay by card' });
    await form.getByLabel('Amount in dollars').fill('10');
    await form.getByRole('button', { name: 'Pay by card' }).click();
    await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    expect(asked).to.deep.equal({ amount: 10 });
    await undo();
  });

  const refreshesBesideSearch = async (): Promise<void> => {
    const search = page.getByRole('search');
    const middles = await search
      .getByRole('textbox')
      .or(search.getByRole('button').last())
      .evaluateAll((found) => found.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2));
    expect(middles).to.have.length(2);
    expect(middles[1]).to.be.closeTo(middles[0] ?? 0, 2);
  };

  for (const path of ['/redemption', '/redemption/add', '/topup', '/order']) {
    it(`${path} fits every width, in both languages, and axe finds nothing`, async () => {
      for (const language of ['en', 'zh']) {
        await prefer(page, { i18nextLng: language });
        await site.open(path);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          await page.locator('[data-row]').first().waitFor();
          expect(await sidewaysOverflow(page), `${language} ${width}`).to.be.at.most(0);
          if (path === '/redemption') await eventually(refreshesBesideSearch);
          if (language === 'en') expect(await allFindings(page), `${width}`).to.deep.equal([]);
          await keepPicture(site, `${path} ${language} ${width}`);
        }
      }
      await prefer(page, { i18nextLng: 'en' });
      await page.setViewportSize({ width: 1280, height: 800 });
    });
  }
});
