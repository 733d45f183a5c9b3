// Runs before anything is painted, so that nobody who chose dark sees a white flash. A file, not an inline script: the page's
// content security policy allows no inline code. The keys are those of src/app/theme.ts and src/shared/preferences.ts.
(() => {
  let mode = null;
  try {
    mode = localStorage.getItem('theme-mode');
  } catch {
    // storage is blocked: follow the system
  }
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-theme', dark ? 'dark' : 'light');
})();
