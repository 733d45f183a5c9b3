import TextField from '@mui/material/TextField';
import type { ProofBody } from '@tollgate/contracts/api/own-account';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { isApiError } from '../../shared/ui/error-notice.tsx';
import { useConfirmOwnerMutation } from './api.ts';

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

/** The same for a deed that takes no proof itself: what is given is told before it, and counts for some minutes. */
export function useConfirmed(): <Answer>(deed: () => Promise<Outcome<Answer>>) => Promise<Outcome<Answer>> {
  const prove = useProof();
  const [confirmOwner] = useConfirmOwnerMutation();
  return (deed) =>
    prove(async (proof) => {
      const { error } = proof.password || proof.code ? await confirmOwner(proof) : {};
      return error ? { error } : deed();
    });
}

/** What the server says when it wants a proof, or another one. */
const wanting = new Set(['original_password_needed', 'wrong_original_password', 'wrong_second_factor', 'owner_unconfirmed']);

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
  const { t } = useTranslation('account');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = (): void => {
    if (password !== '' || code.trim() !== '') answer(code.trim() === '' ? { password } : { code: code.trim() });
  };
  return (
    <FormDialog
      title={t('proof.title')}
      submit={t('proof.confirm')}
      onSubmit={submit}
      onClose={() => answer(undefined)}
      dirty={password !== '' || code !== ''}
      error={error}
    >
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
    </FormDialog>
  );
}
