import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { channelTypeInfo } from '@tollgate/contracts/channel-types';
import { useTranslation } from 'react-i18next';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { choosableTypes, typeName } from './channel-type.ts';

/** The channel's type, found by typing any part of its name in either language. */
export function TypeInput({ value, onChange }: { value: number; onChange: (type: number) => void }) {
  const { t, i18n } = useTranslation('channels');
  return (
    <Autocomplete
      {...useChoiceTexts()}
      size="small"
      disableClearable
      autoHighlight
      options={choosableTypes(value).map((info) => info.type)}
      value={value}
      getOptionLabel={(type) => typeName(type, i18n.language)}
      filterOptions={(types, { inputValue }) => {
        const wanted = inputValue.trim().toLowerCase();
        return types.filter((type) => {
          const info = channelTypeInfo(type);
          return `${info?.name} ${info?.nameZh} ${info?.key}`.toLowerCase().includes(wanted);
        });
      }}
      onChange={(_event, type) => onChange(type)}
      slotProps={{ listbox: { sx: { fontSize: 13, maxHeight: 320 } } }}
      renderInput={(params) => <TextField {...params} label={t('columns.type')} />}
    />
  );
}
