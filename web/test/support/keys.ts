import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';

/** What is passed at most on the way: a page has the whole navigation before its content. */
const mostPresses = 120;

/** Goes to a control as people without a mouse do, from wherever the focus is. It must be there and able to take the focus. */
export async function reach(control: Locator, key = 'Tab'): Promise<void> {
  await control.waitFor();
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if (await hasFocus(control)) return;
    await control.page().keyboard.press(key);
  }
  throw new Error(`${control} is not reached by ${key}`);
}

/** Waits until a control has taken the focus by itself, as the first field of a dialog does. */
export async function getsFocus(control: Locator): Promise<void> {
  await eventually(async () => expect(await hasFocus(control), `${control} has the focus`).to.equal(true));
}

function hasFocus(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === document.activeElement);
}
