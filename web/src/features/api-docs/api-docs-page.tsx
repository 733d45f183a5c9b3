import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import LinearProgress from '@mui/material/LinearProgress';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../../shared/language.ts';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { SearchField } from '../../shared/ui/search-field.tsx';
import { useUrlFilters } from '../../shared/url-state.ts';
import { type Operation, useListOperationsQuery } from './api.ts';
import { OperationPanel } from './operation-panel.tsx';

const filterNames = ['q'] as const;

/** Every call of the console's API, out of its own document: what it is for, who may, and a form to make it. */
export function ApiDocsPage() {
  const { t, i18n } = useTranslation('api-docs');
  const language = languageOf(i18n.language);
  const filters = useUrlFilters(filterNames);
  const { data, error, refetch, isFetching } = useListOperationsQuery();
  const wanted = filters.values.q.toLowerCase();
  const byTag = useMemo(() => {
    const found = data?.filter(({ method, path, summary }) => `${method} ${path} ${summary[language]}`.toLowerCase().includes(wanted));
    return Object.entries(Object.groupBy(found ?? [], ({ tag }) => tag)) as [string, Operation[]][];
  }, [data, wanted, language]);
  return (
    <PageFrame title={t('title')}>
      <Typography variant="body2" color="textSecondary" sx={{ pb: 1 }}>
        {t('lead')}{' '}
        <Link href="/api/openapi.json" target="_blank" rel="noopener" underline="always">
          openapi.json
        </Link>
      </Typography>
      <Box role="search" sx={{ pb: 1 }}>
        <SearchField label={t('search')} value={filters.values.q} onChange={(q) => filters.set({ q }, true)} />
      </Box>
      {error && !data && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      {!error && !data && <LinearProgress aria-label={t('title')} />}
      {data && byTag.length === 0 && <Typography>{t('none')}</Typography>}
      {byTag.map(([tag, operations]) => (
        <Box key={tag} component="section" aria-label={tag} sx={{ pb: 2 }}>
          <Typography component="h2" variant="h2" sx={{ py: 1 }}>
            {tag}
          </Typography>
          <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 2, bgcolor: 'background.paper', overflow: 'hidden' }}>
            {operations.map((operation) => (
              <OperationRow key={`${operation.method} ${operation.path}`} operation={operation} />
            ))}
          </Box>
        </Box>
      ))}
    </PageFrame>
  );
}

/** One line that opens; what is in it is made when it is. */
function OperationRow({ operation }: { operation: Operation }) {
  const { t, i18n } = useTranslation('api-docs');
  const [isOpen, setOpen] = useState(false);
  const { method, path, summary, access } = operation;
  return (
    <Box
      component="details"
      onToggle={({ currentTarget }) => setOpen((currentTarget as HTMLDetailsElement).open)}
      sx={{ '& + &': { borderTop: 1, borderColor: 'divider' } }}
    >
      <Box
        component="summary"
        sx={{ px: 1.5, py: 1, cursor: 'pointer', overflowWrap: 'anywhere', '&:focus-visible': { outlineOffset: -2 } }}
      >
        <Box component="code" sx={{ fontFamily: 'monospace', fontSize: 13, fontWeight: 600 }}>
          {method} {path}
        </Box>{' '}
        <Box component="span" sx={{ fontSize: 13, color: 'text.secondary', px: 0.5 }}>
          {summary[languageOf(i18n.language)]}
        </Box>
        <Chip size="small" variant="outlined" label={t(`access.${access}`)} />
      </Box>
      {isOpen && <OperationPanel operation={operation} />}
    </Box>
  );
}
