import AddRounded from '@mui/icons-material/AddRounded';
import CloseRounded from '@mui/icons-material/CloseRounded';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import MenuItem from '@mui/material/MenuItem';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DropMenu } from './drop-menu.tsx';

interface Described<Name extends string> {
  name: Name;
  label: string;
}

export interface Choice<Name extends string> {
  value: string;
  label: ReactNode;
  /** What it sets, where that is not what the filter is named after. */
  sets?: Name;
}

/** A filter that is typed: a field that is always open. */
export type TextFilter<Name extends string> = Described<Name> & { kind: 'text'; numeric?: boolean };
/** `select` is chosen, `custom` brings its own panel and a text for what is set. */
export type ChipFilter<Name extends string> =
  | (Described<Name> & { kind: 'select'; options: Choice<Name>[] })
  | (Described<Name> & { kind: 'custom'; shown: string; clears: Name[]; panel: (close: () => void) => ReactNode });
export type Filter<Name extends string> = TextFilter<Name> | ChipFilter<Name>;

const Chip = styled('span')<{ 'data-set': boolean }>(({ theme, 'data-set': isSet }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  height: 28,
  borderRadius: 14,
  border: `1px ${isSet ? 'solid' : 'dashed'} ${isSet ? theme.vars?.palette.primary.main : `color-mix(in srgb, ${theme.vars?.palette.text.secondary} 45%, transparent)`}`,
  background: isSet ? theme.vars?.palette.action.selected : 'transparent',
  color: isSet ? theme.vars?.palette.text.primary : theme.vars?.palette.text.secondary,
  fontSize: 12.5,
  maxWidth: 'min(320px, 100%)',
  minWidth: 0,
  '& svg': { fontSize: 15 },
}));

const Half = styled(ButtonBase)({ height: '100%', paddingInline: 10, borderRadius: 14, gap: 4, font: 'inherit', minWidth: 0 });

/** A filter as a chip: dashed while it filters nothing, filled with its value once it does. */
export function FilterChip<Name extends string>({
  filter,
  values,
  onChange,
}: {
  filter: ChipFilter<Name>;
  values: Record<Name, string>;
  onChange: (changes: Partial<Record<Name, string>>) => void;
}) {
  const { t } = useTranslation('shared');
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const shown = shownOf(filter, values);
  const names = namesOf(filter);
  const nothing = Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>;
  const set = (next: string, name = filter.name): void => {
    setAnchor(null);
    onChange({ ...nothing, [name]: next });
  };
  const clearable = isFilterSet(filter, values);
  return (
    <Chip data-set={clearable}>
      <Half
        onClick={(event) => setAnchor(event.currentTarget)}
        aria-haspopup={filter.kind === 'select' ? 'menu' : 'dialog'}
        aria-expanded={anchor !== null}
      >
        {shown ? null : <AddRounded aria-hidden />}
        <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
          {filter.label}
        </Box>
        {shown && (
          <Box component="b" sx={{ fontWeight: 550, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
            {shown}
          </Box>
        )}
      </Half>
      {clearable && (
        <ButtonBase
          aria-label={t('filter.clearOne', { name: filter.label })}
          onClick={() => onChange(nothing)}
          sx={{ height: '100%', width: 26, ml: -0.75, borderRadius: '14px' }}
        >
          <CloseRounded />
        </ButtonBase>
      )}
      {anchor && filter.kind === 'select' && (
        <DropMenu anchor={anchor} onClose={() => setAnchor(null)}>
          {filter.options.map((option) => (
            <MenuItem
              key={`${option.sets} ${option.value}`}
              selected={option.value === values[option.sets ?? filter.name]}
              onClick={() => set(option.value, option.sets)}
            >
              {option.label}
            </MenuItem>
          ))}
        </DropMenu>
      )}
      {anchor && filter.kind !== 'select' && (
        <Popover
          anchorEl={anchor}
          open
          onClose={() => setAnchor(null)}
          anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
          slotProps={{ paper: { role: 'dialog', 'aria-label': filter.label, sx: { p: 1.5, mt: 0.5 } } }}
        >
          {filter.panel(() => setAnchor(null))}
        </Popover>
      )}
    </Chip>
  );
}

function shownOf<Name extends string>(filter: ChipFilter<Name>, values: Record<Name, string>): ReactNode {
  if (filter.kind === 'custom') return filter.shown;
  const value = values[filter.name];
  const chosen = filter.options.find((option) => option.value !== '' && option.value === values[option.sets ?? filter.name]);
  return chosen?.label ?? value;
}

export function isFilterSet<Name extends string>(filter: Filter<Name>, values: Record<Name, string>): boolean {
  return namesOf(filter).some((name) => values[name] !== '');
}

/** All that a filter sets. */
function namesOf<Name extends string>(filter: Filter<Name>): Name[] {
  if (filter.kind === 'custom') return filter.clears;
  if (filter.kind === 'text') return [filter.name];
  return [filter.name, ...filter.options.flatMap(({ sets }) => sets ?? [])];
}
