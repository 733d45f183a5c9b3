import BlockRounded from '@mui/icons-material/BlockRounded';
import CheckCircleOutlineRounded from '@mui/icons-material/CheckCircleOutlineRounded';
import ErrorOutlineRounded from '@mui/icons-material/ErrorOutlineRounded';
import InfoOutlined from '@mui/icons-material/InfoOutlined';
import RemoveCircleOutlineRounded from '@mui/icons-material/RemoveCircleOutlineRounded';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import type { Tone } from '../format.ts';

const Root = styled('span', { shouldForwardProp: (name) => name !== 'tone' })<{ tone: Tone }>(({ theme, tone }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 5,
  whiteSpace: 'nowrap',
  verticalAlign: 'middle',
  // What is as it should be keeps still: only its icon is coloured.
  color: tone === 'neutral' || tone === 'success' ? 'inherit' : theme.vars?.palette[tone].main,
  '& svg': { fontSize: 15, color: tone === 'neutral' ? theme.vars?.palette.text.disabled : theme.vars?.palette[tone].main },
}));

const icons = {
  success: CheckCircleOutlineRounded,
  info: InfoOutlined,
  warning: ErrorOutlineRounded,
  error: BlockRounded,
  neutral: RemoveCircleOutlineRounded,
} satisfies Record<Tone, unknown>;

/** A state as icon, word and colour, so that none of the three is needed to read it. */
export function StatusTag({ tone, label, hint }: { tone: Tone; label: string; hint?: string | undefined }) {
  const Icon = icons[tone];
  const tag = (
    <Root tone={tone} {...(hint ? { tabIndex: 0 } : {})}>
      <Icon aria-hidden />
      {label}
    </Root>
  );
  return hint ? (
    <Tooltip title={hint} placement="right">
      {tag}
    </Tooltip>
  ) : (
    tag
  );
}
