import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import MenuItem from '@mui/material/MenuItem';
import i18next from 'i18next';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { DropMenu } from './drop-menu.tsx';
import { hint as hintOf } from './hint.tsx';
import { icons } from './icons.tsx';

export interface RowAction {
  key: string;
  label: string;
  icon?: ReactNode;
  run: () => void;
  dangerous?: boolean;
  disabled?: boolean;
  divided?: boolean;
}

/** Draws the menu with these deeds while it is open. */
export type DrawMenu = (actions: RowAction[]) => ReactNode;

/** An action of the menu that also has a button of its own in the row, where the table has room for it. */
export interface QuickAction {
  /** That of the menu's action. */
  key: string;
  /** What it does, and to which row; `hint` leaves the row out, which is in sight. */
  label: string;
  hint: string;
  icon: ReactNode;
  /** The least room of the table that shows it. */
  needs?: 'middle' | 'wide';
}

interface RowMenuProps {
  label: string;
  quick?: QuickAction[];
  children: (menu: DrawMenu) => ReactNode;
}

/**
 * What can be done with a row, behind one button; the frequent actions have buttons of their own before it. `children` are rendered
 * from the first use on, so that a hundred rows do not pay for hooks of menus that are never opened.
 */
export function RowMenu({ label, quick = [], children }: RowMenuProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [wasUsed, setWasUsed] = useState(false);
  const [wanted, setWanted] = useState<string>();
  const close = (): void => setAnchor(null);
  return (
    <>
      {/* Plain elements: a component for each would be hundreds in a table. */}
      {quick.map(({ key, label: name, hint, icon, needs = 'middle' }) => (
        <button
          key={key}
          type="button"
          className="icon-button"
          aria-label={name}
          data-quick={needs}
          onClick={() => {
            setWasUsed(true);
            setWanted(key);
          }}
          {...hintOf(hint)}
        >
          {icon}
        </button>
      ))}
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          event.stopPropagation();
          setWasUsed(true);
          setAnchor(event.currentTarget);
        }}
      >
        {icons.more}
      </button>
      {wasUsed &&
        children((actions) => (
          <>
            {anchor && <OpenMenu anchor={anchor} actions={actions} onClose={close} />}
            {wanted !== undefined && <RunOnce action={actions.find(({ key }) => key === wanted)} onRun={() => setWanted(undefined)} />}
          </>
        ))}
    </>
  );
}

/** Runs an action of a menu that is not open. */
function RunOnce({ action, onRun }: { action: RowAction | undefined; onRun: () => void }): null {
  const latest = useRef({ action, onRun });
  useEffect(() => {
    const { action: chosen, onRun: done } = latest.current;
    done();
    if (chosen && !chosen.disabled) chosen.run();
  }, []);
  return null;
}

/** Those that nearly every list has: to enable or disable a row, and to delete it. */
export function sharedQuickActions(name: string, isEnabled: boolean): QuickAction[] {
  const t = i18next.getFixedT(null, 'shared');
  return [
    isEnabled
      ? { key: 'disable', label: t('disableOne', { name }), hint: t('disable'), icon: icons.power }
      : { key: 'enable', label: t('enableOne', { name }), hint: t('enable'), icon: icons.power },
    { key: 'delete', label: t('deleteOne', { name }), hint: t('delete'), icon: icons.remove },
  ];
}

function OpenMenu({ anchor, actions, onClose }: { anchor: HTMLElement; actions: RowAction[]; onClose: () => void }) {
  return (
    <DropMenu anchor={anchor} onClose={onClose} onClick={(event) => event.stopPropagation()}>
      {actions.flatMap(({ key, label, icon, run, dangerous, disabled, divided }) => [
        divided && <Divider key={`${key}-divider`} />,
        <MenuItem
          key={key}
          disabled={disabled ?? false}
          onClick={() => {
            onClose();
            run();
          }}
          sx={dangerous ? { color: 'error.main' } : {}}
        >
          {icon && <ListItemIcon>{icon}</ListItemIcon>}
          {label}
        </MenuItem>,
      ])}
    </DropMenu>
  );
}
