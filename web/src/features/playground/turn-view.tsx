import CallSplitRounded from '@mui/icons-material/CallSplitRounded';
import ChevronLeftRounded from '@mui/icons-material/ChevronLeftRounded';
import ChevronRightRounded from '@mui/icons-material/ChevronRightRounded';
import EditOutlined from '@mui/icons-material/EditOutlined';
import ReplayRounded from '@mui/icons-material/ReplayRounded';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { memo, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../shared/content/code-block.tsx';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { formatCount } from '../../shared/format.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import type { Turn } from './conversation.ts';

const AnswerText = lazyPart(async () => (await import('./answer-text.tsx')).AnswerText, { suspends: true });

interface TurnViewProps {
  turn: Turn;
  /** Where it stands among those that were said in its place, from 0, of how many; and those beside it. */
  place: number;
  count: number;
  older: Turn | undefined;
  newer: Turn | undefined;
  /** What the answer cost, in words; '' where nobody knows. */
  price: string;
  isBusy: boolean;
  canBranch: boolean;
  onRetry: (turn: Turn) => void;
  onEdit: (turn: Turn, text: string) => void;
  onShow: (turn: Turn) => void;
  onBranch: (turn: Turn) => void;
}

/** What one side said, and what can be done with it. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn } = props;
  const { t } = useTranslation('playground');
  const [isEditing, setEditing] = useState(false);
  const isMine = turn.role === 'user';
  return (
    <Box component="article" aria-label={t(isMine ? 'you' : 'model', { model: turn.model })} sx={{ minWidth: 0 }}>
      {isMine && isEditing && (
        <EditForm
          id={turn.id}
          text={turn.text}
          onCancel={() => setEditing(false)}
          onDone={(text) => {
            setEditing(false);
            props.onEdit(turn, text);
          }}
        />
      )}
      {isMine && !isEditing && <Question turn={turn} />}
      {!isMine && <Answer turn={turn} />}
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 0.25,
          mt: 0.5,
          flexWrap: 'wrap',
          justifyContent: isMine ? 'flex-end' : 'flex-start',
          fontSize: 12,
          color: 'text.secondary',
        }}
      >
        <Versions {...props} />
        {turn.text !== '' && <CopyButton text={turn.text} label={t('copy')} />}
        {isMine && (
          <Deed label={t('edit')} disabled={props.isBusy} run={() => setEditing(true)}>
            <EditOutlined fontSize="inherit" />
          </Deed>
        )}
        {!isMine && turn.status !== 'loading' && (
          <>
            <Deed label={t('retry')} disabled={props.isBusy} run={() => props.onRetry(turn)}>
              <ReplayRounded fontSize="inherit" />
            </Deed>
            {props.canBranch && (
              <Deed label={t('branch')} disabled={props.isBusy} run={() => props.onBranch(turn)}>
                <CallSplitRounded fontSize="inherit" />
              </Deed>
            )}
            <Box component="span" sx={{ ml: 0.5, fontVariantNumeric: 'tabular-nums' }}>
              {factsOf(
                turn,
                props.price,
                t('tokens', { input: formatCount(turn.used?.input ?? 0), output: formatCount(turn.used?.output ?? 0) }),
              )}
            </Box>
          </>
        )}
      </Box>
    </Box>
  );
});

/** `12 + 34 tokens · ≈ $0.0001 · 1.2 s`, of it what is known. */
function factsOf({ used, totalMs }: Turn, price: string, tokens: string): string {
  const seconds = totalMs === undefined ? '' : `${(totalMs / 1000).toFixed(1)} s`;
  return [used ? tokens : '', used ? price : '', seconds].filter((fact) => fact !== '').join(' · ');
}

function Question({ turn: { text, images = [] } }: { turn: Turn }) {
  const { t } = useTranslation('playground');
  return (
    <Box
      sx={{
        ml: 'auto',
        width: 'fit-content',
        maxWidth: '88%',
        bgcolor: 'action.selected',
        borderRadius: 2,
        px: 1.75,
        py: 1,
        fontSize: 14,
        lineHeight: 1.6,
      }}
    >
      {images.map((url) => (
        <Box
          key={url.slice(-60)}
          component="img"
          src={url}
          alt={t('picture')}
          sx={{ display: 'block', maxWidth: '100%', maxHeight: 240, borderRadius: 1, mb: 0.75 }}
        />
      ))}
      <Box
        tabIndex={text.length > 1500 ? 0 : -1}
        sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 360, overflow: 'auto' }}
      >
        {text}
      </Box>
    </Box>
  );
}

