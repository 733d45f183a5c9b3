import MoreHorizRounded from '@mui/icons-material/MoreHorizRounded';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { type ReactNode, useState } from 'react';

export interface RowAction {
  key: string;
  label: string;
  icon?: ReactNode;
  run: () => void;
  dangerous?: boolean;
  disabled?: boolean;
  divided?: boolean;
}

/** What can be done with a row, behind one button; the frequent deeds stand beside it in the row. */
export function RowMenu({ label, actions }: { label: string; actions: RowAction[] }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          event.stopPropagation();
          setAnchor(event.currentTarget);
        }}
      >
        <MoreHorizRounded fontSize="inherit" />
      </IconButton>
      {anchor && (
        <Menu anchorEl={anchor} open onClose={() => setAnchor(null)} onClick={(event) => event.stopPropagation()}>
          {actions.flatMap(({ key, label: text, icon, run, dangerous, disabled, divided }) => [
            divided && <Divider key={`${key}-divider`} />,
            <MenuItem
              key={key}
              disabled={disabled ?? false}
              onClick={() => {
                setAnchor(null);
                run();
              }}
              sx={dangerous ? { color: 'error.main' } : {}}
            >
              {icon && <ListItemIcon>{icon}</ListItemIcon>}
              {text}
            </MenuItem>,
          ])}
        </Menu>
      )}
    </>
  );
}
