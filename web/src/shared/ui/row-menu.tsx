import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import MenuItem from '@mui/material/MenuItem';
import { type ReactNode, useState } from 'react';
import { DropMenu } from './drop-menu.tsx';
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

/**
 * What can be done with a row, behind one button; the frequent deeds stand beside it in the row. Its `children` are drawn from the
 * first opening on: what the deeds need is nothing that a hundred rows pay for which nobody opens.
 */
export function RowMenu({ label, children }: { label: string; children: (menu: DrawMenu) => ReactNode }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [wasOpened, setWasOpened] = useState(false);
  const close = (): void => setAnchor(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          event.stopPropagation();
          setWasOpened(true);
          setAnchor(event.currentTarget);
        }}
      >
        {icons.more}
      </button>
      {wasOpened && children((actions) => anchor && <OpenMenu anchor={anchor} actions={actions} onClose={close} />)}
    </>
  );
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
