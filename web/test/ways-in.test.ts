import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { byKeys } from './by-keys/by-keys.ts';
import { allFindings, prefer, sidewaysOverflow } from './support/browser.ts';
import { type MailBox, openMailBox } from './support/mail-box.ts';
import { forgetSession, signIn } from './support/session.ts';
import { openSite, type Site } from './support/site.ts';

describe('People’s way in, in a browser', () => {
  let site: Site;
  let page: Page;
  let box: MailBox;

  const setOption = (key: string, value: string) => site.installation.console('/api/option/', { method: 'PUT', body: { key, value } });
  const go = async (path: string): Promise<void> => {
    await page.goto(`${site.installation.address}${path}`);
    await page.locator('h1').waitFor();
  };
  const fill = (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const says = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const completeOauth = async (username: string, password: string): Promise<void> => {
    await go('/login');
    await signIn(page, username, password);
    await page.waitForURL('**/token');
  };
  const signOut = (): Promise<void> => forgetSession(page, site.installation.address);

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
    box = await openMailBox();
    for (const [key, value] of Object.entries({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(box.port),
      SMTPAccount: 'site@example.com',
      ServerAddress: site.installation.address,
      EmailVerificationEnabled: 'true',
    }))
      await setOption(key, value);
    await signOut();
  });
  after(async () => {
    await site?.close();
    box?.close();
  });

  it('leads from sign-in to registering; the code of who invited them is kept', async () => {
    await go('/register?aff=abcd');
    await eventually(async () => expect(await page.evaluate(() => localStorage.getItem('aff'))).to.equal('abcd'));
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.waitForURL('**/register');
  });

  it('says under each field what is wrong, and sends nothing', async () => {
    await go('/register');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await fill('Username', 'thirteen-long');
    await fill('Password', 'seven 7');
    await fill('Confirm password', 'seven 8');
    await press('Create account');
    for (const text of ['Use at most 12 characters', 'Password length must not be less than 8', 'The two passwords differ'])
      await says(text);
    expect(await page.getByText('Required').count()).to.equal(2);
    await fill('Username', 'with blank');
    await says('No spaces or @');
    expect(sent).to.deep.equal([]);
  });

  it('registers with a mailed code, and signs in by the address', async () => {
    await go('/register');
    await fill('Username', 'grace');
    await fill('Password', 'hopper-1906');
    await fill('Confirm password', 'hopper-1906');
    await fill('Email', 'grace@example.com');
    await press('Send code');
    await says('Code sent');
    await page.getByRole('button', { name: /^Resend in \d+ s$/ }).waitFor();
    // Mails are sent after the answer.
    const code = await eventually(() => {
      const found = /^\d{6}$/m.exec(box.texts.at(-1) ?? '')?.[0] ?? '';
      expect(found).to.match(/^\d{6}$/);
      return found;
    });
    await fill('Verification code', code === '000000' ? '000001' : '000000');
    await press('Create account');
    await says('Verification code is incorrect or expired');
    await fill('Verification code', code);
    await press('Create account');
    await page.waitForURL('**/login');
    await says('Registration successful');
    expect(await page.evaluate(() => localStorage.getItem('aff'))).to.equal(null);
    await completeOauth('grace@example.com', 'hopper-1906');
    await signOut();
  });

  it('gives a new password by a mailed link, once', async () => {
    await go('/login');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await press('Send link');
    await says('Required');
    await fill('Email', 'nobody@example.com');
    await press('Send link');
    await says('This email address is not registered');
    await fill('Email', 'grace@example.com');
    await press('Send link');
    await says('Link sent');
    expect(await page.getByRole('button', { name: /^Resend in \d+ s$/ }).isDisabled()).to.equal(true);
    const link = await eventually(() => new URL(/https?:\S+reset\S*/.exec(box.texts.at(-1) ?? '')?.[0] ?? ''), { timeoutMs: 20_000 });
    await go(link.pathname + link.search);
    expect(await page.getByLabel('Email').getAttribute('readonly')).to.equal('');
    expect(await page.getByLabel('Email').inputValue()).to.equal('grace@example.com');
    await press('Reset password');
    await says('it is shown only once');
    expect(await page.getByRole('button', { name: 'Password reset complete' }).isDisabled()).to.equal(true);
    const password = await page.getByLabel('New password').inputValue();
    expect(password).to.match(/^[\w-]{12}$/);
    expect(await allFindings(page)).to.deep.equal([]);
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.getByLabel('New password').click();
    await eventually(async () => expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(password));
    await go(link.pathname + link.search);
    await press('Reset password');
    await says('Reset link is invalid or expired');
    await completeOauth('grace', password);
    await signOut();
    await go('/user/reset');
    await says('Reset link is invalid or expired');
  });

  it('is closed where the administrator says so', async () => {
    await setOption('RegisterEnabled', 'false');
    await go('/register');
    await says('Administrator has disabled new user registration');
    expect(await page.getByLabel('Username').count()).to.equal(0);
    await go('/login');
    await page.getByRole('link', { name: 'Forgot password?' }).waitFor();
    expect(await page.getByRole('link', { name: /Create an account/ }).count()).to.equal(0);
    await setOption('RegisterEnabled', 'true');
  });

  it('fits phones and screens, in both languages and themes, for everybody', async function () {
    this.timeout(120_000);
    for (const [language, theme] of [
      ['en', 'light'],
      ['zh', 'dark'],
    ] as const) {
      await prefer(page, { i18nextLng: language, 'theme-mode': theme });
      for (const path of ['/login', '/register', '/reset', '/user/reset?email=a@example.com&token=x']) {
        await go(path);
        for (const width of [360, 768, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await sidewaysOverflow(page), `${path} ${language} ${width}`).to.be.at.most(0);
          if (width !== 768) expect(await allFindings(page), `${path} ${language} ${width}`).to.deep.equal([]);
        }
      }
    }
    await says('密码重置确认');
    expect(site.complaints).to.deep.equal([]);
  });

  byKeys(
    () => site,
    () => box,
  );
});
