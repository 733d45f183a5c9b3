import { styled } from '@mui/material/styles';

/** The first thing that Tab comes to: past the navigation, to what the page is for. */
export const SkipLink = styled('a')(({ theme }) => ({
  position: 'absolute',
  left: 8,
  top: -60,
  zIndex: 2000,
  padding: '8px 12px',
  borderRadius: 6,
  background: theme.vars?.palette.background.paper,
  color: theme.vars?.palette.text.primary,
  '&:focus': { top: 8 },
}));
