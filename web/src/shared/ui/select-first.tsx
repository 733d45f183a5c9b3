import Button from '@mui/material/Button';
import { toast } from './toasts.ts';

/** A deed for the rows that are selected, while none is: it tells that it wants some. With some the bulk bar has it. */
export function SelectFirst({ action, text }: { action: string; text: string }) {
  return (
    <Button
      color="inherit"
      onClick={() => toast('warning', text)}
      sx={{ display: { xs: 'none', sm: 'inline-flex' }, whiteSpace: 'nowrap' }}
    >
      {action}
    </Button>
  );
}
