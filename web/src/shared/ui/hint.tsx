import Tooltip from '@mui/material/Tooltip';
import { useEffect, useId, useState } from 'react';

type Side = 'left' | 'right';

/** Words about an element, which `HintLayer` shows beside it: `<span {...hint(exact)}>`. They are its description, whether shown or not. */
export function hint(text: string | undefined, side: Side = 'left') {
  return text ? { title: text, 'data-hint': side } : {};
}

/** The same, for what holds no control: the keys get to it by itself. */
export function focusableHint(text: string | undefined, side: Side = 'left') {
  return text ? { ...hint(text, side), tabIndex: 0 } : {};
}

interface Shown {
  target: HTMLElement;
  text: string;
}

/** As theme.ts has it for the others. */
const delayMs = 400;

/** Shows the hint of whatever the pointer rests or the focus is on: one for the page, since one for each cell would cost a table dearly. */
export function HintLayer() {
  const [shown, setShown] = useState<Shown>();
  const id = useId();
  useEffect(() => watchHints(id, setShown), [id]);
  if (!shown) return null;
  const { target, text } = shown;
  return <Bubble key={text} id={id} anchor={target} text={text} side={target.dataset.hint as Side} />;
}

/** Words beside an element. Those of a button let the pointer through: they lie on what stands beside it. */
export function Bubble({ anchor, text, side, id }: { anchor: HTMLElement; text: string; side: Side | 'bottom-end'; id?: string }) {
  return (
    <Tooltip
      open
      title={text}
      placement={side}
      disableInteractive={anchor.matches('button, input')}
      {...(id !== undefined && { id })}
      slotProps={{ popper: { anchorEl: anchor } }}
    >
      <span hidden />
    </Tooltip>
  );
}

/** Tells which hint is to be shown, until the function that it returns is called. */
function watchHints(id: string, show: (shown: Shown | undefined) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let target: HTMLElement | null = null;
  /** The browser would show a title in its own way besides, so it is taken from its element while it is shown. */
  let taken: string | undefined;
  const take = (): void => {
    if (!target?.isConnected || !target.title) return;
    taken = target.title;
    target.removeAttribute('title');
    target.setAttribute('aria-describedby', id);
    show({ target, text: taken });
  };
  // What is shown changes with the element: "Copy", "Copied".
  const changes = new MutationObserver(take);
  const leave = (): void => {
    clearTimeout(timer);
    changes.disconnect();
    if (taken !== undefined) {
      target?.setAttribute('title', taken);
      target?.removeAttribute('aria-describedby');
      show(undefined);
    }
    target = null;
    taken = undefined;
  };
  const come = (element: HTMLElement | null): void => {
    if (element === target) return;
    leave();
    target = element;
    if (!element) return;
    timer = setTimeout(() => {
      take();
      changes.observe(element, { attributes: true, attributeFilter: ['title'] });
    }, delayMs);
  };
  const over = (event: Event): void => {
    const element = event.target as Element;
    if (!element.closest('[role="tooltip"]')) come(element.closest<HTMLElement>('[data-hint]'));
  };
  const focused = (event: Event): void => {
    const element = event.target as HTMLElement;
    if (element.matches('[data-hint]:focus-visible')) come(element);
  };
  // What the pointer rests on keeps its hint when the focus moves elsewhere.
  const left = (event: Event): void => {
    if (target?.contains(event.target as Node)) leave();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
  };
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener('pointerover', over, { signal });
  document.addEventListener('focusin', focused, { signal });
  document.addEventListener('focusout', left, { signal });
  document.documentElement.addEventListener('pointerleave', leave, { signal });
  document.addEventListener('keydown', pressed, { signal });
  // The pointer may have come before all this.
  come(document.querySelector<HTMLElement>('[data-hint]:hover'));
  return () => {
    listening.abort();
    leave();
  };
}
