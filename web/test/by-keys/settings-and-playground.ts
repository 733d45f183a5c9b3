import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { getsFocus, hasFocus } from '../support/keys.ts';
import { done, type Hands, models, words } from './hands.ts';

/** Settings, the playground, the notice, and what stands around all pages. */
export function settingsAndPlayground(at: () => Hands): void {
  const save = (): Locator => at().page.getByRole('region', { name: 'Save' }).getByRole('button', { name: 'Save', exact: true });
  const stored = async (key: string): Promise<unknown> => {
    const options = await at().send<{ key: string; value: string }[]>('/api/option/', undefined, 'GET');
    return JSON.parse(options.find((option) => option.key === key)?.value ?? '');
  };

  it('settings of three tabs are changed, reviewed, saved and found', async () => {
    const { page, keys, says, button, dialog, go } = at();
    await go('/setting?tab=operation');
    const option = (key: string): Locator => page.locator(`[data-option="${key}"]`);
    const tab = async (name: string): Promise<void> => {
      const wanted = page.getByRole('tab', { name, exact: true });
      await keys.to(page.getByRole('tab', { selected: true }));
      await reachByArrows(page, wanted);
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
    };
    await tab('Other');
    await keys.write(option('SystemName').getByRole('textbox'), 'My gate');
    await keys.press(save());
    await says('System name updated');
    await tab('System');
    await keys.write(option('ServerAddress').getByRole('textbox'), 'https://gate.example');
    await keys.press(save());
    await says('No changes');
    await tab('Operation');
    await keys.write(option('RetryTimes').getByRole('textbox'), '4');
    await says('1 setting changed');
    const review = button('Review changes');
    await keys.press(review);
    await keys.leave(dialog('Review changes'), review);
    await keys.press(save());
    await says('Save successful');
    await says('No changes');
    await keys.write(page.getByRole('textbox', { name: 'Search all settings' }), 'retries');
    await page.waitForFunction(() => document.querySelectorAll('[data-option]').length === 1);
  });

  it('limits of each user are written as a text', async () => {
    const { page, keys, says, button, go } = at();
    await go('/setting?tab=ratelimit');
    await keys.press(button('Edit Limits per user'));
    await keys.to(page.getByRole('textbox', { name: 'Limits per user' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"requests_per_minute": 6000}');
    await says('1 setting changed');
    await page.keyboard.press('Tab');
    await keys.press(save());
    await says('No changes');
    expect(await stored('UserLimits')).to.include({ requests_per_minute: 6000 });
  });

  it('prices are changed in their table', async function () {
    this.timeout(180_000); // the tab has many controls before its table
    const { page, keys, says, button, dialog, go } = at();
    await go('/setting?tab=operation');
    await keys.write(page.getByRole('textbox', { name: 'Search models' }), models[0]);
    await keys.write(page.getByRole('textbox', { name: `Model ratio of ${models[0]}`, exact: true }), '0.5');
    await page.keyboard.press('Tab');
    await says('1 setting changed');
    await keys.press(button('Add model'));
    const added = dialog('Add model');
    await getsFocus(added.getByLabel('Model name'));
    await page.keyboard.type('by-keys');
    await keys.write(added.getByLabel('Fixed price'), '0.02');
    await page.keyboard.press('Enter');
    await added.waitFor({ state: 'detached' });
    await getsFocus(button('Add model'));
    await says('2 settings changed');
    await keys.press(save());
    await says('No changes');
    expect(await stored('ModelRatio')).to.include({ [models[0]]: 0.5 });
    expect(await stored('ModelPrice')).to.include({ 'by-keys': 0.02 });
  });

  it('the playground answers, is stopped, asked otherwise and beside', async () => {
    const { page, keys, provider, button, dialog, send, go, channel } = at();
    await send('/api/token/', { name: 'played', unlimited_quota: true });
    await channel('answering');
    await go('/playground');
    const question = page.getByLabel('Message');
    const answer = page.getByRole('article', { name: models[0], exact: true });
    const ask = async (text: string): Promise<void> => {
      await keys.write(question, text);
      // Models and tokens have come, and no answer comes any more.
      await page.locator('button:enabled', { hasText: 'Send' }).waitFor();
      await page.keyboard.press('Enter');
    };
    await ask('One');
    await answer.getByText('Hello').waitFor();
    // It would go on for a minute: nothing but Stop ends it before.
    provider.answersNext({ frames: [words('Half of '), ...Array.from({ length: 600 }, () => words('it ')), done], paceMs: 100 });
    await ask('Two');
    await answer.getByText('Half of').waitFor();
    await keys.press(button('Stop'));
    await answer.getByText('Stopped').waitFor();
    await keys.press(answer.last().getByRole('button', { name: 'Regenerate' }));
    await answer.last().getByText('2 / 2').waitFor();
    await keys.press(answer.last().getByRole('button', { name: 'Older version' }));
    await answer.last().getByText('1 / 2').waitFor();
    const asked = page.getByRole('article', { name: 'You' }).first();
    await keys.press(asked.getByRole('button', { name: 'Edit' }));
    await getsFocus(asked.getByRole('textbox'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Three');
    await keys.press(asked.getByRole('button', { name: 'Send', exact: true }));
    await asked.getByText('2 / 2').waitFor();
    await answer.last().getByText('Hello').waitFor();
    const code = button('View code').last();
    await keys.press(code);
    await keys.leave(dialog('View code'), code);
    await keys.press(button('Add model'));
    await page.getByRole('region', { name: 'gpt-4o', exact: true }).waitFor();
  });

  it('the notice is read and closed, and read again', async () => {
    const { page, keys, button, dialog, send, open } = at();
    await send('/api/option/', { key: 'Notice', value: 'We move on Sunday' }, 'PUT');
    await open('/token');
    await getsFocus(dialog('Notice').getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Escape');
    await dialog('Notice').waitFor({ state: 'detached' });
    await keys.press(button('Notice'));
    await keys.leave(dialog('Notice'), button('Notice'));
    await send('/api/option/', { key: 'Notice', value: '' }, 'PUT');
  });

  it('pages and things are found, keys are told, theme and language chosen, and content is reached at once', async () => {
    const { page, keys, button, dialog, open } = at();
    await open('/token');
    await keys.press(page.getByRole('link', { name: 'Skip to content' }));
    await getsFocus(page.locator('#content'));
    await page.keyboard.press('Control+k');
    const palette = dialog('Search');
    await getsFocus(palette.getByRole('combobox'));
    await page.keyboard.type('usage logs');
    await palette.getByRole('option', { name: 'Usage logs', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log');
    await getsFocus(page.getByRole('heading', { level: 1, name: 'Usage logs' }));
    const account = button(/^Account:/);
    await keys.to(account);
    await page.keyboard.press('?');
    await keys.leave(dialog('Keyboard shortcuts'), account);
    await keys.choose(button('Language'), '中文');
    await page.getByRole('heading', { level: 1, name: '使用日志' }).waitFor();
    await keys.choose(button('语言'), 'English');
    await page.getByRole('heading', { level: 1, name: 'Usage logs' }).waitFor();
  });
}

async function reachByArrows(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 8 && !(await hasFocus(wanted)); presses += 1) await page.keyboard.press('ArrowRight');
  await getsFocus(wanted);
}
