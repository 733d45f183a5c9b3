import { type FakeProvider, startFakeProvider } from '@tollgate/testing';
import { prefer } from '../support/browser.ts';
import type { MailBox } from '../support/mail-box.ts';
import { forgetSession } from '../support/session.ts';
import type { Site } from '../support/site.ts';
import { channelsAndTokens } from './channels-and-tokens.ts';
import { done, type Hands, handsOn, words } from './hands.ts';
import { ownAccount } from './own-account.ts';
import { peopleAndMoney } from './people-and-money.ts';
import { settingsAndPlayground } from './settings-and-playground.ts';
import { tabOrder } from './tab-order.ts';

/** What root does, and whoever has an account, by the keyboard alone, on a product that runs already and mails to `box`. */
export function byKeys(site: () => Site, box: () => MailBox): void {
  let hands: Hands;
  let provider: FakeProvider;

  describe('by the keyboard alone', () => {
    before(async () => {
      provider = await startFakeProvider({ script: { frames: [words('Hello'), done] } });
      hands = handsOn(site(), provider);
      const { page, keys, open, address } = hands;
      await forgetSession(page, address);
      await prefer(page, { i18nextLng: 'en', 'theme-mode': 'light' });
      await open('/login');
      await keys.write(page.getByLabel('Username or email'), 'root');
      await keys.write(page.getByLabel('Password', { exact: true }), '123456');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/token');
      await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    });
    after(() => provider?.close());

    const at = (): Hands => hands;
    channelsAndTokens(at);
    peopleAndMoney(at);
    settingsAndPlayground(at);
    tabOrder(at);
    ownAccount(at, box);

    it('and one signs out', async () => {
      const { page, keys, button, open } = hands;
      await open('/token');
      await keys.choose(button(/^Account:/), 'Sign out');
      await page.waitForURL('**/login');
    });
  });
}
