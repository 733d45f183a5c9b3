import type { FakeProvider } from '@tollgate/testing';
import type { Locator } from 'playwright-core';
import { keysOn } from '../support/keys.ts';
import type { Site } from '../support/site.ts';

export const models = ['gpt-4o-mini', 'gpt-4o'] as const;

/** A frame of a streamed answer, and the one after its last. */
export const words = (text: string): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: text } }] })}`;
export const done = 'data: [DONE]';

export type Hands = ReturnType<typeof handsOn>;

/** What the walks by the keyboard alone have in hand: nothing of it moves or clicks a mouse. */
export function handsOn(site: Site, provider: FakeProvider) {
  const { page, installation } = site;
  const keys = keysOn(page);
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
  const send = <Answer>(path: string, body: unknown, method = 'POST'): Promise<Answer> =>
    installation.console<Answer>(path, { method, body });
  return {
    page,
    keys,
    provider,
    address: installation.address,
    button,
    send,
    says: (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor(),
    dialog: (name: string | RegExp): Locator => page.getByRole('dialog', { name }),
    row: (name: string): Locator => page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) }),
    more: (name: string): Locator => button(`More actions: ${name}`),
    channel: (name: string, more = {}): Promise<unknown> =>
      send('/api/channel/', { name, type: 1, key: 'sk-x', base_url: provider.url, models: models.join(','), ...more }),
    submit: (within: Locator): Promise<void> => keys.press(within.locator('button[type="submit"]')),
    /** Loads a page, which gives the focus to nobody. */
    async open(path: string, address = installation.address): Promise<void> {
      await page.goto(`${address}${path}`);
      await page.locator('h1').waitFor();
      // What keeps the focus comes after the page; nobody is as quick with the keys as a test.
      await page.locator('html[data-focus="kept"]').waitFor();
    },
    /** Goes to a page as a link would. */
    async go(path: string): Promise<void> {
      const title = await page.title();
      const isNew = new URL(page.url()).pathname.split('/')[1] !== path.split(/[/?]/)[1];
      await site.go(path);
      // A page that is new takes the focus to its heading, or to the dialog over it.
      const isThere = (before: string): boolean =>
        document.title !== before && document.activeElement?.closest('h1, [role="dialog"], .MuiDrawer-root') != null;
      if (isNew) await page.waitForFunction(isThere, title);
    },
    async copied(): Promise<string> {
      await page.locator('[data-done]').waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    },
    async undo(said: RegExp): Promise<void> {
      const toast = page.getByRole('status').filter({ hasText: said });
      await keys.press(toast.getByRole('button', { name: 'Undo' }));
      await toast.waitFor({ state: 'detached' });
    },
  };
}
