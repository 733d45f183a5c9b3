import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { ProofBody } from '@tollgate/contracts/api/own-account';
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isApiError, messageOf } from '../../shared/ui/error-notice.tsx';

interface Outcome<Answer> {
  data?: Answer;
  error?: unknown;
}
type Deed<Answer> = (proof: ProofBody) => Promise<Outcome<Answer>>;
type Prove = <Answer>(deed: Deed<Answer>) => Promise<Outcome<Answer>>;

const Context = createContext<Prove>((deed) => deed({}));

/** Does what only the owner may: asks for the password or a code where the server wants one. No `data` and no `error`: given up. */
export function useProof(): Prove {
  return useContext(Context);
}

/** What the server says when it wants a proof, or another one. */
const wanting = new Set(['wrong_original_password', 'wrong_second_factor']);

interface Asked {
  error: unknown;
  answer: (proof: ProofBody | undefined) => void;
}

/** Holds the one dialog that asks for it. */
export function ProofProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>();
  const prove = useCallback(async <Answer,>(deed: Deed<Answer>): Promise<Outcome<Answer>> => {
    let proof: ProofBody | undefined = {};
    let isFirst = true;
    for (;;) {
      const outcome = await deed(proof);
      const code = isApiError(outcome.error) ? (outcome.error.code ?? '') : '';
      if (!wanting.has(code)) {
        setAsked(undefined);
        return outcome;
      }
      const error = isFirst ? undefined : outcome.error;
      isFirst = false;
      proof = await new Promise<ProofBody | undefined>((answer) => setAsked({ error, answer }));
      if (proof === undefined) {
        setAsked(undefined);
        return {};
      }
    }
  }, []);
  return (
    <Context value={prove as Prove}>
      {children}
      {asked && <ProofDialog asked={asked} />}
    </Context>
  );
}

function ProofDialog({ asked: { error, answer } }: { asked: Asked }) {
  const { t } = useTranslation(['account', 'shared']);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Portals: without this the form of the page would be sent as well.
    event.stopPropagation();
    if (password !== '' || code.trim() !== '') answer(code.trim() === '' ? { password } : { code: code.trim() });
  };
  return (
    <Dialog open onClose={() => answer(undefined)} maxWidth="xs" fullWidth aria-labelledby="proof-title" transitionDuration={80}>
      <form noValidate onSubmit={submit}>
        <DialogTitle id="proof-title">{t('proof.title')}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error !== undefined && <Alert severity="error">{messageOf(error)}</Alert>}
          <TextField
            autoFocus
            type="password"
            autoComplete="current-password"
            label={t('proof.password')}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          <TextField
            autoComplete="one-time-code"
            label={t('proof.code')}
            helperText={t('proof.hint')}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={() => answer(undefined)}>
            {t('shared:cancel')}
          </Button>
          <Button type="submit" variant="contained">
            {t('proof.confirm')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
