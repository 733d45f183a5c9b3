import AddRounded from '@mui/icons-material/AddRounded';
import TuneRounded from '@mui/icons-material/TuneRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useEnabledTokens } from '../../shared/enabled-tokens.ts';
import { useGetPricingQuery } from '../../shared/prices.ts';
import { type SessionUser, useSessionUser } from '../../shared/session.ts';
import { useListUsableGroupsQuery, useListUsableModelsQuery } from '../../shared/site.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { SideDrawer } from '../../shared/ui/side-drawer.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { Unread } from '../../shared/ui/unread.tsx';
import { Composer } from './composer.tsx';
import { pathOf } from './conversation.ts';
import { PaneView } from './pane-view.tsx';
import { areTools, requestOf } from './request-of.ts';
import { mostPanes, type Pane, usualModel } from './settings.ts';
import { usePlayground } from './use-playground.ts';

const ParametersForm = lazyPart(async () => (await import('./parameters-form.tsx')).ParametersForm);
const CodeDialog = lazyPart(async () => (await import('./code-dialog.tsx')).CodeDialog);

const noModels: string[] = [];
/** On a phone the three buttons of the head share a line. */
const narrow = { px: { xs: 1, sm: 1.5 }, '& .MuiButton-startIcon': { display: { xs: 'none', sm: 'inherit' } } };

export function PlaygroundPage() {
  const user = useSessionUser();
  return user && <Of key={user.id} user={user} />;
}

/** Where models are tried, up to four side by side. What is said stays in this browser. */
function Of({ user }: { user: SessionUser }) {
  const { t } = useTranslation('playground');
  const playground = usePlayground(user.id);
  const { tokens, read: tokensRead } = useEnabledTokens();
  const modelsRead = useListUsableModelsQuery(undefined, { refetchOnMountOrArgChange: true });
  const models = modelsRead.data ?? noModels;
  const groupsRead = useListUsableGroupsQuery(undefined, { refetchOnMountOrArgChange: true });
  const groupsByName = groupsRead.data;
  const { data: pricing } = useGetPricingQuery();
  const [isTuning, setTuning] = useState(false);
  const [shownCode, setShownCode] = useState<Pane>();
  const { parameters, panes, setModel, setParameters } = playground;
  const groups = useMemo(
    () => Object.entries(groupsByName ?? {}).sort(([a], [b]) => Number(b === user.group) - Number(a === user.group)),
    [groupsByName, user.group],
  );
  const firstModel = models.includes(usualModel) ? usualModel : (models[0] ?? '');

  // A model or a group that is not offered any more gives way to one that is.
  useEffect(() => {
    if (firstModel === '') return;
    for (const { id, model } of panes) if (!models.includes(model)) setModel(id, firstModel);
  }, [panes, models, firstModel, setModel]);
  const firstGroup = groups[0]?.[0];
  const isKnownGroup = groups.some(([name]) => name === parameters.group);
  useEffect(() => {
    if (firstGroup !== undefined && !isKnownGroup) setParameters({ group: firstGroup });
  }, [firstGroup, isKnownGroup, setParameters]);

  const [params] = useSearchParams();
  const isExpired = params.has('expired');
  useEffect(() => {
    if (isExpired) toast('error', t('expired'));
  }, [isExpired, t]);

  const canSend =
    tokens !== undefined && tokens.length > 0 && panes.every(({ model }) => models.includes(model)) && areTools(parameters.tools);
  const form = <ParametersForm parameters={parameters} groups={groups} onChange={setParameters} />;
  const actions = (
    <>
      <Button color="inherit" startIcon={<TuneRounded />} onClick={() => setTuning(true)} sx={{ ...narrow, display: { lg: 'none' } }}>
        {t('parameters')}
      </Button>
      <Button
        color="inherit"
        onClick={playground.clear}
        disabled={panes.every(({ conversation }) => conversation.leaf === null)}
        sx={narrow}
      >
        {t('clear')}
      </Button>
      <Button
        variant="outlined"
        color="inherit"
        startIcon={<AddRounded />}
        sx={narrow}
        disabled={panes.length >= mostPanes || firstModel === ''}
        onClick={() => playground.addPane(models.find((name) => panes.every(({ model }) => model !== name)) ?? firstModel)}
      >
        {t('addPane')}
      </Button>
    </>
  );

  return (
    <PageFrame title={t('title')} action={actions}>
      <Unread reads={[tokensRead, modelsRead, groupsRead]} />
      <Box
        sx={{ flex: 1, minHeight: 0, display: 'grid', gap: 1.5, gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: '260px minmax(0, 1fr)' } }}
      >
        <Box
          component="aside"
          aria-label={t('parameters')}
          sx={{
            display: { xs: 'none', lg: 'block' },
            border: 1,
            borderColor: 'divider',
            borderRadius: 2,
            bgcolor: 'background.paper',
            p: 2,
            overflow: 'auto',
            minHeight: 0,
          }}
        >
          {form}
        </Box>
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, minHeight: 0, minWidth: 0 }}>
          <Box sx={{ flex: 1, minHeight: 0, display: 'flex', gap: 1.5, overflowX: 'auto' }}>
            {panes.map((pane) => (
              <PaneView
                key={pane.id}
                pane={pane}
                playground={playground}
                models={models}
                priceRows={pricing?.data ?? []}
                ratios={pricing?.group_ratio ?? {}}
                onCode={setShownCode}
              />
            ))}
          </Box>
          <Composer isAnswering={playground.isAnswering} canSend={canSend} onSend={playground.send} onStop={playground.stop} />
        </Box>
      </Box>
      {isTuning && (
        <SideDrawer title={t('parameters')} width={360} onClose={() => setTuning(false)}>
          <Box sx={{ p: 2.5, overflow: 'auto' }}>{form}</Box>
        </SideDrawer>
      )}
      {shownCode && (
        <CodeDialog
          body={requestOf(shownCode.model, pathOf(shownCode.conversation), {
            ...parameters,
            tools: areTools(parameters.tools) ? parameters.tools : '',
          })}
          onClose={() => setShownCode(undefined)}
        />
      )}
    </PageFrame>
  );
}
