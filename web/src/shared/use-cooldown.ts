import { useEffect, useState } from 'react';

const seconds = 30;

/** Seconds until a mail may be asked for again, 0 when it may; `begin` starts the wait. */
export function useCooldown(): [left: number, begin: () => void] {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return [left, () => setLeft(seconds)];
}
