import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { channelTypeInfo } from '@tollgate/contracts/channel-types';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { ExpiryInput } from '../../shared/form/expiry-input.tsx';
import { NumberInput, SwitchInput, TextInput } from '../../shared/form/fields.tsx';
import { LimitsInput } from '../../shared/form/limits-input.tsx';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { useListGroupsQuery } from '../../shared/site.ts';
import { type ChannelForm, hasModelsOf, keyHint, templates } from './channel-form.ts';
import { choosableTypes, needsOf, relatedModels, typeName } from './channel-type.ts';
import { KeyModeInputs } from './key-mode-inputs.tsx';
import { ModelsInput } from './models-input.tsx';

interface ChannelFieldsProps {
  form: ChannelForm;
  channelId: number | undefined;
  /** The channel has several keys. */
  isMultiKey: boolean;
}

/** The fields of a channel; which ones, and what they are called, comes from the data of its type. */
export function ChannelFields({ form, channelId, isMultiKey }: ChannelFieldsProps) {
  const { t, i18n } = useTranslation('channels');
  const { data: groups = [] } = useListGroupsQuery();
  const { control, watch, setValue } = form;
  const type = watch('type');
  const info = channelTypeInfo(type);
  const needs = needsOf(type);
  const isJsonKey = needs.key?.format === 'json';
  const isChinese = i18n.language.startsWith('zh');

  const chooseType = (next: number): void => {
    if (hasModelsOf(type, watch('models') ?? '')) setValue('models', relatedModels(next).join(','), { shouldDirty: true });
    setValue('other', needsOf(next).other?.default ?? '');
    setValue('type', next, { shouldDirty: true, shouldValidate: true });
  };

  return (
    <>
      <Section title={t('sections.basics')}>
        <TypeInput value={type} onChange={chooseType} />
        <TextInput control={control} name="name" label={t('fields.name')} autoFocus={channelId === undefined} />
      </Section>
      <Section title={t('sections.credentials')}>
        <TextInput
          control={control}
          name="base_url"
          label={labelOf(needs.base_url) ?? t('fields.baseUrl')}
          hint={baseUrlHint()}
          placeholder={info?.defaultBaseUrl || needs.base_url?.example || ''}
          autoComplete="off"
        />
        <TextInput
          control={control}
          name="key"
          label={t('fields.key')}
          hint={[
            channelId === undefined ? '' : t(isMultiKey ? 'keys.replacesAll' : 'keepsKey'),
            keyHint(type, i18n.language),
            channelId === undefined ? t(isJsonKey ? 'keys.manyDocuments' : 'manyKeys') : '',
          ]
            .filter(Boolean)
            .join(' · ')}
          placeholder={needs.key?.example ?? ''}
          multiline
          minRows={isJsonKey ? 6 : 1}
          maxRows={10}
          autoComplete="off"
          slotProps={{
            htmlInput: { spellCheck: false, autoCapitalize: 'none', style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 } },
          }}
        />
        <KeyModeInputs form={form} isNew={channelId === undefined} isMultiKey={isMultiKey} />
        {needs.organization && (
          <TextInput control={control} name="openai_organization" label={t('fields.organization')} placeholder="org-…" />
        )}
        {needs.other && (
          <TextInput
            control={control}
            name="other"
            label={isChinese ? needs.other.labelZh : needs.other.label}
            placeholder={needs.other.example}
            multiline={needs.key?.format === 'json'}
            maxRows={8}
          />
        )}
        {needs.other && isJsonKey && (
          <Link
            component="button"
            type="button"
            variant="caption"
            sx={{ alignSelf: 'flex-start', mt: -1.5, ml: 0.25 }}
            onClick={() => setValue('other', templates.region, { shouldDirty: true, shouldValidate: true })}
          >
            {t('fillTemplate')}
          </Link>
        )}
      </Section>
      <Section title={t('sections.models')}>
        <ModelsInput form={form} channelId={channelId} />
        <NamesInput control={control} name="group" label={t('fields.groups')} options={groups} />
        <JsonInput
          form={form}
          name="model_mapping"
          label={t('fields.modelMapping')}
          template={templates.model_mapping}
          hint={t('hints.modelMapping')}
        />
      </Section>
      <Section title={t('sections.routing')}>
        <Box sx={{ display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, gap: 2 }}>
          <NumberInput control={control} name="priority" label={t('columns.priority')} hint={t('hints.priority')} />
          <NumberInput control={control} name="weight" label={t('columns.weight')} hint={t('hints.weight')} />
        </Box>
        <Box sx={{ display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, gap: 2 }}>
          <NumberInput control={control} name="max_input_tokens" label={t('fields.maxInput')} hint={t('hints.maxInput')} />
          <ExpiryInput control={control} name="expired_time" label={t('fields.expires')} hint={t('hints.expires')} />
        </Box>
        <LimitsInput control={control} />
        <TextInput control={control} name="tag" label={t('columns.tag')} />
        <SwitchInput control={control} name="auto_ban" on={1} off={0} label={t('fields.autoBan')} hint={t('hints.autoBan')} />
      </Section>
      <Section title={t('sections.advanced')}>
        <TextInput control={control} name="test_model" label={t('fields.testModel')} hint={t('hints.testModel')} />
        <JsonInput
          form={form}
          name="status_code_mapping"
          label={t('fields.statusMapping')}
          template={templates.status_code_mapping}
          hint={t('hints.statusMapping')}
        />
        <JsonInput form={form} name="setting" label={t('fields.setting')} template={templates.setting} hint={t('hints.setting')} />
      </Section>
    </>
  );

  function labelOf(need: { label?: string; labelZh?: string } | undefined): string | undefined {
    return isChinese ? need?.labelZh : need?.label;
  }

  function baseUrlHint(): string {
    if (info?.key === 'custom') return t('hints.customUrl');
    return info?.defaultBaseUrl ? t('hints.baseUrlDefault', { url: info.defaultBaseUrl }) : t('hints.baseUrl');
  }
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box
      component="section"
      aria-label={title}
      sx={{ display: 'flex', flexDirection: 'column', gap: 2, '& + &': { borderTop: 1, borderColor: 'divider', pt: 2 } }}
    >
      <Typography variant="h3" component="h3">
        {title}
      </Typography>
      {children}
    </Box>
  );
}

/** The channel's type, found by typing any part of its name in either language. */
function TypeInput({ value, onChange }: { value: number; onChange: (type: number) => void }) {
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

/** A JSON text, with an example to start from. */
function JsonInput({
  form,
  name,
  label,
  hint,
  template,
}: {
  form: ChannelForm;
  name: 'model_mapping' | 'status_code_mapping' | 'setting';
  label: string;
  hint: string;
  template: string;
}) {
  const { t } = useTranslation('channels');
  return (
    <div>
      <TextInput
        control={form.control}
        name={name}
        label={label}
        hint={hint}
        multiline
        minRows={2}
        maxRows={12}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 } } }}
      />
      <Box sx={{ display: 'flex', gap: 2, mt: 0.5, ml: 0.25 }}>
        <Link
          component="button"
          type="button"
          variant="caption"
          onClick={() => form.setValue(name, template, { shouldDirty: true, shouldValidate: true })}
        >
          {t('fillTemplate')}
        </Link>
      </Box>
    </div>
  );
}
