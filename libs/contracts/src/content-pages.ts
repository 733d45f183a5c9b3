/** Pages that show what an operator wrote, at addresses that an operator chose. Only they may load from those hosts. */
export type ContentPage = 'home' | 'about' | 'chat';

/** Which of them a path belongs to; undefined for a page of our own. */
export function contentPageOf(path: string): ContentPage | undefined {
  const [, first = ''] = path.split('/');
  if (first === '') return 'home';
  return first === 'about' || first === 'chat' ? first : undefined;
}
