// Before the first paint: who chose dark sees no white flash. The key is that of theme.ts.
(() => {
  let mode;
  try {
    mode = localStorage.getItem('theme-mode');
  } catch {
    // blocked: follow the system
  }
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-theme', dark ? 'dark' : 'light');

  const sayThatItFailed = () => {
    const root = document.getElementById('root');
    if (!root || root.childElementCount > 0) return;
    const isChinese = /^zh/i.test(navigator.language);
    const text = document.createElement('p');
    text.textContent = isChinese ? '页面无法加载：无法连接到服务器。' : 'The page could not be loaded: the server cannot be reached.';
    const button = document.createElement('button');
    button.textContent = isChinese ? '重新加载' : 'Reload';
    button.onclick = () => location.reload();
    root.setAttribute('role', 'alert');
    root.style = 'padding: 15vh 24px; text-align: center; font: 15px system-ui, sans-serif';
    root.append(text, button);
  };
  addEventListener('unstartable', sayThatItFailed);
  // Of the entry and its imports; errors of elements do not bubble.
  addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && sayThatItFailed(), true);
})();
