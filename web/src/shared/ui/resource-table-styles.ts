import { styled } from '@mui/material/styles';

/** Height of a row, in px. */
export const rowHeights = { comfortable: 40, compact: 30 } as const;

const cards = '@media (max-width: 767.95px)';

/** The frame of a table: on a wide screen it takes the height that is left and scrolls inside, its head staying in sight. */
export const TableFrame = styled('div')(({ theme }) => ({
  display: 'flex',
  flexDirection: 'column',
  flex: 1,
  minHeight: 240,
  position: 'relative',
  border: `1px solid ${theme.vars?.palette.divider}`,
  borderRadius: 8,
  background: theme.vars?.palette.background.paper,
  overflow: 'hidden',
  [cards]: { flex: 'none', minHeight: 0, border: 0, background: 'transparent', overflow: 'visible', borderRadius: 0 },
}));

export const Scroller = styled('div')(({ theme }) => ({
  flex: 1,
  minHeight: 0,
  overflow: 'auto',
  '&:focus-visible': { outline: `2px solid ${theme.vars?.palette.primary.main}`, outlineOffset: -2 },
  [cards]: { overflow: 'visible' },
}));

export const DataTable = styled('table')<{ 'data-density': keyof typeof rowHeights }>(({ theme, 'data-density': density }) => ({
  width: '100%',
  borderCollapse: 'separate',
  borderSpacing: 0,
  fontSize: 13,
  '& th:first-of-type, & td:first-of-type': { paddingLeft: 14 },
  '& th, & td': { textAlign: 'left', padding: '0 8px', whiteSpace: 'nowrap', borderBottom: `1px solid ${theme.vars?.palette.divider}` },
  '& th[data-align="right"], & td[data-align="right"]': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& th': {
    position: 'sticky',
    top: 0,
    zIndex: 2,
    height: 34,
    fontSize: 12,
    fontWeight: 550,
    color: theme.vars?.palette.text.secondary,
    background: theme.vars?.palette.background.paper,
  },
  '& td': { height: rowHeights[density], background: theme.vars?.palette.background.paper },
  '& tbody tr[data-row]:hover > td': {
    backgroundImage: `linear-gradient(${theme.vars?.palette.action.hover}, ${theme.vars?.palette.action.hover})`,
  },
  '& tbody tr[aria-selected="true"] > td': {
    backgroundImage: `linear-gradient(${theme.vars?.palette.action.selected}, ${theme.vars?.palette.action.selected})`,
  },
  '& tbody tr[data-muted] > td:not([data-actions])': { color: theme.vars?.palette.text.secondary },
  '& tbody tr[data-expandable]': { cursor: 'pointer' },
  '& [data-sticky]': { position: 'sticky', left: 0, zIndex: 1 },
  '& th[data-sticky]': { zIndex: 3 },
  '& td[data-primary]': { fontWeight: 550 },
  '& td[data-clip]': { maxWidth: 190, overflow: 'hidden', textOverflow: 'ellipsis' },
  '& [data-actions]': { width: 1, textAlign: 'right', position: 'sticky', right: 0, zIndex: 1, paddingInline: 8 },
  '& th[data-actions]': { zIndex: 3 },
  '& td[data-check], & th[data-check]': { width: 1, paddingRight: 0 },
  '& td[data-detail]': { whiteSpace: 'normal', height: 'auto', padding: 0, background: theme.vars?.palette.background.default },
  '& input[type="checkbox"]': { width: 16, height: 16, margin: 0, verticalAlign: 'middle', accentColor: theme.vars?.palette.primary.main },
  [cards]: {
    display: 'block',
    '& thead': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
    '& tbody': { display: 'flex', flexDirection: 'column', gap: 8 },
    '& tr': {
      display: 'grid',
      gridTemplateColumns: '1fr 1fr',
      gap: '8px 16px',
      padding: '8px 12px 12px',
      position: 'relative',
      border: `1px solid ${theme.vars?.palette.divider}`,
      borderRadius: 8,
      background: theme.vars?.palette.background.paper,
    },
    '& td, & td:first-of-type': {
      display: 'block',
      height: 'auto',
      minWidth: 0,
      padding: 0,
      border: 0,
      whiteSpace: 'normal',
      overflowWrap: 'anywhere',
      background: 'none',
    },
    '& td[data-align="right"]': { textAlign: 'left' },
    '& td[data-label]::before': {
      content: 'attr(data-label)',
      display: 'block',
      color: theme.vars?.palette.text.secondary,
      fontSize: 11.5,
      fontWeight: 400,
    },
    '& td:empty': { display: 'none' },
    '& td[data-primary]': { gridColumn: '1 / -1', order: -1, fontSize: 15, lineHeight: 1.4, paddingBlock: 7.5, paddingRight: 88 },
    '& td[data-primary]::before': { content: 'none' },
    '& td[data-clip]': { maxWidth: 'none' },
    '& [data-actions]': { position: 'absolute', top: 6, right: 4, width: 'auto' },
    // Above the name, whose cell is as wide as the card and would take the clicks.
    '& td[data-check], & td[data-check]:first-of-type': {
      position: 'absolute',
      zIndex: 1,
      left: 12,
      top: 10,
      width: 'auto',
      lineHeight: '32px',
    },
    '& td[data-check] ~ td[data-primary]': { paddingLeft: 32 },
    '& tr[data-detail-row]': { display: 'block', marginTop: -15, borderTopLeftRadius: 0, borderTopRightRadius: 0, padding: 0 },
    '& [data-sticky]': { position: 'static' },
    '& td[data-actions] button': { minWidth: 40, minHeight: 40 },
  },
}));

/** Heard, not seen. */
export const Hidden = styled('span')({
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
});
