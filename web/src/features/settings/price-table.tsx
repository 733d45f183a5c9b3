import AddRounded from '@mui/icons-material/AddRounded';
import CloseRounded from '@mui/icons-material/CloseRounded';
import ContentPasteRounded from '@mui/icons-material/ContentPasteRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import Switch from '@mui/material/Switch';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFigure } from '../../shared/format.ts';
import { dollars, dollarsPerRatio } from '../../shared/prices.ts';
import { SearchField } from '../../shared/ui/search-field.tsx';
import { AddModel } from './add-model.tsx';
import { type Setting, useListOptionsQuery } from './api.ts';
import { PasteDialog } from './paste-dialog.tsx';
import {
  effectiveCompletion,
  isUnpriced,
  numberIn,
  type PriceColumn,
  type PriceRow,
  type Prices,
  priceKeys,
  pricesIn,
  rowsOf,
  withRows,
} from './price-rows.ts';
import type { Drafts } from './use-drafts.ts';

const pageSize = 10;
const columns: PriceColumn[] = ['fixed', 'ratio', 'completion'];

/** Prices as a table. It shows and changes the JSON texts below it, so that both are saved, and compared before, in one way. */
export function PriceTable({ settings, drafts }: { settings: readonly Setting[]; drafts: Drafts }) {
  const { t } = useTranslation('settings');
  const { data } = useListOptionsQuery();
  const [search, setSearch] = useState('');
  const [onlyUnpriced, setOnlyUnpriced] = useState(false);
  const [page, setPage] = useState(0);
  const [open, setOpen] = useState<'add' | 'paste'>();
  const placeholderOf = usePlaceholder();
  const prices = pricesIn(settings, drafts);
  if (!prices) return <Typography color="error">{t('prices.unreadable')}</Typography>;

  const all = rowsOf(prices, data?.offered ?? []);
  const shown = all.filter((row) => row.model.toLowerCase().includes(search.toLowerCase()) && (!onlyUnpriced || isUnpriced(row, prices)));
  const from = Math.min(page, Math.max(0, Math.ceil(shown.length / pageSize) - 1)) * pageSize;
  const write = (rows: readonly PriceRow[]): void => {
    const next = withRows(prices, rows);
    for (const column of columns) {
      const setting = settings.find(({ key }) => key === priceKeys[column]);
      if (setting && next[column] && !isSameList(next, prices, column)) drafts.change(setting, JSON.stringify(next[column], null, 2));
    }
  };

  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
        <SearchField
          label={t('prices.search')}
          value={search}
          onChange={(next) => {
            setSearch(next);
            setPage(0);
          }}
        />
        <FormControlLabel
          sx={{ ml: 0, mr: 'auto', gap: 0.5 }}
          slotProps={{ typography: { variant: 'body2' } }}
          control={<Switch checked={onlyUnpriced} onChange={(_event, checked) => setOnlyUnpriced(checked)} />}
          label={t('prices.unpriced')}
        />
        <Button variant="outlined" color="inherit" startIcon={<ContentPasteRounded />} onClick={() => setOpen('paste')}>
          {t('prices.paste')}
        </Button>
        <Button variant="outlined" color="inherit" startIcon={<AddRounded />} onClick={() => setOpen('add')}>
          {t('prices.add')}
        </Button>
      </Box>
      <TableContainer tabIndex={0} role="region" aria-label={t('prices.table')} sx={{ border: 1, borderColor: 'divider', borderRadius: 1 }}>
        <Table size="small" aria-label={t('prices.table')}>
          <TableHead>
            <TableRow>
              <TableCell>{t('prices.model')}</TableCell>
              {columns.map((column) => (
                <TableCell key={column}>{t(`prices.${column}`)}</TableCell>
              ))}
              <TableCell>{t('prices.actions')}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {shown.slice(from, from + pageSize).map((row) => (
              <TableRow key={row.model} data-model={row.model}>
                <TableCell sx={{ overflowWrap: 'anywhere', minWidth: 140 }}>
                  {row.model}
                  <PerMillion row={row} completion={effectiveCompletion(prices, row.model)} />
                </TableCell>
                {columns.map((column) => (
                  <TableCell key={column} sx={{ minWidth: 120 }}>
                    <PriceCell
                      label={t('prices.of', { column: t(`prices.${column}`), model: row.model })}
                      value={row[column]}
                      placeholder={placeholderOf(column, row, effectiveCompletion(prices, row.model))}
                      disabled={column !== 'fixed' && row.fixed !== undefined}
                      onChange={(value) => write([{ ...row, [column]: value }])}
                    />
                  </TableCell>
                ))}
                <TableCell>
                  <IconButton aria-label={t('prices.remove', { model: row.model })} onClick={() => write([{ model: row.model }])}>
                    <CloseRounded sx={{ fontSize: 16 }} />
                  </IconButton>
                </TableCell>
              </TableRow>
            ))}
            {shown.length === 0 && (
              <TableRow>
                <TableCell colSpan={columns.length + 2}>{t('prices.none')}</TableCell>
              </TableRow>
            )}
          </TableBody>
        </Table>
      </TableContainer>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', justifyContent: 'flex-end' }}>
        <Typography variant="body2" color="textSecondary">
          {t('prices.showing', {
            from: Math.min(from + 1, shown.length),
            to: Math.min(from + pageSize, shown.length),
            total: shown.length,
          })}
        </Typography>
        <Button color="inherit" disabled={from === 0} onClick={() => setPage(from / pageSize - 1)}>
          {t('prices.previous')}
        </Button>
        <Button color="inherit" disabled={from + pageSize >= shown.length} onClick={() => setPage(from / pageSize + 1)}>
          {t('prices.next')}
        </Button>
      </Box>
      {open === 'add' && (
        <AddModel taken={new Set(all.map(({ model }) => model))} onAdd={(row) => write([row])} onClose={() => setOpen(undefined)} />
      )}
      {open === 'paste' && <PasteDialog onApply={write} onClose={() => setOpen(undefined)} />}
    </Box>
  );
}

