import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { numberIn, type PriceColumn, type PriceRow } from './price-rows.ts';

interface AddModelProps {
  taken: ReadonlySet<string>;
  onAdd: (row: PriceRow) => void;
  onClose: () => void;
}

const columns: PriceColumn[] = ['fixed', 'ratio', 'completion'];

/** A model with a fixed price, or with ratios: a fixed price leaves nothing for them to say. */
export function AddModel({ taken, onAdd, onClose }: AddModelProps) {
  const { t } = useTranslation('settings');
  const [typed, setTyped] = usePersistedState('new-price', { model: '', fixed: '', ratio: '', completion: '' });
  const { model } = typed;
  const [isTried, setTried] = useState(false);
  const name = model.trim();
  const nameFault = name === '' ? t('prices.nameMissing') : taken.has(name) && t('prices.exists');
  const isWrong = (column: PriceColumn): boolean => Number.isNaN(numberIn(typed[column]) ?? 0);
  const isFixed = typed.fixed.trim() !== '';
  const isTyped = model !== '' || columns.some((column) => typed[column] !== '');

  function add(): void {
    setTried(true);
    if (nameFault || columns.some(isWrong)) return;
    const ratios = isFixed ? {} : { ratio: numberIn(typed.ratio), completion: numberIn(typed.completion) };
    onAdd({ model: name, fixed: numberIn(typed.fixed), ...ratios });
    onClose();
  }

  return (
    <FormDialog title={t('prices.add')} submit={t('prices.add')} onSubmit={add} onClose={onClose} dirty={isTyped}>
      <TextField
        autoFocus
        label={t('prices.name')}
        value={model}
        onChange={(event) => setTyped((now) => ({ ...now, model: event.target.value }))}
        error={isTried && nameFault !== false}
        helperText={isTried && nameFault}
      />
      {columns.map((column) => (
        <TextField
          key={column}
          label={t(`prices.${column}`)}
          value={typed[column]}
          disabled={column !== 'fixed' && isFixed}
          onChange={(event) => setTyped((now) => ({ ...now, [column]: event.target.value }))}
          error={isWrong(column)}
          helperText={isWrong(column) && t('prices.number')}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        />
      ))}
    </FormDialog>
  );
}
