import FormHelperText from '@mui/material/FormHelperText';
import Skeleton from '@mui/material/Skeleton';
import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { MomentPickerProps } from './moment-picker.tsx';

const MomentPicker = lazyPart(async () => (await import('./moment-picker.tsx')).MomentPicker, { suspends: true });

/** The field for a moment. Its calendar is heavy and comes when the first one is shown; until then its place is kept. */
export function MomentField(props: MomentPickerProps) {
  return (
    <Suspense
      fallback={
        <div>
          <Skeleton variant="rounded" height={40} />
          {props.note && <FormHelperText>{props.note}</FormHelperText>}
        </div>
      }
    >
      <MomentPicker {...props} />
    </Suspense>
  );
}
