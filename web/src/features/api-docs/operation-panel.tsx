import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../../shared/language.ts';
import { headersOf } from '../../shared/own-headers.ts';
import { useSessionUser } from '../../shared/session.ts';
import type { Operation } from './api.ts';

interface Outcome {
  /** 0: nobody answered. */
  status: number;
  ms: number;
  text: string;
}

/** More is not shown: an export may have a million rows. */
const mostShown = 200_000;
const waitMs = 60_000;

/** Where a call goes with these parameters; what is empty is left out of the query. */
function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) if (place === 'query' && values[name]) query.set(name, values[name]);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Makes a call for real, as the one who is signed in. */
async function tryCall(
  operation: Operation,
  { address, body, userId }: { address: string; body: string; userId: number | undefined },
): Promise<Outcome> {
  const begin = performance.now();
  const since = () => Math.round(performance.now() - begin);
  try {
    const answer = await fetch(address, {
      method: operation.method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(waitMs),
      headers: {
        ...headersOf(userId),
        ...(operation.body && { 'Content-Type': 'application/json' }),
      },
      ...(operation.body && { body }),
    });
    const type = answer.headers.get('content-type') ?? '';
    const text = await answer.text();
    return { status: answer.status, ms: since(), text: readable(type, text) };
  } catch (error) {
    return { status: 0, ms: since(), text: error instanceof Error ? error.message : '' };
  }
}

function readable(type: string, text: string): string {
  if (text.length > mostShown) return `${text.slice(0, mostShown)}…`;
  return type.includes('json') && text !== '' ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

const mono = { fontFamily: 'monospace', fontSize: 13 } as const;

/** What a call takes and answers, and a form that makes it. */
export function OperationPanel({ operation }: { operation: Operation }) {
  const { t, i18n } = useTranslation('api-docs');
  const user = useSessionUser();
  const { method, path, parameters, body: taken, answer } = operation;
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(parameters.filter((each) => each.in === 'path').map((each) => [each.name, textOf(each.example)])),
  );
  const [body, setBody] = useState(() => (taken ? JSON.stringify(taken.example ?? {}, null, 2) : ''));
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const isWrong = taken !== undefined && !isJson(body);
  const address = addressOf(operation, values);
  const description = operation.description[languageOf(i18n.language)];

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isWrong || isBusy) return;
    setBusy(true);
    setOutcome(await tryCall(operation, { address, body, userId: user?.id }));
    setBusy(false);
  }

  return (
    <Box sx={{ p: 1.5, display: 'flex', flexDirection: 'column', gap: 1.5, minWidth: 0 }}>
      {description && <Typography variant="body2">{description}</Typography>}
      <Box component="form" onSubmit={send} aria-label={`${method} ${path}`} sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
        {parameters.length > 0 && (
          <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(3, minmax(0, 1fr))' } }}>
            {parameters.map(({ name, in: place, schema }) => (
              <TextField
                key={name}
                size="small"
                label={name}
                required={place === 'path'}
                value={values[name] ?? ''}
                onChange={({ target }) => setValues((now) => ({ ...now, [name]: target.value }))}
                helperText={kindOf(schema)}
              />
            ))}
          </Box>
        )}
        {taken && (
          <TextField
            multiline
            minRows={3}
            maxRows={16}
            label={t('body')}
            value={body}
            error={isWrong}
            helperText={isWrong ? t('noJson') : undefined}
            onChange={({ target }) => setBody(target.value)}
            slotProps={{ htmlInput: { sx: mono, spellCheck: false } }}
          />
        )}
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: 'wrap' }}>
          <Button type="submit" variant="contained" loading={isBusy} disabled={isWrong}>
            {t('send')}
          </Button>
          <Box component="code" sx={{ ...mono, overflowWrap: 'anywhere' }}>
            {method} {address}
          </Box>
        </Box>
      </Box>
      <Box aria-live="polite">
        {outcome && (
          <Text title={outcome.status === 0 ? t('noAnswer') : t('answered', { status: outcome.status, ms: outcome.ms })}>
            {outcome.text}
          </Text>
        )}
      </Box>
      {taken && <Text title={t('takes')}>{JSON.stringify(taken.schema, null, 2)}</Text>}
      {answer !== undefined && <Text title={t('answers')}>{JSON.stringify(answer, null, 2)}</Text>}
    </Box>
  );
}

/** A long text that scrolls by itself, by the keyboard too. */
function Text({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <Box>
      <Typography id={id} component="h3" variant="body2" color="textSecondary">
        {title}
      </Typography>
      <Box
        component="pre"
        tabIndex={0}
        aria-labelledby={id}
        role="region"
        sx={{ ...mono, m: 0, mt: 0.5, p: 1, maxHeight: 320, overflow: 'auto', border: 1, borderColor: 'divider', borderRadius: 1 }}
      >
        {children}
      </Box>
    </Box>
  );
}

function kindOf(schema: Record<string, unknown>): string {
  if (Array.isArray(schema.enum)) return schema.enum.filter((each) => each !== '').join(' | ');
  return typeof schema.type === 'string' ? schema.type : '';
}

function textOf(example: unknown): string {
  return example === undefined ? '' : String(example);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
