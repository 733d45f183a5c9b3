import { looksRight } from '../support/looks.ts';
import type { ListPage } from './list-page.ts';

/** Root takes a price file and decides on what waits, on a product that runs already. */
export function catalogPage(list: ListPage): void {
  const page = () => list.site.page;

  it('The catalog page takes a price file, shows what waits with its reason, and puts it in force when it is approved', async function () {
    this.timeout(120_000);
    const channel = { name: 'priced', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'gpt-4.1,o3' };
    const [{ id } = { id: 0 }] = await list.site.installation.console<{ id: number }[]>('/api/channel/', { method: 'POST', body: channel });
    await list.site.open('/catalog');
    await page().getByText('No proposals').waitFor();
    await page().getByRole('button', { name: 'Upload file' }).click();
    await page().getByRole('combobox', { name: 'Format' }).click();
    await page().getByRole('option', { name: 'models.dev (api.json)' }).click();
    const models = { 'gpt-4.1': { cost: { input: 4, output: 16 } }, o3: { cost: { input: 0, output: 0 } } };
    const buffer = Buffer.from(JSON.stringify({ openai: { models } }));
    await page().getByLabel('Choose a file').last().setInputFiles({ name: 'api.json', mimeType: 'application/json', buffer });
    await page().getByRole('button', { name: 'Check file' }).click();
    await page().getByText('2 prices: 0 would apply, 1 would wait, 1 would be quarantined.').waitFor();
    await page().getByRole('dialog').getByRole('button', { name: 'Upload file' }).click();
    await list.row('gpt-4.1').getByText('Rise').waitFor();
    await list.row('o3').getByText('Quarantined').waitFor();
    await looksRight(list.site, '/catalog', () => list.row('gpt-4.1').first().waitFor());
    await list.site.open('/catalog');
    await list.row('gpt-4.1').getByRole('checkbox').check();
    await page().getByRole('button', { name: 'Approve', exact: true }).click();
    await page().getByText('1 proposal approved').waitFor();
    await list.row('gpt-4.1').getByText('Applied').waitFor();
    await page().getByRole('tab', { name: 'Price sources' }).click();
    await page().getByText('No price sources').waitFor();
    await list.site.open('/pricing?keyword=gpt-4.1');
    await list.row('gpt-4.1').getByText('$4.00').waitFor();
    await page().getByRole('button', { name: 'Price history of gpt-4.1' }).click();
    await page().getByRole('dialog', { name: 'Price history of gpt-4.1' }).waitFor();
    await page()
      .getByRole('dialog')
      .getByText(/noted yet|Since/)
      .waitFor();
    await list.site.installation.console(`/api/channel/${id}`, { method: 'DELETE' }); // the other lists count their channels
  });
}
