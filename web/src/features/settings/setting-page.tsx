import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { type OptionTab, optionTabs } from '@tollgate/contracts/options/definition';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../../shared/language.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ErrorNotice, RefreshFailed } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { SearchField } from '../../shared/ui/search-field.tsx';
import { useUrlFilters } from '../../shared/url-state.ts';
import { settingsOf, useListOptionsQuery } from './api.ts';
import { SaveBar } from './save-bar.tsx';
import { sectionsIn, sectionsMatching } from './sections.ts';
import { useDrafts } from './use-drafts.ts';

/** The fields come while the options are asked for. */
const SectionCard = lazyPart(async () => (await import('./section-card.tsx')).SectionCard);

const names = ['tab', 'q'] as const;

/** What root can set, made of what the options say of themselves: a tab of cards, or what a search finds in all tabs. */
export function SettingPage() {
  const { t, i18n } = useTranslation('settings');
  const language = languageOf(i18n.language);
  const { data, error, refetch, isFetching } = useListOptionsQuery();
  const settings = useMemo(() => (data ? settingsOf(data) : []), [data]);
  const drafts = useDrafts(settings);
  const { values, set } = useUrlFilters(names);
  const tab = (values.tab in optionTabs ? values.tab : 'operation') as OptionTab;
  const sections = values.q ? sectionsMatching(settings, values.q) : sectionsIn(settings, tab);

  return (
    <PageFrame title={t('title')} aside={<SearchField label={t('search')} value={values.q} onChange={(q) => set({ q }, true)} />}>
      {!values.q && (
        <Tabs
          value={tab}
          onChange={(_event, next: OptionTab) => set({ tab: next })}
          variant="scrollable"
          allowScrollButtonsMobile
          aria-label={t('tabs')}
          sx={{ minHeight: 38, mb: 1, flexShrink: 0, '& .MuiTab-root': { minHeight: 38 } }}
        >
          {Object.entries(optionTabs).map(([name, words]) => (
            <Tab
              key={name}
              value={name}
              label={words[language]}
              id={`tab-${name}`}
              aria-controls={tab === name ? 'settings-shown' : undefined}
            />
          ))}
        </Tabs>
      )}
      {error && data && <RefreshFailed error={error} onRetry={refetch} />}
      {error && !data && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      <Box
        id="settings-shown"
        role={values.q ? undefined : 'tabpanel'}
        aria-labelledby={values.q ? undefined : `tab-${tab}`}
        sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, flex: 1 }}
      >
        {sections.map((section) => (
          <SectionCard key={section.name} section={section} settings={settings} drafts={drafts} isSearch={values.q !== ''} />
        ))}
        {values.q && data && sections.length === 0 && <EmptyState title={t('noneFound')} text={t('noneFoundText')} />}
      </Box>
      {data && <SaveBar drafts={drafts} />}
    </PageFrame>
  );
}
