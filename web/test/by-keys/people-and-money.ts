import { expect } from 'chai';
import { getsFocus } from '../support/keys.ts';
import { intercept } from '../support/site.ts';
import type { Hands } from './hands.ts';

/** Codes and orders, users, and what the log and the dashboard tell of them. */
export function peopleAndMoney(at: () => Hands): void {
  it('codes are made and handed out, one is redeemed, and an order is paid', async () => {
    const { page, keys, says, dialog, send, open, go, copied, address } = at();
    const gateway = { ServerAddress: address, PayAddress: 'https://pay.example', EpayId: '7', EpayKey: 'k' };
    for (const [key, value] of Object.entries(gateway)) await send('/api/option/', { key, value }, 'PUT');
    await open('/redemption');
    await keys.press(page.getByRole('link', { name: 'Create codes' }).first());
    const codes = dialog('Create codes');
    await keys.write(codes.getByLabel('Quota'), '2');
    await page.keyboard.press('Enter');
    const handed = dialog('1 code created');
    await handed.waitFor();
    // The form that closes behind it leaves the focus where it is.
    await codes.waitFor({ state: 'detached' });
    await getsFocus(handed.getByRole('button', { name: 'Close' }));
    const [file] = await Promise.all([page.waitForEvent('download'), keys.press(handed.getByRole('button', { name: 'Download (CSV)' }))]);
    expect(file.suggestedFilename()).to.match(/\.csv$/);
    await keys.press(handed.getByRole('button', { name: /^Copy/ }).first());
    const code = await copied();
    await page.keyboard.press('Escape');
    await handed.waitFor({ state: 'detached' });
    await go('/topup');
    await keys.write(page.getByLabel('Redemption code'), code);
    await page.keyboard.press('Enter');
    await says('Redeemed: $2.00');
    const form = page.getByRole('region', { name: 'Pay online' });
    await keys.write(form.getByLabel('Amount in dollars'), '10');
    const pay = form.getByRole('button', { name: 'Alipay' });
    await keys.press(pay);
    await keys.leave(page.getByRole('dialog'), pay);
    const heal = await intercept(page, /^https:\/\/pay\.example\//, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Gateway</h1>' }),
    );
    await keys.press(pay);
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Continue to payment' }));
    await page.getByRole('heading', { name: 'Gateway' }).waitFor();
    await heal();
    await open('/topup');
  });

  it('users are added, found, given quota, promoted, banned and deleted', async () => {
    const { page, keys, says, button, dialog, row, more, go } = at();
    await go('/user');
    const add = page.getByRole('link', { name: 'Create user' });
    await keys.press(add);
    const added = dialog('Create user');
    await getsFocus(added.getByLabel('Username'));
    await page.keyboard.type('keyed');
    await keys.write(added.getByLabel('Password'), 'long enough');
    await page.keyboard.press('Enter');
    await says('User account created successfully!');
    await added.waitFor({ state: 'detached' });
    await getsFocus(add);
    await page.keyboard.press('/');
    await getsFocus(page.getByRole('search').getByRole('textbox'));
    await page.keyboard.type('keyed');
    await page.waitForURL(/keyword=keyed/);
    await keys.choose(more('keyed'), 'Change quota');
    await getsFocus(dialog('Change quota of keyed').getByLabel('Amount to add'));
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await says('Quota of keyed changed');
    await getsFocus(more('keyed'));
    for (const [deed, state] of [
      ['Promote to admin', 'Admin'],
      ['Ban', 'Banned'],
    ] as const) {
      await keys.choose(more('keyed'), deed);
      await keys.press(page.getByRole('dialog').getByRole('button', { name: deed }));
      await row('keyed').getByText(state).waitFor();
      await getsFocus(more('keyed'));
    }
    await keys.press(button('Edit keyed'));
    await keys.to(dialog('Edit user').getByLabel('Username'));
    await keys.leave(dialog('Edit user'), button('Edit keyed'));
    await keys.choose(more('keyed'), 'Delete account');
    await getsFocus(page.getByRole('dialog').getByRole('textbox'));
    await page.keyboard.type('keyed');
    await page.keyboard.press('Enter');
    await row('keyed').getByText('Cancelled').waitFor();
  });

  it('the log is filtered, opened and saved', async () => {
    const { page, keys, button, dialog, send, go } = at();
    const [code] = await send<string[]>('/api/redemption/', { name: 'logged', quota: 500_000, count: 1 });
    await send('/api/user/topup', { key: code });
    await go('/log');
    await keys.choose(button(/^Type/), 'Top-up');
    await page.waitForURL(/type=1/);
    await keys.press(button('Clear Type'));
    await page.waitForURL((url) => !url.search.includes('type='));
    const model = page.getByRole('search').getByRole('textbox', { name: 'Model' });
    await keys.write(model, 'none-such');
    await page.keyboard.press('Enter');
    await page.waitForURL(/model=none-such/);
    await keys.press(button('Clear Model'));
    await page.waitForURL((url) => !url.search.includes('model='));
    await getsFocus(model);
    const user = page.locator('[data-row]').first().getByRole('button', { name: 'root' });
    await keys.press(user);
    await keys.leave(dialog('User'), user);
    const details = button(/^Details of/).first();
    await keys.press(details);
    await page.locator('[data-detail]').waitFor();
    await page.keyboard.press('Space');
    await page.locator('[data-detail]').waitFor({ state: 'detached' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      keys.choose(button('Columns and density'), 'Download all rows (CSV)'),
    ]);
    expect(file.suggestedFilename()).to.match(/\.csv$/);
  });

  it('the dashboard is shown by another time and another grouping', async () => {
    const { page, keys, button, dialog, go } = at();
    await go('/detail');
    await keys.choose(button(/^Group by/), 'token');
    await page.getByRole('region', { name: /^By token/ }).waitFor();
    const time = button(/^Time/);
    await keys.press(time);
    await keys.leave(dialog('Time'), time);
    await keys.press(time);
    await keys.press(dialog('Time').getByRole('button', { name: '7 days' }));
    await page.waitForURL(/range=7d/);
    await getsFocus(time);
  });
}
