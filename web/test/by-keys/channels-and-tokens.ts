import { expect } from 'chai';
import { drawn } from '../support/browser.ts';
import { getsFocus } from '../support/keys.ts';
import { type Hands, models } from './hands.ts';

/** From the first steps to channels, their tags, and tokens. */
export function channelsAndTokens(at: () => Hands): void {
  it('a new installation is led through its first steps', async () => {
    const { page, keys, provider, says, button, dialog, go, submit } = at();
    await go('/start');
    await keys.press(page.getByRole('link', { name: 'Create channel' }));
    const added = dialog('Create channel');
    await getsFocus(added.getByLabel('Name', { exact: true }));
    await page.keyboard.type('main');
    await keys.write(added.getByLabel('Base URL'), provider.url);
    await keys.write(added.getByLabel('Key', { exact: true }), 'sk-x');
    await keys.press(added.getByRole('button', { name: 'Clear', exact: true }).last());
    await keys.write(added.getByLabel('Models', { exact: true }), models.join(','));
    await page.keyboard.press('Enter');
    await submit(added);
    await says('Channel created');
    await added.waitFor({ state: 'detached' });
    await go('/start');
    provider.answersNext({ words: 2 });
    await keys.press(button('Test main'));
    await says(/The provider responded in/);
  });

  it('channels are edited, tested, copied, switched and deleted, and a deletion is taken back', async () => {
    const { page, keys, provider, button, dialog, row, more, go, channel, undo } = at();
    for (const name of ['one', 'two']) await channel(name);
    await go('/channel');
    await keys.press(button('Edit one'));
    const editor = dialog('Edit channel');
    await editor.locator('button[type="submit"]').waitFor();
    await keys.write(editor.getByLabel('Name', { exact: true }), 'first');
    await page.keyboard.press('Enter');
    await editor.waitFor({ state: 'detached' });
    await getsFocus(button('Edit first'));
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await keys.write(page.getByLabel('Priority of first'), '7');
    await page.keyboard.press('Tab');
    await saved;
    await keys.choose(more('first'), 'Test with model…');
    const test = dialog('Test first');
    provider.answersNext({ words: 2 });
    await keys.press(test.getByRole('button', { name: 'Test', exact: true }).first());
    await test
      .getByText(/\d\.\d\d s/)
      .first()
      .waitFor();
    await keys.leave(test, more('first'));
    await keys.choose(more('first'), 'Duplicate');
    await more('first_copy').waitFor();
    await keys.choose(more('first_copy'), 'Delete');
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await more('first_copy').waitFor({ state: 'detached' });
    await undo(/1 channel deleted/);
    await more('first_copy').waitFor();
    await keys.choose(more('two'), 'Disable');
    await row('two').getByText('Disabled').waitFor();
  });

  it('a row that vanishes leaves the focus to the same control of the next, the last one to the page', async () => {
    const { page, keys, says, more, send, go } = at();
    for (const name of ['lost a', 'lost b', 'lost c']) await send('/api/token/', { name, unlimited_quota: true });
    await go('/token?keyword=lost');
    const remove = async (name: string): Promise<void> => {
      await keys.choose(more(name), 'Delete');
      await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
      await more(name).waitFor({ state: 'detached' });
    };
    await remove('lost b');
    await getsFocus(more('lost a'));
    await remove('lost a');
    await getsFocus(more('lost c'));
    await remove('lost c');
    await says('No tokens found');
    await getsFocus(page.getByRole('region', { name: 'Tokens' }));
  });

  it('rows that are switched out of the filter they stand in leave, come back by Undo, and leave the focus in the page', async () => {
    const { page, keys, more, go, channel, undo } = at();
    for (const name of ['switched a', 'switched b', 'switched c']) await channel(name);
    await go('/channel?keyword=switched&status=1');
    await keys.choose(more('switched b'), 'Disable');
    await more('switched b').waitFor({ state: 'detached' });
    await getsFocus(more('switched a'));
    await undo(/switched b/);
    await more('switched b').waitFor();
    await keys.press(page.getByRole('checkbox', { name: 'Select switched c' }), 'Space');
    await keys.press(page.getByRole('toolbar').getByRole('button', { name: 'Disable' }));
    await more('switched c').waitFor({ state: 'detached' });
    // The filters have come back where the deeds for many were.
    await page.waitForFunction(() => document.activeElement?.closest('[role="search"]') != null);
  });

  it('channels are tagged together, and worked by their tag', async () => {
    const { page, keys, says, button, dialog, row, more, go, channel } = at();
    for (const name of ['left', 'right']) await channel(name);
    await go('/channel?keyword=left');
    await row('left').waitFor();
    await keys.press(page.getByRole('checkbox', { name: 'Select all rows on this page' }), 'Space');
    await keys.press(page.getByRole('toolbar').getByRole('button', { name: 'Set tag' }));
    await getsFocus(dialog('Set tag').getByLabel('Tag'));
    await page.keyboard.type('pair');
    await page.keyboard.press('Enter');
    await says('Tag set on 1 channel');
    await go('/channel');
    await more('right').waitFor();
    await keys.press(button('By tag'), 'Space');
    await keys.press(button('Details of Tag: pair'));
    await more('left').waitFor();
    const edit = button('Edit tag pair');
    await keys.press(edit);
    await keys.leave(dialog('Edit tag'), edit);
    await keys.press(edit);
    await keys.write(dialog('Edit tag').getByLabel('Priority'), '3');
    await page.keyboard.press('Enter');
    await says('Tag updated');
    await getsFocus(edit);
  });

  it('what a token may do at most is set', async () => {
    const { page, keys, button, dialog, send, go } = at();
    const { id } = await send<{ id: number }>('/api/token/', { name: 'limited', unlimited_quota: true });
    await go('/token?keyword=limited');
    const edit = button('Edit limited');
    await keys.press(edit);
    const editor = dialog('Edit token');
    await keys.write(editor.getByLabel('Requests per minute'), '60');
    await keys.write(editor.getByLabel('Concurrent requests'), '3');
    await page.keyboard.press('Enter');
    await editor.waitFor({ state: 'detached' });
    await getsFocus(edit);
    expect(await send(`/api/token/${id}`, undefined, 'GET')).to.include({ requests_per_minute: 60, concurrent: 3 });
  });

  it('tokens are made in a batch, copied, explained and deleted', async () => {
    const { page, keys, says, button, dialog, more, go, copied, submit } = at();
    await go('/token');
    await keys.press(page.getByRole('link', { name: 'Create token' }).or(button('Create token')).first());
    const added = dialog('Create token');
    await getsFocus(added.getByLabel('Name', { exact: true }));
    await page.keyboard.type('mine');
    await keys.press(added.getByLabel('Unlimited quota'), 'Space');
    await keys.write(added.getByLabel('Quantity'), '3');
    await submit(added);
    const made = dialog(/mine/);
    await made.waitFor();
    await added.waitFor({ state: 'detached' });
    await getsFocus(made.getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Enter');
    await made.waitFor({ state: 'detached' });
    await keys.press(button('Copy the key of mine'));
    expect(await copied()).to.match(/^sk-\w{48}$/);
    const edit = button('Edit mine');
    await keys.press(edit);
    await getsFocus(dialog('Edit token').getByLabel('Name', { exact: true }));
    await keys.leave(dialog('Edit token'), edit);
    await keys.choose(more('mine'), 'View key');
    await keys.leave(dialog(/mine/), more('mine'));
    await keys.choose(more('mine'), 'Delete');
    const asked = page.getByRole('dialog');
    await keys.leave(asked, more('mine'));
    await keys.choose(more('mine'), 'Delete');
    await keys.press(asked.getByRole('button', { name: 'Delete' }));
    await says('Token deleted');
  });

  it('the place is kept also where what closed lets go of the page a moment after it is gone', async () => {
    const { page } = await inPlace();
    await page.evaluate(() => {
      const last = document.createElement('button');
      document.querySelector('main')?.append(last);
      last.focus();
      document.body.firstElementChild?.setAttribute('aria-hidden', 'true');
      last.remove();
    });
    await drawn(page);
    await page.evaluate(() => document.body.firstElementChild?.removeAttribute('aria-hidden'));
    await drawn(page);
    const hasPlace = await page.evaluate(
      () => document.activeElement !== document.body && document.querySelector('main')?.contains(document.activeElement),
    );
    expect(hasPlace).to.equal(true);
  });

  it('the place is kept also where a dialog took the focus back from the page before it closed', async () => {
    const { page } = await inPlace();
    const below = await page.evaluateHandle(() => {
      const [below, over] = [document.createElement('button'), document.createElement('button')];
      const takeBack = ({ target }: FocusEvent): void => {
        if (target === below) over.focus();
      };
      document.querySelector('main')?.append(below);
      document.body.append(over);
      over.focus();
      document.addEventListener('focusin', takeBack);
      below.focus();
      document.removeEventListener('focusin', takeBack);
      over.remove();
      return below;
    });
    await drawn(page);
    const hasPlace = await page.evaluate(() => document.activeElement !== document.body);
    await below.evaluate((element) => element.remove());
    expect(hasPlace).to.equal(true);
  });

  /** Someone by the keys in a page. */
  async function inPlace(): Promise<Hands> {
    const hands = at();
    await hands.go('/token');
    await hands.page.keyboard.press('Tab');
    return hands;
  }
}
