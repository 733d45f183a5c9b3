import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface Question {
  title: string;
  text?: string;
  /** What the confirming button says: the deed, not "OK". */
  action: string;
  dangerous?: boolean;
  /** What must be typed before the button works, for deeds that cannot be taken back and reach far. */
  typed?: string;
}

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(() => Promise.resolve(false));

/** Asks before something is done: `if (await confirm({ ... }))`. */
export function useConfirm(): Ask {
  return useContext(Context);
}

/** Holds the one confirmation dialog of the page. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const answer = useRef<(yes: boolean) => void>(undefined);
  const { t } = useTranslation('shared');

  const ask = useCallback<Ask>((next) => {
    setQuestion(next);
    setTyped('');
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (yes: boolean): void => {
    setOpen(false);
    answer.current?.(yes);
  };

  return (
    <Context value={ask}>
      {children}
      <Dialog open={open} onClose={() => close(false)} maxWidth="xs" fullWidth aria-labelledby="confirm-title" transitionDuration={80}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            close(true);
          }}
        >
          <DialogTitle id="confirm-title">{question?.title}</DialogTitle>
          <DialogContent>
            {question?.text && <DialogContentText variant="body2">{question.text}</DialogContentText>}
            {question?.typed && (
              <TextField
                autoFocus
                margin="dense"
                label={t('confirm.type', { text: question.typed })}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button onClick={() => close(false)} color="inherit">
              {t('cancel')}
            </Button>
            <Button
              type="submit"
              variant="contained"
              color={question?.dangerous ? 'error' : 'primary'}
              autoFocus={!question?.typed}
              disabled={question?.typed !== undefined && typed !== question.typed}
            >
              {question?.action}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </Context>
  );
}
