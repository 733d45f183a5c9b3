import type { Page } from 'playwright-core';

/** What a walk by Tab through all of a page found: nothing of these may be. */
export interface Walked {
  stops: number;
  /** Controls that Tab does not come to. */
  missed: string[];
  /** Stops that look the same with and without the focus. */
  blind: string[];
  /** Stops that stand above the one before, or left of it. */
  backwards: string[];
}

/** Goes through a page by Tab, or through the dialog over it, until Tab comes out at the end or begins anew. */
export async function walk(page: Page): Promise<Walked> {
  await page.evaluate(prepareLooks);
  await page.evaluate(() => {
    const over = [...document.querySelectorAll('[role="dialog"]')].at(-1);
    if (!over) document.querySelector<HTMLElement>('a[href="#content"]')?.focus();
    Object.assign(window, { walked: { stops: [], blind: [] } });
  });
  for (let presses = 0; presses < 400; presses += 1) {
    const isOver = await page.evaluate(() => {
      const { walked, lookAtStop } = window as unknown as WalkWindow;
      const active = document.activeElement instanceof HTMLElement ? document.activeElement : document.body;
      const blind = lookAtStop(active);
      if (blind) walked.blind.push(blind);
      // A field of a date has several stops of its own.
      if (active === walked.stops.at(-1)) return false;
      if (active === document.body || walked.stops.includes(active)) return true;
      if ((active as HTMLElement).tabIndex >= 0) walked.stops.push(active);
      return false;
    });
    if (isOver) break;
    await page.keyboard.press('Tab');
  }
  return page.evaluate(() => {
    const { walked } = window as unknown as WalkWindow;
    const named = (element: Element): string =>
      element.outerHTML.replace(/<(svg|path).*/s, '').slice(0, 160) + element.textContent.slice(0, 40);
    const over = [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document;
    const controls = [...over.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]')];
    const missed = controls.filter(
      (each) =>
        each.tabIndex >= 0 &&
        // A date's frame hands the focus on to its first part.
        !each.matches('.MuiPickersSectionList-root') &&
        !each.matches(':disabled, [type="radio"], [data-testid="sentinelStart"], [data-testid="sentinelEnd"]') &&
        each.closest('[aria-hidden="true"], [inert]') === null &&
        each.checkVisibility({ visibilityProperty: true }) &&
        !walked.stops.includes(each),
    );
    const part = 'header, nav, aside, main, footer, section, [role="region"], [role="dialog"]';
    const backwards = walked.stops.filter((stop, index) => {
      const before = walked.stops[index - 1];
      if (!before || before.closest(part) !== stop.closest(part)) return false;
      // A dialog begins anew after its last stop.
      if (before.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING) return over === document;
      const [from, to] = [before.getBoundingClientRect(), stop.getBoundingClientRect()];
      const isBeside = to.left >= from.right - 1;
      const sharesLine = to.top < from.bottom && to.bottom > from.top;
      return (to.bottom <= from.top && !isBeside) || (sharesLine && to.right <= from.left);
    });
    return { stops: walked.stops.length, missed: missed.map(named), blind: walked.blind, backwards: backwards.map(named) };
  });
}

interface WalkWindow {
  walked: { stops: Element[]; blind: string[] };
  /** Keeps how a stop looks; answers the one before where it looks now, without the focus, as it did with it. */
  lookAtStop: (active: HTMLElement) => string | undefined;
}

/** Puts `lookAtStop` into the page. */
function prepareLooks(): void {
  const looksOf = (element: Element): string => {
    const around = [element, element.parentElement, element.nextElementSibling, element.parentElement?.parentElement];
    return around
      .map((each) => {
        if (!each) return '';
        const { outlineStyle, outlineWidth, boxShadow, borderColor, borderWidth, backgroundColor, top } = getComputedStyle(each);
        const outline = outlineStyle === 'none' ? '' : outlineWidth;
        const frame = each.querySelector(':scope > fieldset');
        const framed = frame ? getComputedStyle(frame).borderWidth + getComputedStyle(frame).borderColor : '';
        return [outline, boxShadow, borderColor, borderWidth, backgroundColor, top, framed].join();
      })
      .join('|');
  };
  let last: { element: HTMLElement; looks: string } | undefined;
  Object.assign(window, {
    lookAtStop(active: HTMLElement) {
      // What is on its way to look focused counts.
      for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
      const isLeft = last && last.element !== active && last.element.isConnected && last.element.tabIndex >= 0;
      const blind = last && isLeft && looksOf(last.element) === last.looks ? last.element.outerHTML.slice(0, 200) : undefined;
      last = active === document.body ? undefined : { element: active, looks: looksOf(active) };
      return blind;
    },
  });
}
