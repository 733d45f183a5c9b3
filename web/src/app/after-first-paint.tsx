import { ToastStack } from '../shared/ui/toast-stack.tsx';
import { useKeptFocus } from './kept-focus.ts';

/** What every page has, and none needs to be seen. */
export function AfterFirstPaint() {
  useKeptFocus();
  return <ToastStack />;
}
