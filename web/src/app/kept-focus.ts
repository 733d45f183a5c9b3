import { useEffect } from 'react';

/** Where the focus stood: the element, and on the way up from it each parent with the place of the child in it. */
interface Place {
  element: Element;
  way: Step[];
}

interface Step {
  parent: Element;
  index: number;
}

/** Not the ends of a dialog, at which its focus turns round. */
const controls = 'a[href], button, input, select, textarea, summary, iframe, [tabindex]:not([tabindex="-1"], [data-testid^="sentinel"])';

/**
 * Who works by the keyboard keeps the place: when what has the focus vanishes (a row is deleted, a dialog closes whose opener is gone,
 * a button is of no use any more), the focus goes to what took its place, else to what stands next to it. Left to itself it would
 * fall to the body, which is nowhere. A button that waits for the server gets it back, unless it is of no use then.
 * While it is so, the document says `data-focus="kept"`: this comes after the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** In the page and in what lies over it, newest first. */
    let places: Place[] = document.activeElement?.matches(controls) ? [placeOf(document.activeElement)] : [];
    let awaited: Element | undefined;
    // Somebody may have begun by the keys.
    let byKeys = document.activeElement?.matches(':focus-visible') ?? false;
    let frame = 0;
    const mend = (): void => {
      frame = 0;
      if (isLost(places[0], awaited)) awaited = goOn(places);
    };
    const onChange = (): void => {
      if (byKeys && frame === 0 && isLost(places[0], awaited)) frame = requestAnimationFrame(mend);
    };
    const onFocus = ({ target }: FocusEvent): void => {
      // A dialog that takes the focus back from the page does so before this is heard.
      if (target !== document.activeElement) return;
      // A dialog that takes the focus because what had it is gone is no place of its own.
      if (!(target instanceof Element) || (places[0] && !canTake(places[0].element) && isAround(target, places[0]))) return;
      awaited = undefined;
      const place = placeOf(target);
      const before = places.find((other) => rootOf(other) === rootOf(place));
      // A drawer that closes behind a dialog takes the focus to its opener; the dialog takes it back, but to its own frame.
      if (byKeys && before && target.matches('[tabindex="-1"]') && isAround(target, before) && canTake(before.element))
        return void focusOn(before.element);
      const others = places.filter((other) => rootOf(other).isConnected && rootOf(other) !== rootOf(place));
      places = [place, ...others];
      // A drawer that still closes gives the focus back to its opener, also where a dialog lies over that by then.
      onChange();
    };
    const onInput = ({ type }: Event): void => {
      byKeys = type === 'keydown';
    };
    const watch = new MutationObserver(onChange);
    watch.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'aria-hidden'] });
    addEventListener('focusin', onFocus);
    addEventListener('keydown', onInput, true);
    addEventListener('pointerdown', onInput, true);
    document.documentElement.dataset.focus = 'kept';
    return () => {
      delete document.documentElement.dataset.focus;
      watch.disconnect();
      cancelAnimationFrame(frame);
      removeEventListener('focusin', onFocus);
      removeEventListener('keydown', onInput, true);
      removeEventListener('pointerdown', onInput, true);
    };
  }, []);
}

function placeOf(element: Element): Place {
  const way: Step[] = [];
  for (let child = element; child !== document.body && child.parentElement; child = child.parentElement)
    way.push({ parent: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  return { element, way };
}

/** What stands in the body itself: the page, or something that lies over it. */
function rootOf({ element, way }: Place): Element {
  return way.at(-2)?.parent ?? element;
}

function isAround(element: Element, { way }: Place): boolean {
  return way.some(({ parent }) => parent === element);
}

/** Whether nothing has the focus, since what had it is gone or of no use; or what it waits for can take it again. */
function isLost(place: Place | undefined, awaited?: Element): boolean {
  const active = document.activeElement;
  if (!place) return false;
  const isNowhere =
    active === null || active === document.body || active.matches(':disabled') || isAround(active, place) || !isShown(active);
  return isNowhere && (awaited ? canTake(awaited) || !awaited.isConnected || !isWaiting(awaited) : !canTake(place.element));
}

/** Takes the focus to where one goes on; answers the button that has it as soon as its wait is over. */
function goOn(places: Place[]): Element | undefined {
  for (const { element, way } of places) {
    if (canTake(element)) return focusOn(element);
    if (element.isConnected && isWaiting(element)) return element;
    const found = neighbourAlong(way);
    if (found) return focusOn(found);
  }
  const title = document.querySelector('h1');
  return title && isShown(title) ? focusOn(title) : undefined;
}

function neighbourAlong(way: Step[]): Element | undefined {
  for (const [steps, { parent, index }] of way.entries()) {
    if (!parent.isConnected || parent === document.body) continue;
    const found = neighbourIn(parent, index, way.slice(0, steps));
    if (found) return found;
    // Nobody who was in the page wants to be in the navigation.
    if (parent.matches('main, [role="dialog"]')) return undefined;
  }
  return undefined;
}

/** The control at the same place of the next child or the one before, so in a row the same one; else the nearest; else the parent. */
function neighbourIn(parent: Element, index: number, below: Step[]): Element | undefined {
  const children = [...parent.children];
  const sameIn = (child: Element): Element | undefined =>
    below.reduceRight<Element | undefined>((element, step) => element?.children[step.index], child);
  const nearestIn = (child: Element, at: 0 | -1): Element | undefined => {
    const same = sameIn(child);
    return same && isControl(same) ? same : [child, ...child.querySelectorAll(controls)].filter(isControl).at(at);
  };
  for (const child of children.slice(index)) {
    const found = nearestIn(child, 0);
    if (found) return found;
  }
  for (const child of children.slice(0, index).reverse()) {
    const found = nearestIn(child, -1);
    if (found) return found;
  }
  return isControl(parent) ? parent : undefined;
}

function focusOn(element: Element): undefined {
  (element as HTMLElement).focus();
}

function isControl(element: Element): boolean {
  return element.matches(controls) && canTake(element);
}

function canTake(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled') && isShown(element);
}

function isShown(element: Element): boolean {
  return element.closest('[aria-hidden="true"], [inert]') === null && element.checkVisibility({ visibilityProperty: true });
}

/** Out of use for as long as the server takes. */
function isWaiting(element: Element): boolean {
  return element.querySelector('[role="progressbar"]') !== null;
}
