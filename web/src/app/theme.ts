import { createTheme } from '@mui/material/styles';

/** Where the choice of light, dark or system is remembered; `public/first-paint.js` reads it before React runs. */
export const modeStorageKey = 'theme-mode';

const fontFamily = "'Inter Variable', system-ui, -apple-system, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans SC', sans-serif";

/** Ink on paper with one accent, the green of a patinated gate. Colour is kept for what can be acted on and for states. */
export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-theme', cssVarPrefix: 'tg' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#0f6e66', dark: '#0b544e', light: '#3b8c85', contrastText: '#ffffff' },
        success: { main: '#1f7a45', contrastText: '#ffffff' },
        warning: { main: '#96590a', contrastText: '#ffffff' },
        error: { main: '#b3362b', contrastText: '#ffffff' },
        info: { main: '#2b63a8', contrastText: '#ffffff' },
        background: { default: '#f5f6f5', paper: '#ffffff' },
        text: { primary: '#17211f', secondary: '#566361', disabled: '#8b9694' },
        divider: '#e1e5e3',
        action: { hover: 'rgba(19, 45, 42, 0.045)', selected: 'rgba(15, 110, 102, 0.10)', focus: 'rgba(15, 110, 102, 0.14)' },
      },
    },
    dark: {
      palette: {
        primary: { main: '#5cc2b5', dark: '#3da598', light: '#86d6cb', contrastText: '#05201d' },
        success: { main: '#6cc98d', contrastText: '#06210f' },
        warning: { main: '#e0ad5c', contrastText: '#251703' },
        error: { main: '#f08a7e', contrastText: '#2b0906' },
        info: { main: '#83b4ee', contrastText: '#07192e' },
        background: { default: '#101514', paper: '#161d1b' },
        text: { primary: '#e4eae8', secondary: '#9fadaa', disabled: '#66736f' },
        divider: '#28312f',
        action: { hover: 'rgba(214, 240, 236, 0.05)', selected: 'rgba(92, 194, 181, 0.14)', focus: 'rgba(92, 194, 181, 0.18)' },
      },
    },
  },
  // From md on the navigation stands beside the page, which then has room enough.
  breakpoints: { values: { xs: 0, sm: 600, md: 1024, lg: 1200, xl: 1536 } },
  motion: { reducedMotion: 'system' },
  shape: { borderRadius: 6 },
  typography: {
    fontFamily,
    fontSize: 13,
    h1: { fontSize: 18, fontWeight: 600, lineHeight: 1.3, letterSpacing: '-0.01em' },
    h2: { fontSize: 15, fontWeight: 600, lineHeight: 1.4 },
    h3: { fontSize: 13, fontWeight: 600, lineHeight: 1.4 },
    body1: { fontSize: 14, lineHeight: 1.5 },
    body2: { fontSize: 13, lineHeight: 1.5 },
    caption: { fontSize: 12, lineHeight: 1.4 },
    button: { textTransform: 'none', fontWeight: 550, fontSize: 13, letterSpacing: 0 },
  },
  components: {
    MuiCssBaseline: {
      styleOverrides: {
        html: { accentColor: 'var(--tg-palette-primary-main)' },
        ':focus-visible': { outline: '2px solid var(--tg-palette-primary-main)', outlineOffset: 1 },
        '@media (prefers-reduced-motion: reduce)': {
          // Once: what turns for ever would flicker instead.
          '*': {
            animationDuration: '0.01ms !important',
            animationIterationCount: '1 !important',
            transitionDuration: '0.01ms !important',
          },
        },
      },
    },
    MuiButtonBase: {
      defaultProps: { disableRipple: true },
      styleOverrides: { root: { '&.Mui-focusVisible': { outline: '2px solid var(--tg-palette-primary-main)', outlineOffset: 1 } } },
    },
    MuiButton: {
      defaultProps: { disableElevation: true, size: 'small' },
      styleOverrides: {
        root: { minHeight: 32, paddingInline: 12, borderRadius: 6 },
        outlined: { borderColor: 'var(--tg-palette-divider)' },
      },
    },
    MuiIconButton: {
      defaultProps: { size: 'small' },
      styleOverrides: {
        root: { borderRadius: 6, color: 'var(--tg-palette-text-secondary)', '&:hover': { color: 'var(--tg-palette-text-primary)' } },
      },
    },
    MuiTextField: { defaultProps: { size: 'small', fullWidth: true } },
    MuiFormControl: { defaultProps: { size: 'small' } },
    MuiOutlinedInput: { styleOverrides: { root: { fontSize: 13.5, backgroundColor: 'var(--tg-palette-background-paper)' } } },
    MuiInputLabel: { styleOverrides: { root: { fontSize: 13.5 } } },
    MuiFormHelperText: { styleOverrides: { root: { marginInline: 2, lineHeight: 1.4 } } },
    MuiSwitch: { defaultProps: { size: 'small' } },
    MuiCheckbox: { defaultProps: { size: 'small' } },
    MuiMenuItem: { styleOverrides: { root: { fontSize: 13, minHeight: 34 } } },
    MuiListItemIcon: { styleOverrides: { root: { minWidth: 30, color: 'inherit' } } },
    MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiMenu: { defaultProps: { transitionDuration: 80 }, styleOverrides: { paper: { border: '1px solid var(--tg-palette-divider)' } } },
    MuiPopover: { defaultProps: { transitionDuration: 80 }, styleOverrides: { paper: { border: '1px solid var(--tg-palette-divider)' } } },
    MuiTooltip: {
      defaultProps: { enterDelay: 400, describeChild: true },
      styleOverrides: {
        tooltip: { fontSize: 12, fontWeight: 450, backgroundColor: '#26312f', color: '#f2f6f5', border: '1px solid #3a4845' },
      },
    },
    MuiAlert: { defaultProps: { variant: 'outlined' }, styleOverrides: { root: { fontSize: 13, alignItems: 'center', paddingBlock: 2 } } },
    MuiChip: { defaultProps: { size: 'small' } },
    MuiDialog: { styleOverrides: { paper: { border: '1px solid var(--tg-palette-divider)' } } },
    MuiDialogTitle: { styleOverrides: { root: { fontSize: 16, fontWeight: 600, paddingBottom: 8 } } },
    MuiLink: { defaultProps: { underline: 'hover' } },
  },
});
