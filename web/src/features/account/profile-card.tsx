import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import type { UserView } from '@tollgate/contracts/api/user';
import { role } from '@tollgate/contracts/constants';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { formatCount } from '../../shared/format.ts';
import { useListUsableModelsQuery } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { GroupTag } from '../../shared/ui/group-tag.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useChangeSelfMutation } from './api.ts';
import { Figure, Figures } from './figures.tsx';

const shownModels = 10;

/** Name, rank, group, money and models. */
export function ProfileCard({ self }: { self: UserView }) {
  const { t } = useTranslation('account');
  return (
    <Card title={t('profile.title')}>
      <Box sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap' }}>
        <Chip size="small" label={t(`profile.${rankOf(self.role)}`)} />
        <Chip size="small" variant="outlined" label={`ID ${self.id}`} />
        <GroupTag name={self.group} />
      </Box>
      <Figures>
        <Figure name={t('profile.balance')}>
          <QuotaText quota={self.quota} />
        </Figure>
        <Figure name={t('profile.used')}>
          <QuotaText quota={self.used_quota} />
        </Figure>
        <Figure name={t('profile.requests')}>{formatCount(self.request_count)}</Figure>
      </Figures>
      <NameForm self={self} />
      <Models />
    </Card>
  );
}

function rankOf(rank: number): 'root' | 'admin' | 'user' {
  if (rank >= role.root) return 'root';
  return rank >= role.admin ? 'admin' : 'user';
}

function NameForm({ self }: { self: UserView }) {
  const { t } = useTranslation(['account', 'shared']);
  const [change, { isLoading, error }] = useChangeSelfMutation();
  const [username, setUsername] = usePersistedState('own-username', self.username);
  const [displayName, setDisplayName] = usePersistedState('own-display-name', self.display_name);
  const isSame = username.trim() === self.username && displayName.trim() === self.display_name;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await change({ username: username.trim(), display_name: displayName.trim(), version: self.version });
    if (!answer.error) toast('success', t('saved'));
  };
  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', gap: 1.25, flexWrap: 'wrap', alignItems: 'flex-start' }}>
      <TextField
        sx={{ flex: '1 1 160px' }}
        label={t('profile.username')}
        autoComplete="username"
        value={username}
        error={error !== undefined}
        helperText={error && messageOf(error)}
        onChange={(event) => setUsername(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 12 }, formHelperText: { role: 'alert' } }}
      />
      <TextField
        sx={{ flex: '1 1 160px' }}
        label={t('profile.displayName')}
        autoComplete="nickname"
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 20 } }}
      />
      <Button type="submit" variant="outlined" disabled={isSame} loading={isLoading}>
        {t('save')}
      </Button>
    </Box>
  );
}

function Models() {
  const { t } = useTranslation('account');
  const { data: models = [] } = useListUsableModelsQuery();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? models : models.slice(0, shownModels);
  const copy = async (model: string): Promise<void> => {
    if (await copyText(model)) toast('success', t('profile.copied', { text: model }));
  };
  if (models.length === 0) return null;
  return (
    <Box component="section" aria-label={t('profile.models')} sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap', alignItems: 'center' }}>
      <Box component="span" sx={{ fontSize: 12.5, color: 'text.secondary', mr: 0.5 }}>
        {t('profile.models')}
      </Box>
      {shown.map((model) => (
        <Chip key={model} size="small" variant="outlined" label={model} onClick={() => copy(model)} />
      ))}
      {models.length > shownModels && (
        <Chip
          size="small"
          color="primary"
          variant="outlined"
          label={isWhole ? t('profile.fewer') : t('profile.more', { count: models.length - shownModels })}
          onClick={() => setWhole(!isWhole)}
        />
      )}
    </Box>
  );
}
