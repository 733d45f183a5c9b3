import { type RefObject, useLayoutEffect, useState } from 'react';

/** How many columns a table has room for; the navigation beside it counts, so the window's width does not tell. */
export type Room = 'narrow' | 'middle' | 'wide';

const fromPx = { middle: 1030, wide: 1330 };

/** All lists stand in the same frame: the next one begins with what the last one had. */
let last: Room = 'wide';

export function useRoom(frame: RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState(last);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const measure = (width: number): void => {
      last = roomIn(width);
      setRoom(last);
    };
    measure(frame.current.clientWidth);
    const watch = new ResizeObserver(([entry]) => entry && measure(entry.contentRect.width));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [frame]);
  return room;
}

function roomIn(width: number): Room {
  if (width >= fromPx.wide) return 'wide';
  return width >= fromPx.middle ? 'middle' : 'narrow';
}
