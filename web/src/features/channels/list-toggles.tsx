import ToggleButton from '@mui/material/ToggleButton';
import { useTranslation } from 'react-i18next';
import { useRemembered } from '../../shared/preferences.ts';
import type { UrlFilters } from '../../shared/url-state.ts';
import type { ChannelFilterName } from './use-channel-filters.ts';

/** Whether rows can be selected; this browser remembers it. */
export function useBatchMode(): [boolean, (on: boolean) => void] {
  const [text, setText] = useRemembered('channel-batch');
  return [text !== 'off', (on) => setText(on ? undefined : 'off')];
}

/** How the list is shown: newest first instead of by priority, below tags, with or without boxes to select rows. */
export function ListToggles({ filters: { values, set } }: { filters: UrlFilters<ChannelFilterName> }) {
  const { t } = useTranslation('channels');
  const [isBatch, setBatch] = useBatchMode();
  const isByTag = values.view === 'tags';
  const toggles = [
    { key: 'sort', label: t('toggles.byId'), isOn: values.sort === 'id', turn: (on: boolean) => set({ sort: on ? 'id' : '' }) },
    { key: 'view', label: t('toggles.byTag'), isOn: isByTag, turn: (on: boolean) => set({ view: on ? 'tags' : '' }) },
    { key: 'batch', label: t('toggles.batch'), isOn: isBatch && !isByTag, turn: setBatch },
  ];
  return toggles.map(({ key, label, isOn, turn }) => (
    <ToggleButton
      key={key}
      value={key}
      size="small"
      selected={isOn}
      disabled={key === 'batch' && isByTag}
      onChange={() => turn(!isOn)}
      sx={{ py: 0, px: 1, height: 28, textTransform: 'none', fontSize: 12.5, whiteSpace: 'nowrap' }}
    >
      {label}
    </ToggleButton>
  ));
}
