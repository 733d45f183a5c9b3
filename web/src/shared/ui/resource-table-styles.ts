import { styled } from '@mui/material/styles';

/** Height of a row, in px. */
export const rowHeights = { comfortable: 40, compact: 30 } as const;

const cards = '@media (max-width: 767.95px)';
/** A table, whatever its room; cards have their own rules. */
const table = '@media (min-width: 768px)';

const shade = (colour: string | undefined): string => `linear-gradient(${colour}, ${colour})`;

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
  // What gets the focus is scrolled to beside the columns that stay, not below them.
  scrollPaddingInline: '250px 180px',
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
  '& td': { height: rowHeights[density] },
  // Under what is scrolled behind them; the others need no ground of their own, which a hundred rows would have to paint.
  '& td[data-sticky], & td[data-actions]': { background: theme.vars?.palette.background.paper },
  '& tbody tr[data-row]:hover > td': { backgroundImage: shade(theme.vars?.palette.action.hover) },
  '& tbody tr[aria-selected="true"] > td': { backgroundImage: shade(theme.vars?.palette.action.selected) },
  '& tbody tr[data-muted] > td:not([data-actions])': { color: theme.vars?.palette.text.secondary },
  '& tbody tr[data-expandable]': { cursor: 'pointer' },
  '& [data-sticky]': { position: 'sticky', left: 0, zIndex: 1 },
  '& th[data-sticky]': { zIndex: 3 },
  '& td[data-primary]': { fontWeight: 550 },
  // The digits of a number that is edited in its row stand in line with those of plain cells, its frame outside of them.
  '& .number-cell': { margin: '-2px -7px 0 0' },
  '& td[data-clip]': { maxWidth: 190, overflow: 'hidden', textOverflow: 'ellipsis' },
  '& td[data-clip="short"]': { maxWidth: 'min(190px, 8vw)' },
  '& [data-actions]': { width: 1, textAlign: 'right', position: 'sticky', right: 0, zIndex: 1, paddingInline: 8 },
  '& th[data-actions]': { zIndex: 3 },
  // What goes on below the buttons of a row fades before them.
  '& td[data-actions]::before': {
    content: '""',
    position: 'absolute',
    inset: '1px 100% 1px auto',
    width: 8,
    background: `linear-gradient(to left, ${theme.vars?.palette.background.paper}, transparent)`,
    pointerEvents: 'none',
  },
  '& td[data-check], & th[data-check]': { width: 1, paddingRight: 0 },
  '& td[data-detail]': { whiteSpace: 'normal', height: 'auto', padding: 0, background: theme.vars?.palette.background.default },
  [table]: {
    '&:where([data-room="narrow"])': {
      '& th, & td': { paddingInline: 5 },
      '& [data-actions]': { paddingInline: 2 },
      '& td[data-clip]': { maxWidth: 108 },
      '& td[data-actions]::before': { width: 5 },
    },
    '&:where([data-room="middle"])': {
      '& th, & td': { paddingInline: 6 },
      '& th[data-check], & td[data-check]': { paddingRight: 4 },
      '& td[data-clip]': { maxWidth: 150 },
    },
    // Shown in a column of its own where there is room for that.
    '&:not([data-room="narrow"]) [data-narrow]': { display: 'none' },
    // What room is left goes to the name first, which would be cut beside it.
    '& td[data-primary][data-clip]': { width: '22%' },
    '&[data-room="narrow"] :is([data-needs], [data-quick]), &[data-room="middle"] :is([data-needs="wide"], [data-quick="wide"])': {
      display: 'none',
    },
  },
  '& input[type="checkbox"]': { width: 16, height: 16, margin: 0, verticalAlign: 'middle' },
  [cards]: {
    display: 'block',
    '& thead': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
    // Its own rows: a table in what opens stays one.
    '& > tbody': { display: 'flex', flexDirection: 'column', gap: 8 },
    // Two or three lines: the name between what selects, opens and changes the row; below it what its columns call worth a line.
    '& > :where(tbody) > tr': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      columnGap: 12,
      padding: '2px 4px 8px 12px',
      border: `1px solid ${theme.vars?.palette.divider}`,
      borderRadius: 8,
      background: theme.vars?.palette.background.paper,
    },
    // A card is shaded as one, also between its cells.
    '& tbody tr[data-row]:hover > td, & tbody tr[aria-selected="true"] > td': { backgroundImage: 'none' },
    '& tbody tr[data-row]:hover': { backgroundImage: shade(theme.vars?.palette.action.hover) },
    '& tbody tr[aria-selected="true"]': { backgroundImage: shade(theme.vars?.palette.action.selected) },
    '& > :where(tbody) > tr::after, & tr[data-open]::before': { content: '""', order: 1, flexBasis: '100%' },
    '& tr[data-open]::before': { order: 3 },
    '& > :where(tbody) > :where(tr) > td, & > :where(tbody) > :where(tr) > td:first-of-type': {
      display: 'none',
      height: 'auto',
      minWidth: 0,
      padding: 0,
      border: 0,
      whiteSpace: 'normal',
      overflowWrap: 'anywhere',
      background: 'none',
    },
    '& tr[data-open] > td, & > :where(tbody) > tr:not([data-row]) > td': {
      display: 'block',
      order: 4,
      flexBasis: 'calc(50% - 12px)',
      maxWidth: '100%',
      paddingTop: 6,
    },
    // As high as the cards that will come.
    '& tr[data-waiting] > td:nth-of-type(n + 4)': { display: 'none' },
    '& tr > td[data-phone], & tr[data-open] > td[data-phone]': {
      display: 'block',
      order: 2,
      flexBasis: 'auto',
      maxWidth: 'calc(50% - 12px)',
      paddingTop: 0,
      // Room for the ring of what has the focus.
      overflow: 'clip',
      overflowClipMargin: 3,
      textOverflow: 'ellipsis',
      whiteSpace: 'nowrap',
      lineHeight: '20px',
    },
    // Large enough for a finger (WCAG 2.5.8).
    '& input[type="checkbox"]': { width: 24, height: 24 },
    '& .link-button': { display: 'inline-block', minHeight: 24, minWidth: 24 },
    '& td[data-align="right"]': { textAlign: 'left' },
    '& td[data-label]::before': {
      content: 'attr(data-label)',
      display: 'block',
      color: theme.vars?.palette.text.secondary,
      fontSize: 11.5,
      fontWeight: 400,
    },
    '& td[data-phone] .icon-button': { marginBlock: -3 },
    '& td[data-phone] .remaining': { verticalAlign: 'top', lineHeight: 'inherit' },
    '& td[data-phone]::before': { display: 'inline', marginRight: 4 },
    '& td[data-phone="bare"]::before, & td[data-primary]::before': { content: 'none' },
    '& tr > td:empty': { display: 'none' },
    '& tr > td[data-primary], & tr[data-open] > td[data-primary]': {
      display: '-webkit-box',
      order: 0,
      flex: '1 1 0',
      WebkitBoxOrient: 'vertical',
      WebkitLineClamp: 2,
      overflow: 'hidden',
      paddingTop: 0,
      fontSize: 15,
      lineHeight: 1.3,
    },
    '& tr[data-open] > td[data-primary]': { display: 'block' },
    '& td[data-clip], & td[data-clip="short"]': { maxWidth: 'none' },
    '& tr > td[data-actions]': {
      display: 'block',
      order: 0,
      flex: 'none',
      position: 'static',
      width: 'auto',
      paddingTop: 0,
      background: 'none',
    },
    '& tr > td[data-check], & tr[data-open] > td[data-check]': {
      display: 'flex',
      order: 0,
      flex: 'none',
      alignItems: 'center',
      width: 'auto',
      minHeight: 40,
      paddingTop: 0,
    },
    '& td[data-opener]': { marginInline: -10 },
    '& td[data-opener] button:focus-visible': { outlineOffset: -6 },
    '& tr[data-detail-row]': { display: 'block', marginTop: -15, borderTopLeftRadius: 0, borderTopRightRadius: 0, padding: 0 },
    '& tr[data-detail-row]::after': { content: 'none' },
    '& tr > td[data-detail]': { display: 'block', paddingTop: 0 },
    '& .number-cell': { margin: 0 },
    '& td[data-actions]::before': { content: 'none' },
    '& td[data-sticky]': { position: 'static', background: 'none' },
    '& td[data-actions] button, & td[data-opener] button': { minWidth: 40, minHeight: 40 },
    '& td[data-actions] button[data-quick]': { display: 'none' },
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
