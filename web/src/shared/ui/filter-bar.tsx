import FilterAltOffOutlined from '@mui/icons-material/FilterAltOffOutlined';
import RefreshRounded from '@mui/icons-material/RefreshRounded';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { UrlFilters } from '../url-state.ts';
import { type Filter, FilterChip, isFilterSet } from './filter-chip.tsx';
import { FilterField } from './filter-field.tsx';
import { SearchField } from './search-field.tsx';

interface FilterBarProps<Name extends string> {
  state: UrlFilters<Name>;
  /** The filter that is a search field rather than a chip. */
  search?: { name: Name; label: string };
  filters?: Filter<Name>[];
  /** How the list is shown, after the filters. */
  view?: ReactNode;
  onRefresh: () => void;
  children?: ReactNode;
}

/** What goes on beyond the edge fades there; the last chip comes out from under it. */
const phoneLine = {
  flexWrap: { xs: 'nowrap', sm: 'wrap' },
  overflowX: { xs: 'auto', sm: 'visible' },
  scrollbarWidth: 'none',
  pr: { xs: '24px', sm: '3px' },
  maskImage: { xs: 'linear-gradient(to left, transparent, #000 24px)', sm: 'none' },
  '& > *': { flex: { xs: 'none', sm: '0 1 auto' } },
} as const;

/** The filters above a list: a search field, an open field or a chip for each filter, and the way to the newest rows. */
export function FilterBar<Name extends string>({ state, search, filters = [], view, onRefresh, children }: FilterBarProps<Name>) {
  const { t } = useTranslation('shared');
  const hasChips = filters.length > 0;
  const anyChipSet = filters.some((filter) => isFilterSet(filter, state.values));
  return (
    <Box
      role="search"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 0.75,
        flexWrap: { xs: hasChips ? 'wrap' : 'nowrap', sm: 'nowrap' },
        pb: 1,
        minHeight: 40,
      }}
    >
      {search && (
        <SearchField
          label={search.label}
          value={state.values[search.name]}
          onChange={(text) => state.set({ [search.name]: text } as Partial<Record<Name, string>>, true)}
        />
      )}
      {/* On a phone the chips are one line that scrolls sideways, but as many as they need once one is set, for that must be seen; without
          chips the search field, which clears itself, has the line. */}
      <Box
        sx={{
          display: { xs: hasChips ? 'flex' : 'none', sm: 'flex' },
          gap: 0.75,
          flex: { xs: anyChipSet ? '1 1 100%' : 1, sm: '1 1 auto' },
          flexWrap: 'wrap',
          minWidth: 0,
          p: '3px',
          m: '-3px',
          ...(!anyChipSet && phoneLine),
        }}
      >
        {filters.map((filter) =>
          filter.kind === 'text' ? (
            <FilterField
              key={filter.name}
              filter={filter}
              value={state.values[filter.name]}
              onChange={(value) => state.set({ [filter.name]: value } as Partial<Record<Name, string>>)}
            />
          ) : (
            <FilterChip key={filter.name} filter={filter} values={state.values} onChange={(changes) => state.set(changes)} />
          ),
        )}
        {view}
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, flex: 'none', ml: 'auto' }}>
        {children}
        {state.anySet && (
          <Tooltip title={t('filter.clear')}>
            <IconButton aria-label={t('filter.clear')} onClick={state.clear}>
              <FilterAltOffOutlined fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        <Tooltip title={t('refresh')}>
          <IconButton aria-label={t('refresh')} onClick={onRefresh}>
            <RefreshRounded fontSize="small" />
          </IconButton>
        </Tooltip>
      </Box>
    </Box>
  );
}
