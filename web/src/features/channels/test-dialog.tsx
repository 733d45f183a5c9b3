import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { formatSeconds, namesIn } from '../../shared/format.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { TestHistory } from './test-history.tsx';
import { useChannelTest } from './use-channel-test.ts';

interface Outcome {
  severity: 'success' | 'error';
  text: string;
}

/** Tests a channel with one of its models, and stays open for the next. */
export function TestDialog({ channel, onClose }: { channel: ChannelView; onClose: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [test, isTesting] = useChannelTest(channel.id);
  const models = namesIn(`${channel.test_model ?? ''},${channel.models}`);
  const [model, setModel] = useState(models[0] ?? '');
  const [outcome, setOutcome] = useState<Outcome>();

  const run = async (): Promise<void> => {
    setOutcome(undefined);
    const { data, error } = await test(model);
    setOutcome(
      error
        ? { severity: 'error', text: t('test.failed', { name: model, reason: messageOf(error) }) }
        : { severity: 'success', text: t('test.passed', { name: model, time: formatSeconds(data.time) }) },
    );
  };

  const choiceTexts = useChoiceTexts();
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="test-title" transitionDuration={80}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <DialogTitle id="test-title">{t('test.title', { name: channel.name })}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          <Autocomplete
            {...choiceTexts}
            size="small"
            disableClearable
            autoHighlight
            options={[...new Set(models)]}
            value={model}
            onChange={(_event, next) => setModel(next)}
            slotProps={{ listbox: { sx: { fontSize: 13, maxHeight: 320 } } }}
            renderInput={(params) => <TextField {...params} autoFocus label={t('filters.model')} />}
          />
          <TestHistory channelId={channel.id} testedAt={channel.test_time} />
          {outcome && (
            <Alert severity={outcome.severity} sx={{ overflowWrap: 'anywhere' }}>
              {outcome.text}
            </Alert>
          )}
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={onClose}>
            {t('shared:close')}
          </Button>
          <Button type="submit" variant="contained" loading={isTesting}>
            {t('test.run')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
