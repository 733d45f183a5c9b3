/** Told apart in both themes and by people who see colours differently; the last one is for all the rest. */
const hues = ['#2b8a80', '#d08a2e', '#5b7fc7', '#c2564b', '#7a9e3f', '#9a6bb5', '#3ba3c4', '#b86a93'];
const rest = '#8b9694';

export function colorOf(place: number, key: string): string {
  return key === '' ? rest : (hues[place % hues.length] ?? rest);
}
