import ChevronLeftRounded from '@mui/icons-material/ChevronLeftRounded';
import ChevronRightRounded from '@mui/icons-material/ChevronRightRounded';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { isoTime } from '@tollgate/contracts/calendar';
import { useTranslation } from 'react-i18next';
import { csvOf } from '../csv.ts';
import { formatCount, viewerZone } from '../format.ts';
import { pageSizes, usePageSize } from '../preferences.ts';
import { saveCsv } from '../save-file.ts';
import { useMoneyDisplay } from '../site.ts';
import { type TableView, TableViewMenu, type WholeList } from './table-view.tsx';

const Select = styled('select')(({ theme }) => ({
  font: 'inherit',
  color: 'inherit',
  height: 28,
  borderRadius: 6,
  border: `1px solid ${theme.vars?.palette.divider}`,
  background: theme.vars?.palette.background.paper,
  paddingInline: 4,
}));

/** `logs-page-2026-11-27`: one page of a list; the whole list has another name. */
function pageFileName(name: string): string {
  return `${name.replace(/-all$/, '')}-page-${isoTime(Date.now() / 1000, viewerZone).slice(0, 10)}`;
}

interface TableFooterProps<Row> {
  name: string;
  rows: Row[];
  page: number;
  total: number;
  /** There are more than `total`. */
  isMore: boolean;
  onPage: (page: number) => void;
  view: TableView<Row>;
  whole?: WholeList;
}

/** Which rows one sees, of how many; the way to the others; rows a page; and what the table shows. */
export function TableFooter<Row>({ name, rows, page, total, isMore, onPage, view, whole }: TableFooterProps<Row>) {
  const { t } = useTranslation('shared');
  const [size, setSize] = usePageSize();
  const money = useMoneyDisplay();
  const last = Math.max(1, Math.ceil(total / size));
  const from = total === 0 ? 0 : (page - 1) * size + 1;
  const range = { from: formatCount(from), to: formatCount(Math.min(total, page * size)), total: formatCount(total) };
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        minHeight: 40,
        px: 1,
        fontSize: 12.5,
        color: 'text.secondary',
        fontVariantNumeric: 'tabular-nums',
        borderTop: { md: 1 },
        borderColor: { md: 'divider' },
        flexWrap: 'wrap',
      }}
    >
      <TableViewMenu
        view={view}
        onDownload={() => saveCsv(pageFileName(name), csvOf(view.columns, rows, money))}
        {...(whole && { whole })}
      />
      <Box sx={{ flex: 1 }} />
      <Box component="label" sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
        {t('table.pageSize')}
        <Select
          value={size}
          onChange={(event) => {
            setSize(Number(event.target.value));
            onPage(1);
          }}
        >
          {pageSizes.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      </Box>
      <span>{t(isMore ? 'table.rangeOfMore' : 'table.range', range)}</span>
      <IconButton aria-label={t('table.previous')} disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeftRounded fontSize="small" />
      </IconButton>
      <IconButton aria-label={t('table.next')} disabled={page >= last} onClick={() => onPage(page + 1)}>
        <ChevronRightRounded fontSize="small" />
      </IconButton>
    </Box>
  );
}
