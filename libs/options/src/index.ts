export { type OptionStore, openOptions } from './store.ts';
export { type OptionWatch, watchOptions } from './watch.ts';
