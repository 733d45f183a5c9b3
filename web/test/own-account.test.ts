import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { allFindings, prefer, sidewaysOverflow } from './support/browser.ts';
import { keepPicture } from './support/looks.ts';
import { appCode, openProviders, type Providers, telegramUser } from './support/providers.ts';
import { forgetSession, signIn } from './support/session.ts';
import { intercept, openSite, type Site } from './support/site.ts';

const botToken = '4711:bot-token';

describe('Other ways in and one’s own account, in a browser', () => {
  let site: Site;
  let page: Page;
  let providers: Providers;
  /** By name: an IP address has no passkeys. */
  let address: string;

  const setOptions = async (values: Record<string, string>) => {
    for (const [key, value] of Object.entries(values))
      await site.installation.console('/api/option/', { method: 'PUT', body: { key, value } });
  };
  const go = async (path: string): Promise<void> => {
    await page.goto(`${address}${path}`);
    await page.locator('h1').waitFor();
  };
  const fill = (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const says = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const signOut = (): Promise<void> => forgetSession(page, address);
  const firstStep = async (username: string, password: string): Promise<void> => {
    await go('/login');
    await signIn(page, username, password);
  };
  const atTokenPage = () => page.waitForURL('**/token');

  before(async function () {
    this.timeout(180_000);
    providers = await openProviders();
    site = await orSkip(this, () => openSite({ EGRESS_ALLOW: '127.0.0.1', TURNSTILE_ADDRESS: `${providers.url}/turnstile` }));
    page = site.page;
    address = site.installation.address.replace('127.0.0.1', 'localhost');
    providers.site = address;
    await setOptions({
      ServerAddress: address,
      GitHubAddress: providers.url,
      GitHubClientId: 'client',
      GitHubClientSecret: 'secret',
      GitHubOAuthEnabled: 'true',
      WeChatServerAddress: providers.url,
      WeChatServerToken: 'token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: botToken,
      TelegramBotName: 'gate_bot',
      TelegramOAuthEnabled: 'true',
      TurnstileSiteKey: 'key',
      TurnstileSecretKey: 'secret',
    });
    await signOut();
  });
  after(async () => {
    await site?.close();
    providers?.close();
  });

  it('leads to GitHub in a window of its own, and back; the first window is in, too', async () => {
    await go('/login');
    const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'GitHub' }).click()]);
    await opened.waitForURL('**/token');
    await opened.close();
    await atTokenPage();
    await signOut();
  });

  it('says what is wrong with a way back that was not begun here', async () => {
    await go('/oauth/github?code=x&state=y');
    await says('This sign-in was started in another browser or has expired; start over');
    await page.waitForURL(/\/login\b/);
    await go('/oauth/nobody');
    await page.waitForURL('**/login');
  });

  it('takes a code of the WeChat account', async () => {
    await go('/login');
    await press('WeChat');
    const dialog = page.getByRole('dialog', { name: 'Sign in with WeChat' });
    await dialog.getByLabel('Verification code').fill('000000');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await says('Verification code is incorrect or expired');
    expect(await allFindings(page)).to.deep.equal([]);
    await dialog.getByLabel('Verification code').fill('246810');
    await page.keyboard.press('Enter');
    await atTokenPage();
  });

  it('binds Telegram, signs in by it, and gives it up', async () => {
    const answers = async (): Promise<void> => {
      await page.route('https://telegram.org/**', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          body: `window.Telegram = { Login: { auth: (options, answer) => answer(${JSON.stringify(telegramUser(botToken))}) } };`,
        }),
      );
    };
    await answers();
    await go('/user/edit');
    await press('Link: Telegram');
    await says('Telegram bound');
    await card('Sign-in methods and email').getByText('77').waitFor();
    await signOut();
    await page.unroute('https://telegram.org/**');
    await eventually(async () => expect(Math.floor(Date.now() / 1000) % 2).to.equal(0)); // another second, another signature
    await answers();
    await go('/login');
    await press('Telegram');
    await atTokenPage();
    await go('/user/edit');
    await press('Unlink: Telegram');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('button', { name: 'Link: Telegram' }).waitFor();
    await press('Unlink: WeChat');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await says('This is the only sign-in method of the account; set a password or link another method first');
  });

  it('changes name and password; an account without one needs no older one', async () => {
    await fill('Username', 'hopper');
    await card('Account').getByRole('button', { name: 'Save' }).click();
    await says('Saved');
    await fill('New password', 'navy');
    await fill('Confirm new password', 'navy-1906');
    await press('Change password');
    await says('Password length must not be less than 8');
    await fill('New password', 'navy-1906');
    await press('Change password');
    await says('Password changed');
  });

  it('switches the second step on by a code of the app, and asks for it at the next sign-in', async () => {
    const step = card('Two-factor authentication');
    await step.getByRole('button', { name: 'Turn on' }).click();
    const proof = page.getByRole('dialog', { name: "Confirm it's you" });
    await proof.getByLabel('Current password').fill('wrong');
    await page.keyboard.press('Enter');
    await says('The current password is incorrect');
    await proof.getByLabel('Current password').fill('navy-1906');
    await page.keyboard.press('Enter');
    const setup = page.getByRole('dialog', { name: 'Set up two-factor authentication' });
    await setup.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    const secret = await setup.getByLabel('Secret', { exact: true }).inputValue();
    await setup.getByLabel('Code', { exact: true }).fill(appCode(secret));
    await page.keyboard.press('Enter');
    await says('Two-factor authentication is on');
    await step.getByRole('listitem').nth(9).waitFor();
    const codes = await step.getByRole('listitem').allTextContents();
    expect(codes).to.have.length(10);
    await signOut();
    await firstStep('hopper', 'navy-1906');
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await fill('Code', '000000');
    await page.keyboard.press('Enter');
    await says(/The code is incorrect/);
    expect(await allFindings(page)).to.deep.equal([]);
    await fill('Code', appCode(secret, 1));
    await page.keyboard.press('Enter');
    await atTokenPage();
  });

  it('adds a passkey and signs in by it alone', async () => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await go('/user/edit');
    const passkeys = card('Passkeys');
    await passkeys.getByLabel('Name').fill('Test key');
    await passkeys.getByRole('button', { name: 'Add passkey' }).click(); // signed in with a code a moment ago: no proof is asked for
    await says('Passkey added');
    await passkeys.getByText('Test key').waitFor();
    await signOut();
    await go('/login');
    await press('Passkey');
    await atTokenPage();
  });

  it('asks who signed in a while ago to confirm that it is him before something is bound', async () => {
    await go('/user/edit');
    let asked = 0;
    const heal = await intercept(page, /\/api\/oauth\/start/, (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      return route.fulfill({ contentType: 'application/json', body: '{"success":false,"message":"?","code":"owner_unconfirmed"}' });
    });
    await press('Link: GitHub');
    const proof = page.getByRole('dialog', { name: "Confirm it's you" });
    await proof.getByLabel('Current password').fill('wrong');
    await page.keyboard.press('Enter');
    await says('The current password is incorrect');
    expect(asked).to.equal(1);
    await proof.getByLabel('Current password').fill('navy-1906');
    await page.keyboard.press('Enter');
    await says(/This GitHub account is already bound/); // by whoever came with it first
    await heal();
  });

  it('shows where one is signed in and who tried, and ends the others', async () => {
    await go('/user/edit');
    const sessions = card('Active sessions');
    await sessions.getByText('this device').waitFor();
    await sessions.getByRole('button', { name: 'Sign out of all other sessions' }).click();
    await eventually(async () => expect(await sessions.getByText('signed in').count()).to.equal(1));
    const history = card('Sign-in history');
    await history.getByText('Failed').first().waitFor();
    await history.getByText('Passkey').first().waitFor();
  });

  it('saves how its owner is warned, makes an access token, and shows the invite link', async () => {
    const notices = card('Notifications');
    await notices.getByLabel('Notification email').fill('nonsense');
    await notices.getByText('Enter a valid email address').waitFor();
    await notices.getByLabel('Webhook', { exact: true }).check();
    await notices.getByLabel('Webhook URL').fill('http://hooks.example/x');
    await notices.getByText('Use an https address').waitFor();
    expect(await notices.getByRole('button', { name: 'Send test notification' }).isDisabled()).to.equal(true);
    await notices.getByLabel('Webhook URL').fill('https://hooks.example/x');
    await notices.getByLabel('Message format').click();
    await page.getByRole('option', { name: 'DingTalk group bot' }).click();
    for (const amount of ['$0.20', '$1.00', '$2.00', '$10.00']) await notices.getByRole('button', { name: amount, exact: true }).click();
    const tested = page.waitForRequest('**/api/user/setting/test');
    await notices.getByRole('button', { name: 'Send test notification' }).click();
    expect((await tested).postDataJSON()).to.include({ webhook_url: 'https://hooks.example/x', webhook_form: 'dingtalk' });
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.url().endsWith('/api/user/setting'));
    await notices.getByRole('button', { name: 'Save' }).click();
    expect((await saved).status()).to.equal(200);
    expect((await saved).request().postDataJSON()).to.include({ quota_warning_threshold: 5_000_000 });
    await go('/user/edit');
    await eventually(async () =>
      expect(await card('Notifications').getByLabel('Webhook URL').inputValue()).to.equal('https://hooks.example/x'),
    );
    await press('Generate token');
    await page.getByRole('dialog').getByRole('button', { name: 'Generate token' }).click();
    expect(await page.getByLabel('Your token. Save it now: it is shown only once.').inputValue()).to.match(/^[\w-]{32}$/);
    const invitation = page.getByRole('textbox', { name: 'Invite link' });
    const link = await invitation.inputValue();
    expect(link).to.match(/\/register\?aff=\w{8}$/);
    await invitation.click();
    await page.getByText('Invite link copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(link);
    expect(await page.getByRole('button', { name: 'Transfer' }).isDisabled(), 'nothing is pending').to.equal(true);
  });

  it('fits phones and screens, in both languages and themes', async function () {
    this.timeout(120_000);
    for (const [language, theme] of [
      ['zh', 'dark'],
      ['en', 'light'],
    ] as const) {
      await prefer(page, { i18nextLng: language, 'theme-mode': theme });
      await go('/user/edit');
      await page.getByText('77').or(page.getByText('4711')).or(page.getByText('wx-grace')).first().waitFor();
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await sidewaysOverflow(page), `${language} ${width}`).to.be.at.most(0);
        await keepPicture(site, `user edit ${language} ${width}`);
        if (width !== 768) expect(await allFindings(page), `${language} ${width}`).to.deep.equal([]);
      }
    }
  });

  it('solves a challenge before it signs in, where the site asks for one', async () => {
    await signOut();
    await setOptions({ TurnstileCheckEnabled: 'true' });
    let solve = false;
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `window.turnstile = { ready: (f) => f(), render: (_box, { callback }) => { ${solve ? "setTimeout(() => callback('solved'))" : ''}; return 'one'; }, remove() {}, reset() {}, getResponse() {}, isExpired: () => false };
          window.onloadTurnstileCallback?.();`,
      }),
    );
    // The page may have asked what the site wants before the option was read.
    const signsInUntil = (seen: Locator) =>
      eventually(
        async () => {
          await firstStep('hopper', 'navy-1906');
          await seen.waitFor({ timeout: 4000 });
        },
        { timeoutMs: 40_000 },
      );
    await signsInUntil(page.getByText('Please retry in a few seconds, Turnstile is checking the environment').first());
    solve = true;
    await signsInUntil(page.getByRole('heading', { name: 'Two-factor authentication' }));
    await site.installation.console('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'false' } });
  });

  it('has what leads in taken off by an administrator', async () => {
    await signOut();
    await go('/login?next=%2F%09%2Fexample.com%2F'); // which is no page of this site
    await signIn(page, 'root', '123456');
    await atTokenPage();
    await go('/user?keyword=hopper');
    await press('More actions: hopper');
    await page.getByRole('menuitem', { name: 'Sign-in methods' }).click();
    const ways = page.getByRole('dialog', { name: 'Sign-in methods of hopper' });
    await ways.getByText('Test key').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await keepPicture(site, 'ways in of a user');
    for (const way of ['Two-factor authentication', 'WeChat']) {
      const unlinkAsAdmin = ways.getByRole('button', { name: `Remove: ${way}` });
      await unlinkAsAdmin.click();
      await page
        .getByRole('dialog', { name: `Remove ${way} from hopper?` })
        .getByRole('button', { name: 'Remove' })
        .click();
      await unlinkAsAdmin.waitFor({ state: 'detached' });
    }
    await signOut();
    await firstStep('hopper', 'navy-1906');
    await atTokenPage();
  });

  it('closes the account once its name is typed', async () => {
    await signOut();
    await go('/login');
    await press('Passkey');
    await atTokenPage();
    await go('/user/edit');
    await press('Delete my account');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete my account' }).isDisabled()).to.equal(true);
    await dialog.getByRole('textbox').fill('hopper');
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await page.waitForURL('**/login');
    await press('Passkey');
    await says('The passkey is unknown');
    expect(site.complaints.filter((text) => !/favicon|challenges\.cloudflare/.test(text))).to.deep.equal([]);
  });
});
