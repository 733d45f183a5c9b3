import Box from '@mui/material/Box';

/** Words that say that there is nothing to say: "never", "unlimited", a dash. */
export function Faint({ children }: { children: string }) {
  return (
    <Box component="span" sx={{ color: 'text.secondary' }}>
      {children}
    </Box>
  );
}
