import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFigure, groupRatioTone, groupTone } from '../format.ts';

/** A group by its name, in the color of that name. Cells call it as a function: a component costs a table of a hundred rows more. */
export function GroupTag({ name }: { name: string }) {
  return (
    <span className="group-tag" data-tone={groupTone(name)}>
      {name}
    </span>
  );
}

export function GroupTags({ names }: { names: string[] }) {
  return (
    <span className="group-tags">
      {names.map((name) => (
        <Fragment key={name}>{GroupTag({ name })}</Fragment>
      ))}
    </span>
  );
}

/** By how much a group multiplies prices, in the color of that number. */
export function GroupRatio({ ratio }: { ratio: number }) {
  const { t } = useTranslation('shared');
  return (
    <span className="toned" data-tone={groupRatioTone(ratio)}>
      {t('times', { ratio: formatFigure(ratio) })}
    </span>
  );
}

/** A group to choose: its name, what it is for, and its ratio. */
export function GroupOption({ name, desc, ratio }: { name: string; desc: string; ratio: number }) {
  return (
    <span>
      <GroupTag name={name} /> · {desc} · <GroupRatio ratio={ratio} />
    </span>
  );
}
