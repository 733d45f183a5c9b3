import type { ChannelView, TokenView } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from '../support/browser.ts';
import { intercept, type Site } from '../support/site.ts';
import type { ListPage } from './list-page.ts';

/** What is done to many rows at once, and taken back. */
export function bulkDeeds(list: ListPage): void {
  let site: Site;
  let page: Page;
  before(() => ({ site, page } = list));

  it('of channels stand below their tags, which are changed as one', async () => {
    const list = async () =>
      (await site.installation.console<{ items: ChannelView[] }>('/api/channel/?p=1&page_size=100', { method: 'GET' })).items;
    const [one, other] = await list();
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids: [one?.id, other?.id], tag: 'pair' } });
    await site.open('/channel?view=tags');
    const pair = page.getByRole('row', { name: /Tag: pair/ });
    await pair.getByText('of 2 enabled').waitFor();
    await page.getByRole('row', { name: /Untagged/ }).waitFor();
    await pair.getByRole('button', { name: /^Details of/ }).click();
    await page.getByRole('row', { name: new RegExp(`\\b${one?.name}\\b`) }).waitFor();
    await pair.getByLabel('Priority of Tag: pair').fill('7');
    await pair.getByLabel('Priority of Tag: pair').press('Enter');
    await eventually(async () =>
      expect((await list()).filter(({ tag }) => tag === 'pair').map(({ priority }) => priority)).to.deep.equal([7, 7]),
    );
    await pair.getByRole('button', { name: 'Edit tag pair' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit tag pair' });
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing changed!').waitFor();
    await editor.getByLabel('Priority').fill('much');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Priority must be an integer!').waitFor();
    await editor.getByLabel('Priority').fill('');
    await editor.getByLabel('Weight').fill('-1');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Weight must be a non-negative integer!').waitFor();
    await editor.getByLabel('Weight').fill('3');
    await editor.getByLabel('Model mapping').fill('[]');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('The model mapping must be valid JSON!').waitFor();
    await editor.getByRole('button', { name: 'No change' }).click();
    await editor.getByLabel('Tag name').fill('');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    await eventually(async () => expect((await list()).map(({ tag }) => tag)).to.deep.equal([null, null, null]));
    expect((await list()).filter(({ weight }) => weight === 3)).to.have.length(2);
  });

  it('of channels and tokens are switched off together, and as they were by one touch', async () => {
    const states = async (kind: string, names: string[]) => {
      const { items } = await site.installation.console<{ items: ChannelView[] }>(`/api/${kind}/?p=1&page_size=100`);
      return names.map((name) => items.find((each) => each.name === name)?.status);
    };
    for (const [kind, names, said] of [
      ['channel', ['channel 1', 'channel 2', 'channel 3'], '2 channels disabled'],
      ['token', ['token 44', 'token 45', 'token 46'], '2 tokens disabled'],
    ] as const) {
      const { items } = await site.installation.console<{ items: ChannelView[] }>(`/api/${kind}/?p=1&page_size=100`);
      const ids = names.map((name) => items.find((each) => each.name === name)?.id);
      const put = (of: typeof ids, status: number) =>
        site.installation.console(`/api/${kind}/batch`, { method: 'PUT', body: { ids: of, set: { status } } });
      await put(ids.slice(0, 2), 1);
      await put(ids.slice(2), 2);
      await site.open(`/${kind}`);
      for (const name of names) await list.boxOf(name).check();
      await list.selected(3);
      await page.getByRole('toolbar').getByRole('button', { name: 'Disable', exact: true }).click();
      const toast = page.getByRole('status').filter({ hasText: said });
      await toast.waitFor();
      expect(await states(kind, [...names])).to.deep.equal([2, 2, 2]);
      await toast.getByRole('button', { name: 'Undo' }).click();
      await eventually(async () => expect(await states(kind, [...names])).to.deep.equal([1, 1, 2]));
    }
  });

  it('take back what was done to all that match, to a tag, and a deletion, after which the same key calls again', async () => {
    const undoOf = (said: string) => page.getByRole('status').filter({ hasText: said }).getByRole('button', { name: 'Undo' });
    const rowsOf = async <Row>(path: string) => (await site.installation.console<{ items: Row[] }>(`/api/${path}&p=1&page_size=100`)).items;
    const allTokens = async () => (await rowsOf<TokenView>('token/?')).filter(({ name }) => /^token 4\d$/.test(name));
    const before = (await allTokens()).map(({ id, status }) => [id, status]);
    await list.openTokens('?keyword=token+4');
    await list.boxOf('token 45').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Select all matching' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable', exact: true }).click();
    await undoOf('tokens disabled').waitFor();
    expect((await allTokens()).map(({ status }) => status)).to.deep.equal(before.map(() => 2));
    await undoOf('tokens disabled').click();
    await eventually(async () => expect((await allTokens()).map(({ id, status }) => [id, status])).to.deep.equal(before));

    const { key = '' } = (await allTokens()).find(({ name }) => name === 'token 45') ?? {};
    const callStatus = async () =>
      (await fetch(`${site.installation.address}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } })).status;
    expect(await callStatus()).to.equal(200);
    await page.getByRole('button', { name: 'More actions: token 45' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await undoOf('Token deleted').waitFor();
    await eventually(async () => expect(await callStatus()).to.equal(401));
    await undoOf('Token deleted').click();
    await list.row('token 45').waitFor();
    await eventually(async () => expect(await callStatus()).to.equal(200));

    const channels = () => rowsOf<ChannelView>('channel/?id_sort=true');
    const ids = (await channels()).map(({ id }) => id);
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids, tag: 'trio' } });
    const states = (await channels()).map(({ status }) => status);
    await site.open('/channel?view=tags');
    await page.getByRole('button', { name: 'More actions: trio' }).click();
    await page.getByRole('menuitem', { name: 'Disable tag trio' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await undoOf('All channels tagged trio are disabled').click();
    await eventually(async () => expect((await channels()).map(({ status }) => status)).to.deep.equal(states));
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids, tag: null } });
  });

  it('tell in the specification’s words what must be selected, given and sent only once', async () => {
    await prefer(page, { i18nextLng: 'zh' });
    const says = (text: string) => page.getByText(text).first().waitFor();
    await site.open('/token');
    await page.getByRole('button', { name: '复制所选令牌' }).click();
    await says('请至少选择一个令牌！');
    await site.go('/redemption');
    await page.getByRole('button', { name: '复制兑换码', exact: true }).click();
    await says('请至少选择一个兑换码！');
    await site.go('/channel');
    const more = page.getByRole('button', { name: '维护' });
    for (const [deed, words] of [
      ['设置标签', '请先选择要设置标签的渠道！'],
      ['删除所选渠道', '请先选择要删除的通道！'],
    ] as const) {
      await more.click();
      await page.getByRole('menuitem', { name: deed, exact: true }).click();
      await says(words);
    }
    await page.getByRole('checkbox', { name: /channel 2/ }).check();
    const bar = page.getByRole('toolbar');
    await bar.getByRole('button', { name: '设置标签' }).click();
    const dialog = page.getByRole('dialog', { name: '设置标签' });
    await dialog.getByRole('textbox').fill('spare');
    await dialog.getByRole('textbox').fill(' ');
    await page.keyboard.press('Enter');
    await dialog.getByText('标签不能为空！').waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: sent, resolve: isSent } = Promise.withResolvers<void>();
    await intercept(page, /\/api\/channel\/batch/, async (route) => {
      isSent();
      await answered;
      await route.continue();
    });
    await dialog.getByRole('textbox').fill('spare');
    await page.keyboard.press('Enter');
    await sent;
    await dialog.locator('button[type="submit"]:disabled').waitFor();
    await page.keyboard.press('Enter');
    await says('提交失败，请勿重复提交！');
    answer();
    await dialog.waitFor({ state: 'detached' });
    const body = { name: 'gone', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model' };
    await site.installation.console('/api/channel/', { method: 'POST', body });
    await page.getByRole('button', { name: '刷新' }).click();
    await list.row('gone').waitFor();
    const { items } = await site.installation.console<{ items: ChannelView[] }>('/api/channel/search?keyword=gone');
    await site.installation.console(`/api/channel/${items[0]?.id}`, { method: 'DELETE' });
    await list
      .row('gone')
      .getByRole('button', { name: /更多操作/ })
      .click();
    await page.getByRole('menuitem', { name: '复制渠道' }).click();
    await says('渠道复制失败: 渠道未找到，请刷新页面后重试。');
  });
}
