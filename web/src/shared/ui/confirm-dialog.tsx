import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
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

export interface ConfirmDialogProps {
  question: Question;
  onAnswer: (yes: boolean) => void;
}

export function ConfirmDialog({ question, onAnswer }: ConfirmDialogProps) {
  const { t } = useTranslation('shared');
  const [typed, setTyped] = useState('');
  return (
    <Dialog open onClose={() => onAnswer(false)} maxWidth="xs" fullWidth aria-labelledby="confirm-title" transitionDuration={80}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer(true);
        }}
      >
        <DialogTitle id="confirm-title">{question.title}</DialogTitle>
        <DialogContent>
          {question.text && (
            <DialogContentText variant="body2" sx={{ whiteSpace: 'pre-line' }}>
              {question.text}
            </DialogContentText>
          )}
          {question.typed && (
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
          {/* Enter must not do what cannot be taken back. */}
          <Button onClick={() => onAnswer(false)} color="inherit" autoFocus={question.dangerous && !question.typed}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            variant="contained"
            color={question.dangerous ? 'error' : 'primary'}
            autoFocus={!question.dangerous && !question.typed}
            disabled={question.typed !== undefined && typed !== question.typed}
          >
            {question.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
