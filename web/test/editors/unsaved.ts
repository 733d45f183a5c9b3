import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { hasFocus } from '../support/keys.ts';
import type { Site } from '../support/site.ts';

/** What is typed outside of drawers, in dialogs and on the page of settings, is not lost without a question either. */
export function unsaved(getSite: () => Site): void {
  let site: Site;
  let page: Page;
  before(async () => {
    site = getSite();
    ({ page } = site);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  const send = (method: string, path: string, body: unknown): Promise<unknown> => site.installation.console(path, { method, body });
  const dialog = (name: string): Locator => page.getByRole('dialog', { name });
  const question = (): Locator => dialog('Discard unsaved changes?');
  const gone = (over: Locator): Promise<void> => over.waitFor({ state: 'detached' });

  /** Types into a dialog and leaves it by Escape, twice: the first time it stays, with what was typed. */
  async function asksOnEscape(over: Locator, field: Locator, text: string): Promise<void> {
    await over.waitFor();
    await field.fill(text);
    await page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Cancel' }).click();
    await gone(question());
    expect(await field.inputValue()).to.equal(text);
    expect(await hasFocus(field), 'typing goes on where it was').to.equal(true);
    await page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Discard' }).click();
    await gone(over);
  }

  it('dialogs ask before Escape, Cancel or a click beside them throws away what was typed', async () => {
    await send('POST', '/api/user/', { username: 'unsaved', password: 'long enough' });
    await site.open('/user?keyword=unsaved');
    const open = async (): Promise<Locator> => {
      await page.getByRole('button', { name: /More actions/ }).click();
      await page.getByRole('menuitem', { name: 'Change quota' }).click();
      return dialog('Change quota of unsaved');
    };
    const amount = page.getByLabel('Amount to add');
    await asksOnEscape(await open(), amount, '12');
    for (const leave of [(over: Locator) => over.getByRole('button', { name: 'Cancel' }).click(), () => page.mouse.click(5, 400)]) {
      const over = await open();
      await amount.fill('7');
      await leave(over);
      await question().getByRole('button', { name: 'Discard' }).click();
      await gone(over);
    }
    const untouched = await open();
    await amount.waitFor();
    await page.keyboard.press('Escape');
    await gone(untouched);
    expect(await question().count()).to.equal(0);
  });

  it('lists of models that were changed and tags that were filled in are asked for, too', async () => {
    const channel = { name: 'unsaved tag', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model', tag: 'unsaved' };
    await send('POST', '/api/channel/', channel);
    await site.open('/channel?view=tags');
    await page.getByRole('button', { name: 'Edit tag unsaved' }).click();
    const editor = dialog('Edit tag unsaved');
    await editor.getByRole('button', { name: 'Fill template' }).click();
    await page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Discard' }).click();
    await gone(editor);
    await site.open('/channel/add');
    await page.getByRole('button', { name: 'Edit list' }).click();
    const models = dialog('Channel models');
    await asksOnEscape(models, models.getByLabel(/^Paste model names/), 'one-model');
    await dialog('Create channel').getByRole('button', { name: 'Cancel' }).click();
    await gone(dialog('Create channel'));
  });

  /** Goes Back once and stays, once and leaves; what was typed is there in between. */
  async function asksOnBack(over: Locator, field: Locator, text: string, before: string): Promise<void> {
    await over.waitFor();
    await field.fill(text);
    await page.evaluate(() => history.back());
    await question().getByRole('button', { name: 'Cancel' }).click();
    await gone(question());
    expect(await field.inputValue()).to.equal(text);
    await page.evaluate(() => history.back());
    await question().getByRole('button', { name: 'Discard' }).click();
    await gone(over);
    await page.waitForURL(`**${before}`);
    expect(await question().count(), 'asked once').to.equal(0);
  }

  it('Back asks while something is typed in a dialog, over a list, a drawer, the settings and the shell', async () => {
    await send('POST', '/api/user/', { username: 'backwards', password: 'long enough' });
    await site.open('/token');
    await site.goOn('/user?keyword=backwards');
    await page.getByRole('button', { name: /More actions/ }).click();
    await page.getByRole('menuitem', { name: 'Change quota' }).click();
    await asksOnBack(dialog('Change quota of backwards'), page.getByLabel('Amount to add'), '12', '/token');

    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    await dialog('Create channel').getByLabel('Name', { exact: true }).fill('below the dialog');
    await page.getByRole('button', { name: 'Edit list' }).click();
    const models = dialog('Channel models');
    await asksOnBack(models, models.getByLabel(/^Paste model names/), 'one-model', '/channel');
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    expect(await dialog('Create channel').getByLabel('Name', { exact: true }).inputValue(), 'its draft went, too').to.equal('');
    await page.getByRole('button', { name: 'Edit list' }).click();
    await models.waitFor();
    await page.keyboard.press('Escape');
    await gone(models);
    await dialog('Create channel').getByLabel('Name', { exact: true }).fill('under a dialog without a word');
    await page.getByRole('button', { name: 'Edit list' }).click();
    await models.waitFor();
    await page.evaluate(() => history.back());
    await question().getByRole('button', { name: 'Discard' }).click();
    await gone(models);

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Operation' }).click();
    await page.getByRole('button', { name: 'Add model' }).click();
    await asksOnBack(dialog('Add model'), dialog('Add model').getByLabel('Model name'), 'half-a-model', '/setting');

    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Change password' }).click();
    const password = dialog('Change password');
    await asksOnBack(password, password.getByLabel('New password'), 'half a passw', '/setting');
  });

  it('settings ask before another page takes the place of what was changed, and not between their tabs', async () => {
    await site.open('/setting?tab=operation');
    await page.locator('[data-option="RetryTimes"]').getByRole('textbox').fill('5');
    await page.getByText('1 setting changed').waitFor();
    await page.getByRole('tab', { name: 'System', exact: true }).click();
    await page.getByRole('tab', { name: 'Operation, 1 unsaved change' }).waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await question().getByRole('button', { name: 'Cancel' }).click();
    await gone(question());
    await page.getByRole('tab', { name: 'Operation, 1 unsaved change' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await question().getByRole('button', { name: 'Cancel' }).click();
    await gone(question());
    await page.getByRole('tab', { name: 'Operation, 1 unsaved change' }).waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await question().getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL('**/token');
  });

  it('prices that were pasted or typed for a new model are asked for', async () => {
    await site.open('/setting?tab=operation');
    for (const [opener, label] of [
      ['Paste from spreadsheet', 'Lines'],
      ['Add model', 'Model name'],
    ] as const) {
      await page.getByRole('button', { name: opener }).click();
      const over = page.getByRole('dialog').last();
      await asksOnEscape(over, over.getByLabel(label), 'half-a-model');
    }
  });
}