/** The built-in completion ratio, where a model has a ratio and no entry of its own. */
function usePlaceholder(): (column: PriceColumn, row: PriceRow, completion: number) => string {
  const { t } = useTranslation('settings');
  return (column, { fixed, ratio }, completion) =>
    column === 'completion' && fixed === undefined && ratio !== undefined ? t('prices.builtIn', { ratio: formatFigure(completion) }) : '';
}

function isSameList(one: Prices, other: Prices, column: PriceColumn): boolean {
  return JSON.stringify(one[column]) === JSON.stringify(other[column]);
}

function PerMillion({ row: { fixed, ratio }, completion }: { row: PriceRow; completion: number }) {
  const { t } = useTranslation('settings');
  if (fixed !== undefined || ratio === undefined) return null;
  const input = ratio * dollarsPerRatio;
  return (
    <Typography variant="caption" color="textSecondary" component="div">
      {t('prices.perMillion', { input: dollars(input), output: dollars(input * completion) })}
    </Typography>
  );
}

interface PriceCellProps {
  label: string;
  value: number | undefined;
  /** What counts while the field is empty. */
  placeholder: string;
  disabled: boolean;
  onChange: (value: number | undefined) => void;
}

/** A number of one model, or none; taken over when the field is left. What is no number stays, and says so. */
function PriceCell({ label, value, placeholder, disabled, onChange }: PriceCellProps) {
  const { t } = useTranslation('settings');
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (value === undefined ? '' : String(value));
  const isWrong = Number.isNaN(numberIn(text) ?? 0);
  return (
    <TextField
      value={text}
      placeholder={placeholder}
      disabled={disabled}
      error={isWrong}
      helperText={isWrong ? t('prices.number') : undefined}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => {
        const next = numberIn(text);
        if (Number.isNaN(next ?? 0)) return;
        setTyped(undefined);
        if (next !== value) onChange(next);
      }}
      slotProps={{ htmlInput: { 'aria-label': label, inputMode: 'decimal', autoComplete: 'off' } }}
    />
  );
}
