import type { Language } from '@tollgate/contracts';
import { filled, type Notice } from '../notices/words.ts';

/** What a mail says, for those who show HTML and those who do not. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
}

interface Words {
  subject: string;
  lines: string[];
  /** Stands alone and large: what the mail is about. */
  code?: string;
  link?: { address: string; label: string };
}

export function verificationLetter(language: Language, { site, code, minutes }: { site: string; code: string; minutes: number }): Letter {
  const words = {
    en: {
      subject: `${site}: your verification code`,
      lines: [
        `Use this code to confirm your email address at ${site}:`,
        `The code works once and expires in ${minutes} minutes. If you did not request it, ignore this email.`,
      ],
    },
    zh: {
      subject: `${site} 邮箱验证码`,
      lines: [`您正在 ${site} 验证邮箱，验证码为：`, `验证码仅可使用一次，${minutes} 分钟内有效。如非本人操作，请忽略本邮件。`],
    },
  };
  return letter({ ...words[language], code });
}

export function resetLetter(language: Language, { site, address, minutes }: { site: string; address: string; minutes: number }): Letter {
  const words = {
    en: {
      subject: `${site}: reset your password`,
      lines: [
        `A password reset was requested for your account at ${site}. Open this link to reset your password:`,
        `The link works once and expires in ${minutes} minutes. If you did not request it, ignore this email: your password does not change.`,
      ],
      link: { address, label: 'Reset password' },
    },
    zh: {
      subject: `${site} 密码重置`,
      lines: [
        `您正在重置 ${site} 账户的密码，请打开以下链接：`,
        `链接仅可使用一次，${minutes} 分钟内有效。如非本人操作，请忽略本邮件，您的密码不会改变。`,
      ],
      link: { address, label: '重置密码' },
    },
  };
  return letter(words[language]);
}

export function testLetter(language: Language, { site }: { site: string }): Letter {
  const words = {
    en: { subject: `${site}: test email`, lines: [`The email settings of ${site} work.`] },
    zh: { subject: `${site} 测试邮件`, lines: [`${site} 的邮件设置可以正常使用。`] },
  };
  return letter(words[language]);
}

/** A notice has no secret in it: what stands in its values are an address and numbers, or words of an operator. */
export function noticeLetter(notice: Notice, { site }: { site: string }): Letter {
  return letter({ subject: `${site}: ${notice.title}`, lines: filled(notice).split('\n') });
}

function letter({ subject, lines: [first = '', ...rest], code, link }: Words): Letter {
  const middle = code ?? link?.address;
  const shown = code
    ? `<p style="font-size:24px;letter-spacing:4px"><strong>${escaped(code)}</strong></p>`
    : link && `<p><a href="${escaped(link.address)}">${escaped(link.label)}</a></p><p>${escaped(link.address)}</p>`;
  return {
    subject,
    text: [first, ...(middle ? [middle] : []), ...rest].join('\n\n'),
    html: [`<p>${escaped(first)}</p>`, shown ?? '', ...rest.map((line) => `<p>${escaped(line)}</p>`)].join('\n'),
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
