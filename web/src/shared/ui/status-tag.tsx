import type { Tone } from '../format.ts';
import { focusableHint } from './hint.tsx';
import { icons } from './icons.tsx';

/** A state as icon, word and colour, so that none of the three is needed to read it. */
export function StatusTag({ tone, label, hint }: { tone: Tone; label: string; hint?: string | undefined }) {
  return (
    <span className="tag" data-tone={tone} {...focusableHint(hint, 'right')}>
      {icons[tone]}
      {label}
    </span>
  );
}
