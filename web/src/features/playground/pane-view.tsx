import CloseRounded from '@mui/icons-material/CloseRounded';
import CodeRounded from '@mui/icons-material/CodeRounded';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import type { PricingRow } from '@tollgate/contracts/api/pricing';
import { memo, useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { formatDollars } from '../../shared/format.ts';
import { costOf, priceIn } from '../../shared/prices.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { pathOf, type Turn, versionsOf } from './conversation.ts';
import { mostPanes, type Pane } from './settings.ts';
import type { Playground } from './use-playground.ts';

const TurnView = lazyPart(async () => (await import('./turn-view.tsx')).TurnView);

interface PaneViewProps {
  pane: Pane;
  playground: Playground;
  models: string[];
  priceRows: PricingRow[];
  ratios: Record<string, number>;
  onCode: (pane: Pane) => void;
}

/** How near to its end a list must be, in px, to follow what is added. */
const nearEnd = 80;

/** One model: which it is, and what was said with it. */
export function PaneView({ pane, playground, models, priceRows, ratios, onCode }: PaneViewProps) {
  const { t } = useTranslation('playground');
  const path = pathOf(pane.conversation);
  const list = useFollowedEnd(path.at(-1));
  const actions = useLatest({ pane, playground, onCode });
  const setModel = useCallback((model: string) => actions.current.playground.setModel(actions.current.pane.id, model), [actions]);
  const remove = useCallback(() => actions.current.playground.removePane(actions.current.pane.id), [actions]);
  const showCode = useCallback(() => actions.current.onCode(actions.current.pane), [actions]);
  const retry = useCallback((turn: Turn) => actions.current.playground.retry(actions.current.pane, turn), [actions]);
  const edit = useCallback((turn: Turn, text: string) => actions.current.playground.edit(actions.current.pane, turn, text), [actions]);
  const show = useCallback((turn: Turn) => actions.current.playground.show(actions.current.pane, turn), [actions]);
  const branch = useCallback((turn: Turn) => actions.current.playground.branch(actions.current.pane, turn), [actions]);
  const priceOf = ({ used, model, group }: Turn): string => {
    const row = priceRows.find(({ model_name }) => model_name === model);
    if (!used || !row) return '';
    const load = { inputTokens: used.input, outputTokens: used.output, callsPerDay: 1 };
    return `≈ ${formatDollars(costOf(priceIn(row, ratios[group ?? ''] ?? 1), load).call)}`;
  };
  const isAlone = playground.panes.length === 1;

  return (
    <Box
      component="section"
      aria-label={pane.model || t('noModel')}
      sx={{
        display: 'flex',
        flexDirection: 'column',
        flex: '1 0 0',
        minWidth: isAlone ? 0 : 280,
        minHeight: 0,
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
      }}
    >
      <PaneHeader model={pane.model} models={models} onModel={setModel} onCode={showCode} onRemove={isAlone ? undefined : remove} />
      <Box
        ref={list}
        role="log"
        aria-live="off"
        aria-label={t('conversation', { model: pane.model })}
        tabIndex={0}
        sx={{ flex: 1, minHeight: { xs: 280, md: 0 }, maxHeight: { xs: '60dvh', md: 'none' }, overflow: 'auto', p: { xs: 1.5, md: 2 } }}
      >
        <Box sx={{ maxWidth: 820, mx: 'auto', display: 'flex', flexDirection: 'column', gap: 2 }}>
          {path.length === 0 && <Box sx={{ color: 'text.secondary', fontSize: 13.5, textAlign: 'center', py: 6 }}>{t('empty')}</Box>}
          {path.map((turn) => {
            const versions = versionsOf(pane.conversation, turn);
            const place = versions.findIndex(({ id }) => id === turn.id);
            return (
              <TurnView
                key={turn.id}
                turn={turn}
                place={place}
                count={versions.length}
                older={versions[place - 1]}
                newer={versions[place + 1]}
                price={priceOf(turn)}
                isBusy={playground.isAnswering}
                canBranch={playground.panes.length < mostPanes}
                onRetry={retry}
                onEdit={edit}
                onShow={show}
                onBranch={branch}
              />
            );
          })}
        </Box>
      </Box>
    </Box>
  );
}

interface PaneHeaderProps {
  model: string;
  models: string[];
  onModel: (model: string) => void;
  onCode: () => void;
  onRemove: (() => void) | undefined;
}

const PaneHeader = memo(function PaneHeader({ model, models, onModel, onCode, onRemove }: PaneHeaderProps) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, p: 1, borderBottom: 1, borderColor: 'divider' }}>
      <Autocomplete
        {...useChoiceTexts()}
        options={models}
        value={models.includes(model) ? model : null}
        onChange={(_event, next) => next && onModel(next)}
        size="small"
        sx={{ flex: 1, minWidth: 0 }}
        renderInput={(params) => <TextField {...params} label={t('modelLabel')} />}
      />
      <Tooltip title={t('code')}>
        <IconButton aria-label={t('code')} onClick={onCode}>
          <CodeRounded fontSize="small" />
        </IconButton>
      </Tooltip>
      {onRemove && (
        <Tooltip title={t('removePane')}>
          <IconButton aria-label={t('removePane')} onClick={onRemove}>
            <CloseRounded fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
    </Box>
  );
});

function useLatest<T>(value: T): { current: T } {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

/** Keeps the end of a list in sight while it grows, unless one has scrolled away from it. */
function useFollowedEnd(last: Turn | undefined) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const note = (): void => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd;
    };
    const follow = new ResizeObserver(() => isAtEnd.current && box.scrollTo({ top: box.scrollHeight }));
    if (box.firstElementChild) follow.observe(box.firstElementChild);
    box.addEventListener('scroll', note, { passive: true });
    return () => {
      follow.disconnect();
      box.removeEventListener('scroll', note);
    };
  }, []);
  const id = last?.role === 'user' ? last.id : last?.parent;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question leads to the end, wherever one was
  useEffect(() => {
    isAtEnd.current = true;
  }, [id]);
  return list;
}
