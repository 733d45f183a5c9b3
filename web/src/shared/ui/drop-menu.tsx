import Menu, { type MenuProps } from '@mui/material/Menu';

interface DropMenuProps extends Pick<MenuProps, 'children' | 'onClick'> {
  /** The button that opened it, after which it is called. */
  anchor: HTMLElement;
  onClose: () => void;
  dense?: boolean;
  minWidth?: number;
}

/** The open menu of a button. It lies outside of the page's regions, so it is one of its own for who goes by them. */
export function DropMenu({ anchor, dense = false, minWidth = 0, ...rest }: DropMenuProps) {
  const name = anchor.getAttribute('aria-label') ?? anchor.textContent;
  return (
    <Menu
      {...rest}
      anchorEl={anchor}
      open
      slotProps={{
        root: { role: 'region', 'aria-label': name },
        paper: { sx: { minWidth } },
        list: { dense, 'aria-label': name },
      }}
    />
  );
}
