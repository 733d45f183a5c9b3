import { isIP, isIPv6 } from 'node:net';
import { beginOf, type OptionValues } from '@tollgate/contracts';
import { AppError, type Egress, type Logger } from '@tollgate/runtime';
import type { Letter } from './letters.ts';

type SmtpOptions = Pick<
  OptionValues,
  'SMTPServer' | 'SMTPPort' | 'SMTPAccount' | 'SMTPFrom' | 'SMTPToken' | 'SMTPSSLEnabled' | 'SystemName'
>;

export interface Mailer {
  /** Throws `mail_not_set_up` while the options lack what is needed. */
  check(): void;
  /** Hands a letter to the mail server of the options. Throws `mail_not_set_up`, or `mail_refused` with a reason. */
  send(to: string, letter: Letter): Promise<void>;
}

/** In all, so that whoever asked for a test mail still hears of it. */
const longestMs = 10_000;

/** `egress`: by which the mail server is reached, whose address is checked and pinned as that of any other service of the operator. */
export function createMailer(
  options: () => SmtpOptions,
  { log, egress }: { log: Logger; egress: Pick<Egress, 'check' | 'lookup'> },
): Mailer {
  function checked(): SmtpOptions & { sender: string } {
    const values = options();
    const sender = values.SMTPFrom || values.SMTPAccount;
    if (values.SMTPServer === '') throw new AppError('mail_not_set_up', { needed: 'SMTPServer' });
    if (sender === '') throw new AppError('mail_not_set_up', { needed: 'SMTPAccount' });
    return { ...values, sender };
  }

  return {
    check: () => void checked(),
    async send(to, { subject, text, html }) {
      const { sender, ...values } = checked();
      const { createTransport } = await import('nodemailer'); // only who mails has to load it
      let transport: ReturnType<typeof createTransport> | undefined;
      const handOver = async () => {
        transport = createTransport(connectionOf(values, await checkedAddress(values.SMTPServer, egress)));
        const from = { name: values.SystemName, address: sender };
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html });
      };
      const sent = handOver();
      sent.catch(() => {}); // handled below, unless the time is over first
      try {
        await withinTime(sent);
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        log.warn({ code, responseCode, host: values.SMTPServer }, 'a mail could not be sent');
        throw new AppError('mail_refused', { reason: reasonOf(error) }, { cause: error });
      } finally {
        transport?.close();
      }
    },
  };
}

/** An address of the mail server that may be connected to. Throws: AppError `egress_refused`, or why its name cannot be resolved. */
export async function checkedAddress(server: string, egress: Pick<Egress, 'check' | 'lookup'>): Promise<string> {
  const host = server.trim().replace(/^\[|\]$/g, '');
  const { hostname } = egress.check(`http://${isIPv6(host) ? `[${host}]` : host}`);
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return literal;
  return new Promise((resolve, reject) => {
    egress.lookup(literal, {}, (error, address) => (error ? reject(error) : resolve(String(address))));
  });
}

/** Port 465 speaks TLS from the first byte, others when the server offers it. Certificates are checked. */
function connectionOf({ SMTPServer, SMTPPort, SMTPAccount, SMTPToken, SMTPSSLEnabled }: SmtpOptions, address: string) {
  return {
    host: address,
    ...(isIP(SMTPServer) === 0 && { tls: { servername: SMTPServer } }),
    port: SMTPPort,
    secure: SMTPSSLEnabled || SMTPPort === 465,
    ...(SMTPAccount !== '' && SMTPToken !== '' && { auth: { user: SMTPAccount, pass: SMTPToken } }),
    ...(wantsLogin(SMTPServer, SMTPAccount) && { authMethod: 'LOGIN' }),
    connectionTimeout: longestMs,
    greetingTimeout: longestMs,
    socketTimeout: longestMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Microsoft's servers offer PLAIN and refuse it. */
function wantsLogin(server: string, account: string): boolean {
  return server === 'smtp.azurecomm.net' || /outlook|onmicrosoft/.test(account);
}

async function withinTime(sent: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('the mail took too long'), { code: 'ETIMEDOUT' })), longestMs);
  });
  await Promise.race([sent, late]).finally(() => clearTimeout(timer));
}

/** For root, who sets the server up: what it said, cut. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError && error.code === 'egress_refused') return refusedReason(error);
  const { code, response } = error as { code?: string; response?: string };
  if (code === 'ETIMEDOUT') return 'the mail server did not answer in time';
  if (code === 'EAUTH') return 'the mail server refused the account or its password';
  if (response) return beginOf(response, 200);
  return 'the mail server cannot be reached';
}

/** Without the address, which callers who asked for a mail need not see. */
function refusedReason({ details }: AppError): string {
  return `the mail server is in a private range; allow it with ${String(details.setting)}`;
}
