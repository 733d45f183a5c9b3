import type { ChannelHealth, ChannelView, Page as Listed, LogView, TokenView } from '@tollgate/contracts';
import { eventually, type FakeProvider, orSkip, startFakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from './support/browser.ts';
import { keepPicture, looksRight } from './support/looks.ts';
import { openSite, type Site } from './support/site.ts';

describe('Failed calls, in a browser', () => {
  let site: Site;
  let page: Page;
  let provider: FakeProvider;
  let token: TokenView;
  let requestId: string;

  const ask = (model: string): Promise<Response> =>
    fetch(`${site.installation.address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${token.key}`, 'content-type': 'application/json', 'user-agent': 'OpenAI/Python 1.99.0' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
    });
  const send = <T>(path: string, body: unknown): Promise<T> => site.installation.console<T>(path, { method: 'POST', body });

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, () => openSite({ EGRESS_ALLOW: '127.0.0.0/8' }));
    ({ page } = site);
    provider = await startFakeProvider();
    const fields = { type: 1, key: 'sk-the-channels-own-key', base_url: provider.url, models: 'gpt-4o,gpt-4o-mini', group: 'default' };
    await send<ChannelView[]>('/api/channel/', { ...fields, name: 'refused account' });
    token = await send<TokenView>('/api/token/', { name: 'first', unlimited_quota: true });
    await eventually(async () => expect((await ask('gpt-4o-mini')).status).to.equal(200), { timeoutMs: 20_000 });
    provider.answers({ status: 401, json: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } } }, 'gpt-4o');
    const flood = await Promise.all(Array.from({ length: 24 }, () => ask('no-such-model')));
    requestId = flood[0]?.headers.get('x-request-id') ?? '';
    // Fewer than a circuit breaker opens for.
    for (let call = 0; call < 8; call += 1) expect((await ask('gpt-4o')).status).to.equal(502);
    await eventually(
      async () => {
        const { total } = await site.installation.console<Listed<LogView>>('/api/log/?type=5', { method: 'GET' });
        expect(total, 'eight, ten of the flood, and its count').to.be.at.least(19);
      },
      { timeoutMs: 20_000 },
    );
  });
  after(async () => {
    await site?.close();
    await provider?.close();
  });

  it('stand in the log with their status and why they failed, and open to every attempt', async () => {
    await prefer(page, { 'page-size': '20' });
    await site.open('/log');
    await page.getByText('Failed 502').first().waitFor();
    await page
      .getByText(/Failed × \d/)
      .first()
      .waitFor();
    await page
      .getByRole('row', { name: /Failed 502/ })
      .first()
      .click();
    await page.getByText('Incorrect API key provided').waitFor();
    await page.getByText('401 credentials').waitFor();
    await page.getByText('OpenAI/Python').waitFor();
    await keepPicture(site, 'log opened');
    await page.setViewportSize({ width: 390, height: 844 });
    await keepPicture(site, 'log opened 390');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('are chosen by type, and look right in every view', async () => {
    await looksRight(site, '/log?type=5', () => page.locator('.tag:visible', { hasText: '502' }).first().waitFor());
  });

  it('make their channel failing in the list, with its error rate', async () => {
    await eventually(
      async () => {
        const [health] = await site.installation.console<ChannelHealth[]>('/api/channel/health', { method: 'GET' });
        expect(health?.recent.errors).to.be.at.least(8);
      },
      { timeoutMs: 20_000 },
    );
    await site.open('/channel');
    await page.getByText('Failing').first().waitFor();
    await looksRight(site, '/channel', () => page.locator('.tag:visible[data-tone=error]').first().waitFor());
  });

  it('are shown on the page of their channel, with attempts by hour and by model', async () => {
    await site.open('/channel');
    await page.getByRole('link', { name: 'refused account' }).click();
    await page.getByRole('heading', { name: /refused account/ }).waitFor();
    await page.getByText('credentials', { exact: true }).waitFor();
    await page.getByRole('rowheader', { name: 'gpt-4o', exact: true }).waitFor();
    await page.getByRole('button', { name: '6 hours' }).click();
    await page.getByText(/Attempts per minute/).waitFor();
    const { pathname } = new URL(page.url());
    await looksRight(site, pathname, () => page.getByRole('rowheader', { name: 'credentials' }).waitFor());
  });

  it('are found by a pasted error message', async () => {
    await site.open('/token');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search' });
    await palette.getByRole('combobox').fill(`The model no-such-model does not exist (request id: ${requestId})`);
    await page.getByRole('option', { name: `Request ${requestId}` }).click();
    await page.waitForURL(`**/log?request=${requestId}`);
    await page
      .getByText(/no-such-model|model_not_found/)
      .first()
      .waitFor();
  });
});
