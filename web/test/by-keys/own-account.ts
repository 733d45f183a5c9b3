import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { getsFocus } from '../support/keys.ts';
import type { MailBox } from '../support/mail-box.ts';
import { appCode } from '../support/providers.ts';
import type { Hands } from './hands.ts';

const address = 'keys@example.com';
const passwords = { first: 'analytical-1', last: 'analytical-2' };

/** An account of one's own, from registering to a passkey. By the name of the host: an IP address has no passkeys. */
export function ownAccount(at: () => Hands, box: () => MailBox): void {
  let password = passwords.first;
  let secret = '';

  const open = (path: string): Promise<void> => at().open(path, at().address.replace('127.0.0.1', 'localhost'));
  const mailed = (pattern: RegExp): Promise<string> =>
    eventually(
      () => {
        const [found] = pattern.exec(box().texts.at(-1) ?? '') ?? [];
        if (found === undefined) throw new Error(`no mail with ${pattern}`);
        return found;
      },
      { timeoutMs: 30_000 },
    );
  const card = (name: string) => at().page.getByRole('region', { name, exact: true });
  const proof = async (): Promise<void> => {
    const { page, dialog } = at();
    await getsFocus(dialog("Confirm it's you").getByLabel('Current password'));
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
  };
  const firstStep = async (): Promise<void> => {
    const { page, keys } = at();
    await keys.write(page.getByLabel('Username or email'), 'ada');
    await keys.write(page.getByLabel('Password', { exact: true }), password);
    await page.keyboard.press('Enter');
  };
  const signOut = async (): Promise<void> => {
    const { page, keys, button } = at();
    await keys.choose(button(/^Account:/), 'Sign out');
    await page.waitForURL('**/login');
  };

  it('one registers by a mailed code, and comes by a new password where the first is forgotten', async () => {
    const { page, keys, button } = at();
    await open('/login');
    await keys.press(page.getByRole('link', { name: 'Create an account' }));
    await keys.write(page.getByLabel('Username'), 'ada');
    await keys.write(page.getByLabel('Password', { exact: true }), password);
    await keys.write(page.getByLabel('Confirm password'), password);
    await keys.write(page.getByLabel('Email'), address);
    await keys.press(button('Send code'));
    // The button is of no use for a minute.
    await getsFocus(page.getByLabel('Verification code'));
    await page.keyboard.type(await mailed(/^\d{6}$/m));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/login');
    await keys.press(page.getByRole('link', { name: 'Forgot password?' }));
    await keys.write(page.getByLabel('Email', { exact: true }), address);
    await page.keyboard.press('Enter');
    const { pathname, search } = new URL(await mailed(/https?:\S+reset\S*/));
    await open(pathname + search);
    await keys.press(button('Reset password'));
    await page.getByRole('button', { name: 'Password reset complete' }).waitFor();
    password = await page.getByLabel('New password').inputValue();
    expect(password).to.match(/^[\w-]{12}$/);
    await keys.press(page.getByRole('link', { name: 'Back to sign-in' }));
    await firstStep();
    await page.waitForURL('**/token');
  });

  it('one changes the password, and has sign-ins ask for a second step', async () => {
    const { page, keys, dialog } = at();
    await open('/user/edit');
    const form = card('Password');
    await keys.write(form.getByLabel('New password', { exact: true }), passwords.last);
    const again = form.getByLabel('Confirm new password');
    await keys.write(again, passwords.last);
    await page.keyboard.press('Enter');
    await proof();
    await dialog("Confirm it's you").waitFor({ state: 'detached' });
    password = passwords.last;
    await getsFocus(again);
    const step = card('Two-factor authentication');
    await keys.press(step.getByRole('button', { name: 'Turn on' }));
    await proof();
    const setup = dialog('Set up two-factor authentication');
    await getsFocus(setup.getByLabel('Code', { exact: true }));
    secret = await setup.getByLabel('Secret', { exact: true }).inputValue();
    await page.keyboard.type(appCode(secret));
    await page.keyboard.press('Enter');
    await step.getByRole('listitem').nth(9).waitFor();
    await getsFocus(step.getByRole('button', { name: 'Generate new recovery codes' }));
    await signOut();
    await firstStep();
    await getsFocus(page.getByLabel('Code'));
    await page.keyboard.type(appCode(secret, 1));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
  });

  it('one adds a passkey, signs in by it alone, and gives it up', async () => {
    const { page, keys, button } = at();
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
    await open('/user/edit');
    await keys.write(card('Passkeys').getByLabel('Name'), 'Thumb');
    await page.keyboard.press('Enter'); // signed in with a code a moment ago: no proof is asked for
    const remove = button('Remove: Thumb');
    await remove.waitFor();
    await signOut();
    await keys.press(button('Passkey'));
    await page.waitForURL('**/token');
    await open('/user/edit');
    await keys.press(remove);
    await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Remove' }));
    await remove.waitFor({ state: 'detached' });
    await getsFocus(card('Passkeys').getByLabel('Name'));
    await signOut();
    await devtools.detach();
  });
}
