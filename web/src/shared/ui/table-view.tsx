import CheckBoxOutlineBlankRounded from '@mui/icons-material/CheckBoxOutlineBlankRounded';
import CheckBoxRounded from '@mui/icons-material/CheckBoxRounded';
import ViewColumnOutlined from '@mui/icons-material/ViewColumnOutlined';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import Tooltip from '@mui/material/Tooltip';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiCall } from '../call.ts';
import { loadPart } from '../parts.ts';
import { type Density, useDensity, useRemembered } from '../preferences.ts';
import type { Column } from './column.ts';
import { DropMenu } from './drop-menu.tsx';

export interface TableView<Row> {
  /** Those that are shown. */
  columns: Column<Row>[];
  all: Column<Row>[];
  isShown: (id: string) => boolean;
  toggle: (id: string) => void;
  reset: () => void;
}

/** Which columns of a table are shown. Only what someone changed is remembered, so a new column appears by itself. */
export function useVisibleColumns<Row>(name: string, all: Column<Row>[]): TableView<Row> {
  const [text, setText] = useRemembered(`columns-${name}`);
  const changed = useMemo(() => new Set((text ?? '').split(',').filter((id) => all.some((column) => column.id === id))), [text, all]);
  const columns = useMemo(
    () => all.filter((column) => column.primary === true || changed.has(column.id) === (column.hidden === true)),
    [all, changed],
  );
  return {
    all,
    columns,
    isShown: (id) => columns.some((column) => column.id === id),
    toggle: (id) =>
      setText([...(changed.has(id) ? [...changed].filter((other) => other !== id) : [...changed, id])].join(',') || undefined),
    reset: () => setText(undefined),
  };
}

/** The call that answers a whole list as a file. */
export type WholeList = (format: 'csv' | 'json') => ApiCall;

async function save(call: ApiCall): Promise<void> {
  const { saveExport } = await loadPart(() => import('../save-export.ts'));
  await saveExport(call);
}

/** Columns, density and the rows as a file, behind one button. */
export function TableViewMenu<Row>({ view, onDownload, whole }: { view: TableView<Row>; onDownload: () => void; whole?: WholeList }) {
  const { t } = useTranslation('shared');
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [density, setDensity] = useDensity();
  const densities: Density[] = ['comfortable', 'compact'];
  return (
    <>
      <Tooltip title={t('table.view')}>
        <IconButton
          aria-label={t('table.view')}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <ViewColumnOutlined fontSize="small" />
        </IconButton>
      </Tooltip>
      {anchor && (
        <DropMenu anchor={anchor} onClose={() => setAnchor(null)} dense>
          {densities.map((choice) => (
            <MenuItem
              key={choice}
              role="menuitemradio"
              aria-checked={density === choice}
              selected={density === choice}
              onClick={() => setDensity(choice)}
            >
              {t(`density.${choice}`)}
            </MenuItem>
          ))}
          <Divider />
          {view.all
            .filter((column) => !column.primary)
            .map((column) => (
              <MenuItem
                key={column.id}
                role="menuitemcheckbox"
                aria-checked={view.isShown(column.id)}
                onClick={() => view.toggle(column.id)}
                sx={{ pl: 1.5, gap: 1, '& svg': { fontSize: 18 } }}
              >
                {view.isShown(column.id) ? <CheckBoxRounded color="primary" /> : <CheckBoxOutlineBlankRounded color="action" />}
                {column.header}
              </MenuItem>
            ))}
          <Divider />
          <MenuItem onClick={view.reset}>{t('table.reset')}</MenuItem>
          <MenuItem
            onClick={() => {
              setAnchor(null);
              onDownload();
            }}
          >
            {t('table.download')}
          </MenuItem>
          {whole &&
            (['csv', 'json'] as const).map((format) => (
              <MenuItem
                key={format}
                onClick={() => {
                  setAnchor(null);
                  void save(whole(format));
                }}
              >
                {t('table.whole', { format: format.toUpperCase() })}
              </MenuItem>
            ))}
        </DropMenu>
      )}
    </>
  );
}
