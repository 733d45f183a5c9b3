import type { ChannelKeyView, ChannelView } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, prefer, sidewaysOverflow } from '../support/browser.ts';
import { keepPicture } from '../support/looks.ts';
import type { Site } from '../support/site.ts';
import type { ListPage } from './list-page.ts';

/** A channel with several keys, from the form to the panel of its keys. */
export function channelKeys(list: ListPage): void {
  let site: Site;
  let page: Page;
  before(() => ({ site, page } = list));

  it('make one channel of several keys, and manage its keys, in both languages', async () => {
    const long = (name: string) => `sk-${name}-${'0123456789'.repeat(3)}`;
    const ask = <Data>(path: string) => site.installation.console<{ items: Data[] }>(path, { method: 'GET' });
    await site.open('/channel/add');
    const editor = page.getByRole('dialog', { name: 'Create channel' });
    await editor.getByLabel('Name', { exact: true }).fill('many keys');
    await editor.getByLabel('Key', { exact: true }).fill(`${long('a')}\n${long('b')}`);
    await editor.getByLabel('Key strategy').click();
    await page.getByRole('option', { name: 'Take turns' }).click();
    await editor.getByRole('button', { name: 'Create' }).click();
    await editor.waitFor({ state: 'detached' });
    const [channel] = (await ask<ChannelView>('/api/channel/?p=1&page_size=100&keyword=many')).items;
    expect(channel?.channel_info).to.include({ is_multi_key: true, multi_key_size: 2, multi_key_mode: 'polling' });
    const keys = async () => (await ask<ChannelKeyView>(`/api/channel/${channel?.id}/keys`)).items;

    await site.open(`/channel-health/${channel?.id}`);
    const panel = page.getByRole('region', { name: 'Keys' });
    await panel.getByText('…6789').first().waitFor();
    await panel.getByRole('button', { name: 'Add keys' }).click();
    const adding = page.getByRole('dialog', { name: 'Add keys to many keys' });
    await adding.getByLabel('Keys').fill(`${long('b')}\n${long('c')}\n${long('d')}`);
    await adding.getByLabel('Name').fill('team');
    await adding.getByRole('button', { name: 'Add keys' }).click();
    await page.getByText('2 keys added').waitFor();
    const act = async (key: number, deed: string): Promise<void> => {
      await panel.getByRole('button', { name: new RegExp(`#${key}\\b`) }).click();
      await page.getByRole('menuitem', { name: deed, exact: true }).click();
    };
    await act(1, 'Disable');
    await panel.getByRole('row', { name: /#1/ }).getByText('Disabled').waitFor();
    await act(2, 'Replace');
    const replacing = page.getByRole('dialog', { name: 'Replace key #2' });
    await replacing.getByLabel('Key').fill(long('e'));
    await replacing.getByRole('button', { name: 'Replace' }).click();
    await replacing.waitFor({ state: 'detached' });
    await act(3, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await eventually(async () =>
      expect((await keys()).map(({ id, name, status }) => [id, name, status])).to.deep.equal([
        [1, '', 2],
        [5, '', 1],
        [4, 'team 4', 1],
      ]),
    );

    for (const [language, title, width] of [
      ['en', 'Keys', 1280],
      ['zh', '密钥', 390],
    ] as const) {
      await prefer(page, { i18nextLng: language });
      await page.setViewportSize({ width, height: 800 });
      await site.open(`/channel-health/${channel?.id}`);
      await page.getByRole('region', { name: title, exact: true }).getByText('#5').waitFor();
      await keepPicture(site, `channel-keys-${width}`);
      expect(await sidewaysOverflow(page), `${width} px`).to.be.at.most(0);
      expect(await allFindings(page)).to.deep.equal([]);
    }
    await site.installation.console(`/api/channel/${channel?.id}`, { method: 'DELETE' });
  }).timeout(120_000);
}
