import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

/** What is passed at most on the way: a page has the whole navigation before its content. */
const mostPresses = 150;
/** As long as the page itself is waited for: on a busy machine a list is read again for seconds. */
const patience = { timeoutMs: 30_000 };

/** Waits until a control has taken the focus by itself, as the first field of a dialog does. */
export async function getsFocus(control: Locator): Promise<void> {
  await eventually(async () => expect(await hasFocus(control), `${control} has the focus`).to.equal(true), patience);
}

export function hasFocus(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === document.activeElement);
}

export interface Keys {
  /** Goes to a control by Tab, or back by Shift+Tab. Nothing may have lost the focus before. */
  to(control: Locator): Promise<void>;
  press(control: Locator, key?: string): Promise<void>;
  /** Puts a text in the place of what the field holds. */
  write(field: Locator, text: string): Promise<void>;
  /** Opens a menu or a list of choices, and takes one by the arrows. */
  choose(opener: Locator, name: string): Promise<void>;
  /** Closes by Escape what lies over the page; what opened it has the focus again. */
  leave(dialog: Locator, opener: Locator): Promise<void>;
}

/** A pair of hands on the keyboard of a page. */
export function keysOn(page: Page): Keys {
  const to = async (control: Locator): Promise<void> => {
    await control.waitFor();
    // What lies over the page takes the focus a moment after it is drawn.
    await eventually(async () => expect(await control.evaluate(isWithinReach), `the focus can go to ${control}`).to.equal(true), patience);
    // Found by its name at first, when it was drawn anew meanwhile, and at the end: to look for it at each stop costs more than the way.
    let element = await control.elementHandle();
    for (let presses = 0; presses < mostPresses; presses += 1) {
      const at = await element?.evaluate(wayTo);
      if (at === 'here' && (await hasFocus(control))) return;
      if (at === 'before' || at === 'after') await page.keyboard.press(at === 'before' ? 'Shift+Tab' : 'Tab');
      else element = await control.elementHandle();
    }
    throw new Error(`${control} is not reached`);
  };
  const press = async (control: Locator, key = 'Enter'): Promise<void> => {
    await to(control);
    await page.keyboard.press(key);
  };
  return {
    to,
    press,
    async write(field, text) {
      await to(field);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
    },
    async choose(opener, name) {
      await press(opener);
      const choice = page.locator('[role^="menuitem"], [role="option"]').and(page.getByText(name, { exact: true }));
      await choice.waitFor();
      await page.waitForFunction(() => document.activeElement?.closest('[role="menu"], [role="listbox"]') != null);
      for (let presses = 0; presses < mostPresses && !(await hasFocus(choice)); presses += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await choice.waitFor({ state: 'detached' });
    },
    async leave(dialog, opener) {
      await dialog.waitFor();
      const isInside = (): Promise<boolean> => dialog.evaluate((element) => element.contains(document.activeElement));
      await eventually(async () => expect(await isInside(), `${dialog} has the focus`).to.equal(true), patience);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await getsFocus(opener);
    },
  };
}

/** Whether the focus stands somewhere, and in the same dialog as the control. A page that was just loaded has it nowhere. */
function isWithinReach(control: Element): boolean {
  if (control.matches(':disabled')) return false;
  const over = '[role="dialog"], [role="menu"], [role="listbox"]';
  const active = document.activeElement;
  if (active === null || active === document.body) return !('hadFocus' in window);
  return control.closest(over) === active.closest(over) || control.closest(over)?.contains(active) === true;
}

/** Where the control stands, seen from the focus. */
function wayTo(control: Element): 'here' | 'before' | 'after' | 'gone' {
  if (!control.isConnected) return 'gone';
  const active = document.activeElement ?? document.body;
  if (active !== document.body) Object.assign(window, { hadFocus: true });
  if (active === control) return 'here';
  const isBefore = active !== document.body && (active.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return isBefore ? 'before' : 'after';
}
