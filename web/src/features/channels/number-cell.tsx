import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Bubble } from '../../shared/ui/hint.tsx';

interface Range {
  min: number;
  max: number;
}

interface NumberCellProps {
  value: number;
  range: Range;
  label: string;
  /** Saves the least allowed number instead of a smaller one, rather than refusing it. */
  raisesToMin?: boolean;
  onSave: (value: number) => void;
}

/**
 * A number edited where it stands: saved on leaving it or with Enter, taken back with Escape; what did not change is not sent. What
 * is out of range stays as it was typed and says why.
 */
export function NumberCell({ value, range, label, raisesToMin = false, onSave }: NumberCellProps) {
  const [text, setText] = useState(String(value));
  const [wrong, setWrong] = useState<number>();
  const reason = useId();
  const input = useRef<HTMLInputElement>(null);
  const show = (next: string): void => {
    setText(next);
    setWrong(undefined);
  };
  useEffect(() => {
    setText(String(value));
    setWrong(undefined);
  }, [value]);
  const leave = (): void => {
    const typed = text.trim() === '' ? value : Number(text);
    const next = raisesToMin ? Math.max(typed, range.min) : typed;
    const isRight = isWithin(next, range);
    setWrong(isRight ? undefined : next);
    if (!isRight) return;
    setText(String(next));
    if (next !== value) onSave(next);
  };
  return (
    <>
      <input
        ref={input}
        className="number-cell"
        type="number"
        aria-label={label}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={wrong === undefined ? undefined : reason}
        value={text}
        onChange={(event) => show(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') show(String(value));
        }}
      />
      {wrong !== undefined && input.current && <Problem id={reason} anchor={input.current} value={wrong} range={range} />}
    </>
  );
}

function isWithin(value: number, { min, max }: Range): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

interface ProblemProps {
  id: string;
  anchor: HTMLElement;
  value: number;
  range: Range;
}

function Problem({ id, anchor, value, range: { min, max } }: ProblemProps) {
  const { t } = useTranslation('shared');
  const beyond = value < min ? t('form.min', { min: String(min) }) : t('form.max', { max: String(max) });
  return <Bubble id={id} anchor={anchor} text={Number.isInteger(value) ? beyond : t('form.number')} side="bottom-end" />;
}
