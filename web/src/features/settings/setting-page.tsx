import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import { type OptionTab, optionTabs } from '@tollgate/contracts/options/definition';
import { type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BlockerFunction } from 'react-router';
import { useAskedLeave } from '../../shared/form/unsaved.ts';
import { languageOf } from '../../shared/language.ts';
import { useHasRole } from '../../shared/session.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ErrorNotice, RefreshFailed } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { SearchField } from '../../shared/ui/search-field.tsx';
import { useUrlFilters } from '../../shared/url-state.ts';
import { settingsOf, useListOptionsQuery } from './api.ts';
import { sectionsIn, sectionsMatching, tabOf } from './sections.ts';
import { type Drafts, useDrafts } from './use-drafts.ts';

const ChangesDialog = lazyPart(async () => (await import('./changes-dialog.tsx')).ChangesDialog);

/** How much was changed, and what to do about it; always in sight. */
function SaveBar({ drafts }: { drafts: Drafts }) {
  const { t } = useTranslation('settings');
  const [isReviewed, setReviewed] = useState(false);
  const count = drafts.changes.length;
  return (
    <Box
      role="region"
      aria-label={t('save')}
      sx={{
        position: 'sticky',
        bottom: 0,
        zIndex: 2,
        display: 'flex',
        alignItems: 'center',
        flexWrap: 'wrap',
        gap: 1,
        py: 1,
        mt: 1,
        bgcolor: 'background.default',
        borderTop: 1,
        borderColor: 'divider',
      }}
    >
      <Typography variant="body2" color="textSecondary" role="status">
        {t('changes', { count })}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, ml: 'auto' }}>
        {count > 0 && (
          <>
            <Button color="inherit" onClick={drafts.discard}>
              {t('discard')}
            </Button>
            <Button variant="outlined" color="inherit" onClick={() => setReviewed(true)}>
              {t('review')}
            </Button>
          </>
        )}
        <Button variant="contained" loading={drafts.saving} onClick={() => void drafts.save()}>
          {t('save')}
        </Button>
      </Box>
      {isReviewed && <ChangesDialog drafts={drafts} onClose={() => setReviewed(false)} />}
    </Box>
  );
}

/** The fields come while the options are asked for. */
const SectionCard = lazyPart(async () => (await import('./section-card.tsx')).SectionCard, { suspends: true });

const names = ['tab', 'q'] as const;
type TabName = 'personal' | OptionTab;

/** One's own settings, for everybody; for root also what the site can be set to, made of what the options say of themselves. */
export function SettingPage({ personal }: { personal: ReactNode }) {
  const { t } = useTranslation('settings');
  const { values, set } = useUrlFilters(names);
  const isRoot = useHasRole(role.root);
  const tab: TabName = isRoot && values.tab in optionTabs ? (values.tab as OptionTab) : 'personal';
  const toTab = (next: TabName): void => set({ tab: next });
  if (isRoot) return <SiteSettings tab={tab} onTab={toTab} personal={personal} />;
  return (
    <PageFrame title={t('title')}>
      <SettingTabs tab={tab} names={['personal']} onTab={toTab} />
      <Panel tab={tab}>{personal}</Panel>
    </PageFrame>
  );
}

interface SettingTabsProps {
  tab: TabName;
  names: readonly TabName[];
  onTab: (tab: TabName) => void;
  /** How many unsaved changes a tab has. */
  unsavedIn?: (tab: TabName) => number;
}

function SettingTabs({ tab, names, onTab, unsavedIn = () => 0 }: SettingTabsProps) {
  const { t, i18n } = useTranslation('settings');
  const language = languageOf(i18n.language);
  const labelOf = (name: TabName): string => (name === 'personal' ? t('personal') : optionTabs[name][language]);
  return (
    <Tabs
      value={tab}
      onChange={(_event, next: TabName) => onTab(next)}
      variant="scrollable"
      allowScrollButtonsMobile
      aria-label={t('tabs')}
      sx={{ minHeight: 38, mb: 1, flexShrink: 0, '& .MuiTab-root': { minHeight: 38 } }}
    >
      {names.map((name) => {
        const count = unsavedIn(name);
        return (
          <Tab
            key={name}
            value={name}
            label={count > 0 ? `${labelOf(name)} (${count})` : labelOf(name)}
            aria-label={count > 0 ? t('unsavedIn', { name: labelOf(name), count }) : undefined}
            id={`tab-${name}`}
            aria-controls={tab === name ? 'settings-shown' : undefined}
          />
        );
      })}
    </Tabs>
  );
}

function Panel({ tab, children }: { tab: TabName | undefined; children: ReactNode }) {
  return (
    <Box
      id="settings-shown"
      role={tab && 'tabpanel'}
      aria-labelledby={tab && `tab-${tab}`}
      sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, flex: 1 }}
    >
      {children}
    </Box>
  );
}

const rootTabs = ['personal', ...(Object.keys(optionTabs) as OptionTab[])] as const;

/** Root's: a tab of cards, or what a search finds in all tabs. Drafts stay from tab to tab; each tab is saved by itself. */
function SiteSettings({ tab, onTab, personal }: { tab: TabName; onTab: (tab: TabName) => void; personal: ReactNode }) {
  const { t } = useTranslation('settings');
  const { data, error, refetch, isFetching } = useListOptionsQuery();
  const settings = useMemo(() => (data ? settingsOf(data) : []), [data]);
  const { values, set } = useUrlFilters(names);
  const isPersonal = tab === 'personal' && !values.q;
  const sections = values.q ? sectionsMatching(settings, values.q) : sectionsIn(settings, tab);
  const drafts = useDrafts(
    settings,
    sections.flatMap((section) => section.settings),
  );
  useAskedLeave({ dirty: drafts.unsaved.length > 0 && !drafts.saving, keeps: staysOnPage });
  const unsavedIn = (name: TabName): number => drafts.unsaved.filter(({ setting }) => tabOf(setting) === name).length;

  return (
    <PageFrame title={t('title')} aside={<SearchField label={t('search')} value={values.q} onChange={(q) => set({ q }, true)} />}>
      {!values.q && <SettingTabs tab={tab} names={rootTabs} onTab={onTab} unsavedIn={unsavedIn} />}
      {error && data && !isPersonal && <RefreshFailed error={error} onRetry={refetch} />}
      {error && !data && !isPersonal && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      <Panel tab={values.q ? undefined : tab}>
        {isPersonal && personal}
        {!isPersonal && !data && !error && <SectionsComing />}
        {/* One boundary for all: each with its own, they would come one by one, the last ones first. */}
        {!isPersonal && data && (
          <Suspense fallback={<SectionsComing />}>
            {sections.map((section) => (
              <SectionCard key={section.name} section={section} settings={settings} drafts={drafts} isSearch={values.q !== ''} />
            ))}
          </Suspense>
        )}
        {values.q && data && sections.length === 0 && <EmptyState title={t('noneFound')} text={t('noneFoundText')} />}
      </Panel>
      {data && !isPersonal && <SaveBar drafts={drafts} />}
    </PageFrame>
  );
}

/** Drafts stay from tab to tab. */
const staysOnPage: BlockerFunction = ({ currentLocation, nextLocation }) => currentLocation.pathname === nextLocation.pathname;

function SectionsComing() {
  return ['first', 'second', 'third'].map((card) => <Skeleton key={card} variant="rounded" height={180} sx={{ flex: 'none' }} />);
}
