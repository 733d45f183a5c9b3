import type { TelegramQuery } from '@tollgate/contracts/api/third-party';

/** https://core.telegram.org/widgets/login */
const script = 'https://telegram.org/js/telegram-widget.js?22';

interface TelegramLogin {
  auth(options: { bot_id: number; lang?: string }, answer: (user: Record<string, string | number> | false) => void): void;
}

declare global {
  interface Window {
    Telegram?: { Login: TelegramLogin };
  }
}

let coming: Promise<void> | undefined;

/** Telegram's script, loaded once. Its function is called by us: its own button would run a text as code, which our pages forbid. */
function load(): Promise<void> {
  coming ??= new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = script;
    element.async = true;
    element.onload = () => resolve();
    element.onerror = () => {
      coming = undefined;
      element.remove();
      reject(new Error('telegram.org'));
    };
    document.head.append(element);
  });
  return coming;
}

/** Who somebody is at Telegram, signed by it; undefined when they do not want to say. */
export async function askTelegram(botId: number): Promise<TelegramQuery | undefined> {
  await load();
  return new Promise((resolve) => {
    window.Telegram?.Login.auth({ bot_id: botId }, (user) => {
      if (!user) return resolve(undefined);
      resolve(Object.fromEntries(Object.entries(user).map(([name, value]) => [name, String(value)])) as unknown as TelegramQuery);
    });
  });
}
