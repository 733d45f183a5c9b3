import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { optionSections } from '@tollgate/contracts/options/definition';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../../shared/language.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import type { Setting } from './api.ts';
import { LogCleaning } from './log-cleaning.tsx';
import { MailTest } from './mail-test.tsx';
import { OptionField } from './option-field.tsx';
import type { Section } from './sections.ts';
import type { Drafts } from './use-drafts.ts';

const PriceTable = lazyPart(async () => (await import('./price-table.tsx')).PriceTable);

const tall = new Set(['json', 'markup', 'list', 'tags']);

interface SectionCardProps {
  section: Section;
  /** All there are: a card may show more than its own. */
  settings: readonly Setting[];
  drafts: Drafts;
  isSearch: boolean;
}

export function SectionCard({ section: { name, settings: own }, settings, drafts, isSearch }: SectionCardProps) {
  const { i18n } = useTranslation();
  const titleId = useId();
  return (
    <Paper variant="outlined" component="section" aria-labelledby={titleId} sx={{ p: { xs: 1.5, sm: 2 }, pt: 1.5 }}>
      <Typography variant="h2" id={titleId} sx={{ mb: 1.25 }}>
        {optionSections[name][languageOf(i18n.language)]}
      </Typography>
      <Box sx={{ display: 'grid', gap: 1.75, columnGap: 2.5, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 320px), 1fr))' }}>
        {name === 'ratios' && !isSearch && <Wide>{<PriceTable settings={settings} drafts={drafts} />}</Wide>}
        {own.map((setting) =>
          tall.has(setting.kind) ? (
            <Wide key={setting.key}>
              <OptionField setting={setting} settings={settings} drafts={drafts} />
            </Wide>
          ) : (
            <OptionField key={setting.key} setting={setting} settings={settings} drafts={drafts} />
          ),
        )}
        {name === 'log' && !isSearch && <Wide>{<LogCleaning />}</Wide>}
        {name === 'smtp' && !isSearch && <Wide>{<MailTest />}</Wide>}
        {name === 'oauth' && !isSearch && <Wide>{<Callbacks settings={settings} />}</Wide>}
      </Box>
    </Paper>
  );
}

function Wide({ children }: { children: ReactNode }) {
  return <Box sx={{ gridColumn: '1 / -1', minWidth: 0 }}>{children}</Box>;
}

/** What has to be entered at the providers. */
function Callbacks({ settings }: { settings: readonly Setting[] }) {
  const { t } = useTranslation('settings');
  const server = settings.find(({ key }) => key === 'ServerAddress')?.value || location.origin;
  return (
    <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
      {t('callbacks', { server })}
    </Typography>
  );
}