function Answer({ turn: { text, status, reasoning, tools = [], error } }: { turn: Turn }) {
  const { t } = useTranslation('playground');
  return (
    <Box aria-busy={status === 'loading'}>
      {reasoning && (
        <Box component="details" sx={{ mb: 1, fontSize: 13, color: 'text.secondary', '& summary': { cursor: 'pointer' } }}>
          <summary>{t('reasoning')}</summary>
          <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', borderLeft: 2, borderColor: 'divider', pl: 1.5, mt: 0.75 }}>
            {reasoning}
          </Box>
        </Box>
      )}
      {text !== '' && (
        <Suspense fallback={<Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text.slice(0, 2000)}</Box>}>
          <AnswerText text={text} />
        </Suspense>
      )}
      {tools.map((tool, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of tools are only added at the end
        <Box key={place} component="details" open sx={{ mt: 1, fontSize: 13, '& summary': { cursor: 'pointer' } }}>
          <summary>{t('toolCall', { name: tool.name })}</summary>
          <CodeBlock code={tool.arguments} language="json" />
        </Box>
      ))}
      {status === 'loading' && text === '' && (
        <Box component="span" role="status" sx={{ color: 'text.secondary', fontSize: 13 }}>
          {t('waiting')}
        </Box>
      )}
      {status === 'incomplete' && <Box sx={{ color: 'text.secondary', fontSize: 13, mt: 0.5 }}>{t('stopped')}</Box>}
      {status === 'error' && (
        <Alert severity="error" sx={{ mt: 1, overflowWrap: 'anywhere' }}>
          {error || t('failed')}
        </Alert>
      )}
    </Box>
  );
}

function Versions({ place, count, older, newer, isBusy, onShow }: TurnViewProps) {
  const { t } = useTranslation('playground');
  if (count < 2) return null;
  return (
    <>
      <Deed label={t('older')} disabled={isBusy || !older} run={() => older && onShow(older)}>
        <ChevronLeftRounded fontSize="inherit" />
      </Deed>
      <span>
        {place + 1} / {count}
      </span>
      <Deed label={t('newer')} disabled={isBusy || !newer} run={() => newer && onShow(newer)}>
        <ChevronRightRounded fontSize="inherit" />
      </Deed>
    </>
  );
}

function Deed({ label, disabled, run, children }: { label: string; disabled: boolean; run: () => void; children: ReactNode }) {
  return (
    <Tooltip title={label}>
      <span>
        <IconButton aria-label={label} disabled={disabled} onClick={run}>
          {children}
        </IconButton>
      </span>
    </Tooltip>
  );
}

interface EditFormProps {
  id: string;
  text: string;
  onDone: (text: string) => void;
  onCancel: () => void;
}

function EditForm({ id, text, onDone, onCancel }: EditFormProps) {
  const { t } = useTranslation(['playground', 'shared']);
  const [draft, setDraft] = usePersistedState(`question/${id}`, text);
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== '') onDone(draft);
      }}
      sx={{ display: 'grid', gap: 1 }}
    >
      <Box
        component="textarea"
        aria-label={t('edit')}
        autoFocus
        rows={4}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        sx={{
          font: 'inherit',
          fontSize: 14,
          color: 'text.primary',
          bgcolor: 'background.paper',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1.5,
          p: 1.25,
          width: '100%',
          resize: 'vertical',
        }}
      />
      <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
        <Button color="inherit" onClick={onCancel}>
          {t('shared:cancel')}
        </Button>
        <Button type="submit" variant="contained" disabled={draft.trim() === ''}>
          {t('askAgain')}
        </Button>
      </Box>
    </Box>
  );
}
