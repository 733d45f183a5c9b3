import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type OptionKey, type OptionValues, optionKeys, optionValues } from '@tollgate/contracts';
import { maxOutputOf, pricesFrom, pricesOf } from '@tollgate/pricing';
import { createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import { gatewayOf } from '../src/features/orders/epay.ts';
import { statusView } from '../src/features/status/views.ts';
import { createMailer } from '../src/mail/mailer.ts';

/** A test that shows the effect, of whichever suite: its file, and words of its title. */
type Shown = [file: string, title: string];
/** With this value something becomes of the options that does not without it. */
type Made = [value: string, of: (values: OptionValues) => unknown, besides?: Partial<Record<OptionKey, string>>];

const relay = (file: string, title: string): Shown => [`services/relay/test/${file}.test.ts`, title];
const console = (file: string, title: string): Shown => [`services/console/test/${file}.test.ts`, title];
const told = (value: string): Made => [value, (values) => statusView(values, 0)];
const priceOf = (value: string, model = 'gpt-4o', besides = {}): Made => [
  value,
  (values) => pricesOf(model, 'default', pricesFrom(values)),
  besides,
];
const epay = { PayAddress: 'https://pay.example', EpayId: '1', EpayKey: 'key', ServerAddress: 'https://site.example' };

const drawingOptions = relay('drawings', 'does what its options say');
const inviting = console('ways-in', 'gives what new, invited and inviting people get');
const order = console('orders', 'is off while anything of the gateway is missing');
const stripe = console('stripe', 'is not offered without its secrets');
const thirdParties = (title: string): Shown => console('third-parties', title);
const mails = console('ways-in', 'fails in words when the server is away or refuses');
const limits = relay('doors', 'limits requests per user as the options say');
const oidc = console('oidc', 'asks with PKCE, a nonce and a state');
const pages = (title: string): Shown => ['web/test/public-pages.test.ts', title];

/** What shows for each option that it has effect: one without a proof does not compile, nor pass. */
const proofs: Record<OptionKey, Shown | Made> = {
  TopUpLink: told('https://shop.example'),
  ChatLink: told('https://chat.example'),
  ChatLink2: told('https://other.example'),
  QuotaPerUnit: console('orders', 'counts in quota where the site shows no currency'),
  RetryTimes: relay('routing', 'stops after as many retries as the option says'),
  DisplayInCurrencyEnabled: console('orders', 'counts in quota where the site shows no currency'),
  DisplayTokenStatEnabled: relay('doors', 'shows what its owner has where the option says so'),
  DefaultCollapseSidebar: told('true'),
  DemoSiteEnabled: told('true'),
  DrawingEnabled: drawingOptions,
  TaskEnabled: told('false'),
  MjNotifyEnabled: relay('drawings', 'gives a callback address of its own to each task'),
  MjAccountFilterEnabled: drawingOptions,
  MjForwardUrlEnabled: console('tasks', 'lead to their pictures through this server while that is on'),
  MjModeClearEnabled: drawingOptions,
  MjActionCheckSuccessEnabled: drawingOptions,
  CheckSensitiveEnabled: relay('answer-words', 'or the check of words is'),
  CheckSensitiveOnPromptEnabled: relay('settings', 'look for words in prompts and in answers, as their switches say'),
  StopOnSensitiveEnabled: relay('answer-words', 'is let through while StopOnSensitiveEnabled is off'),
  SensitiveWords: relay('answer-words', 'stops a stream at once'),
  LogConsumeEnabled: ['services/billing/test/settle.test.ts', 'keeps a hidden row of each call while logging is off'],
  LogRetentionDays: console('logs', 'are kept for as many days as the option says'),
  DataExportEnabled: console('logs', 'DataExportEnabled'),
  DataExportInterval: console('logs', 'real() + 6 * 60_000'),
  DataExportDefaultTime: told('week'),
  ChannelDisableThreshold: console('notices', 'tell root when a channel goes off and on by a rule'),
  QuotaRemindThreshold: console('notices', 'by the site’s own threshold'),
  AutomaticDisableChannelEnabled: console('channel-tests', 'of all channels runs once at a time, and obeys the switches'),
  AutomaticEnableChannelEnabled: console('channel-tests', 'of all channels runs once at a time, and obeys the switches'),
  AutomaticDisableKeywords: console('channel-tests', 'a channel that needs a person is taken out of service'),
  QuotaForNewUser: inviting,
  PreConsumedQuota: relay('settings', 'hold as much more of a stream as PreConsumedQuota says'),
  UnknownMaxOutputTokens: relay('channel-table', 'is walked for the longest answer once a change'),
  QuotaForInviter: inviting,
  QuotaForInvitee: inviting,
  MaxUsageTokens: relay('money', 'is replaced by our own count'),
  Chats: told('[{"Mine":"https://chat.example"}]'),
  GroupRatio: priceOf('{"default":3}'),
  UserUsableGroups: relay('credentials', 'keeps a token to its models and to groups that its owner may use'),
  ModelPrice: priceOf('{"gpt-4o":3}'),
  ModelRatio: priceOf('{"gpt-4o":99}'),
  CompletionRatio: priceOf('{"my-model":7}', 'my-model', { ModelRatio: '{"my-model":1}' }),
  CacheRatio: priceOf('{"gpt-4o":0.77}'),
  AudioCacheRatio: priceOf('{"gpt-4o":0.77}'),
  CreateCacheRatio: priceOf('{"my-model":7}', 'my-model', { ModelRatio: '{"my-model":1}' }),
  ModelMaxOutput: ['{"my-model":77}', ({ ModelMaxOutput }) => maxOutputOf('my-model', ModelMaxOutput)],
  LongContextPrice: relay('extras', 'a long prompt costs what long prompts cost'),
  RequestFieldRatio: relay('extras', 'a service tier costs its multiple where the provider knows it'),
  ImageRatio: priceOf('{"gpt-4o":7}'),
  ImageCompletionRatio: priceOf('{"gpt-4o":7}'),
  AudioRatio: priceOf('{"gpt-4o":7}'),
  AudioCompletionRatio: priceOf('{"gpt-4o":7}'),
  PictureRatio: relay('media', 'charges each picture by size and quality'),
  PiecePrice: relay('media', 'charges characters'),
  SelfUseModeEnabled: priceOf('true', 'nobody-knows'),
  UnpricedModelRatio: priceOf('9', 'nobody-knows', { SelfUseModeEnabled: 'true' }),
  ModelRequestRateLimitEnabled: limits,
  ModelRequestRateLimitDurationMinutes: relay('several-relays', 'a limit of seven lets seven through'),
  ModelRequestRateLimitCount: limits,
  ModelRequestRateLimitSuccessCount: limits,
  UserLimits: relay('limits', 'count calls that fail, that their callers leave'),
  GroupLimits: relay('limits', 'GroupLimits: JSON.stringify'),
  ModelLimits: relay('limits', 'ModelLimits: JSON.stringify'),
  LimitShadowEnabled: relay('limits', 'that are only watched refuse nothing'),
  ServerAddress: told('https://site.example'),
  WorkerUrl: relay('channel-settings', 'are fetched by the worker, in its words and with its key'),
  WorkerValidKey: relay('channel-settings', 'are fetched by the worker, in its words and with its key'),
  PayAddress: order,
  CustomCallbackAddress: ['https://calls.example', (values) => gatewayOf(values)?.callback, epay],
  EpayId: order,
  EpayKey: order,
  StripeSecretKey: stripe,
  StripeWebhookSecret: stripe,
  StripePrice: console('stripe', 'is asked for a page that costs what the order says'),
  Price: console('orders', 'costs dollars times price times the ratio of the group'),
  MinTopUp: told('77'),
  TopupGroupRatio: console('orders', 'costs dollars times price times the ratio of the group'),
  PasswordLoginEnabled: console('sign-in', 'says so when an administrator has switched passwords off'),
  PasswordRegisterEnabled: console('ways-in', 'obeys the switches'),
  RegisterEnabled: console('ways-in', 'obeys the switches'),
  EmailVerificationEnabled: console('ways-in', 'is proven by a mailed code'),
  GitHubOAuthEnabled: thirdParties('obeys the switches of the site'),
  LinuxDOOAuthEnabled: thirdParties('obeys the switches of the site'),
  WeChatAuthEnabled: thirdParties('lets in by a code of the official account'),
  TelegramOAuthEnabled: thirdParties('only while the providers that have them are on'),
  OIDCEnabled: console('oidc', 'says when the provider is away or switched off'),
  TurnstileCheckEnabled: console('platform', 'asks for a solved Turnstile while the option is on'),
  EmailDomainRestrictionEnabled: console('ways-in', 'must be one that the site wants'),
  EmailAliasRestrictionEnabled: console('ways-in', 'must be one that the site wants'),
  EmailDomainWhitelist: console('ways-in', 'must be one that the site wants'),
  SMTPServer: mails,
  SMTPPort: mails,
  SMTPAccount: mails,
  SMTPFrom: ['me@site.example', canSend, { SMTPServer: 'mail.site.example' }],
  SMTPToken: console('ways-in', 'keeps its password to itself'),
  SMTPSSLEnabled: console('option-effects', 'is TLS from the first byte'),
  GitHubAddress: thirdParties('begins at the page of the provider'),
  GitHubClientId: thirdParties('begins at the page of the provider'),
  GitHubClientSecret: thirdParties('registers whoever is new'),
  LinuxDOAddress: thirdParties('begins at the page of the provider'),
  LinuxDOMinimumTrustLevel: thirdParties('asks LinuxDO’s members for the trust level that root wants'),
  LinuxDOClientId: thirdParties('begins at the page of the provider'),
  LinuxDOClientSecret: thirdParties('registers whoever is new'),
  WeChatServerAddress: thirdParties('lets in by a code of the official account'),
  WeChatServerToken: thirdParties('lets in by a code of the official account'),
  WeChatAccountQRCodeImageURL: told('https://site.example/code.png'),
  TelegramBotToken: thirdParties('is believed when it is signed by our bot'),
  TelegramBotName: told('our_bot'),
  OIDCIssuer: oidc,
  OIDCClientId: oidc,
  OIDCClientSecret: oidc,
  OIDCName: told('Our house'),
  OIDCScopes: oidc,
  OIDCGroupClaim: console('oidc', 'OIDCGroupClaim'),
  OIDCGroupMap: console('oidc', 'OIDCGroupMap'),
  TurnstileSiteKey: told('site-key'),
  TurnstileSecretKey: console('platform', 'asks for a solved Turnstile while the option is on'),
  Notice: console('options', 'take effect at once and stay over a restart'),
  SystemName: console('options', 'take effect at once and stay over a restart'),
  Logo: told('https://site.example/logo.png'),
  HomePageContent: pages('HomePageContent'),
  About: pages('About'),
  Footer: told('<b>Footer</b>'),
};

/** Whether mail can be sent with these options. */
function canSend(values: OptionValues): boolean {
  try {
    createMailer(() => values, createLogger({ service: 'console', level: 'silent' })).check();
    return true;
  } catch {
    return false;
  }
}

describe('every option', () => {
  const root = join(import.meta.dirname, '../../..');
  const files = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = files.get(file) ?? readFileSync(join(root, file), 'utf8');
    files.set(file, text);
    return text;
  };

  it('has a proof of its effect', () => {
    expect(Object.keys(proofs)).to.have.members(optionKeys);
  });

  for (const key of optionKeys) {
    const proof = proofs[key];
    it(`${key} has effect`, () => {
      const [first, second, besides = {}] = proof as Made;
      if (typeof second === 'string') return expect(textOf(first), `${first} shows it`).to.contain(second);
      const withBesides = Object.entries(besides) as [OptionKey, string][];
      const [without, withIt] = [[], [[key, first] as [OptionKey, string]]].map((more) =>
        second(optionValues(new Map([...withBesides, ...more]))),
      );
      expect(withIt).not.to.deep.equal(without);
    });
  }

  it('of mail is obeyed: with SMTPSSLEnabled what is said is TLS from the first byte', async () => {
    let heard: (byte: number | undefined) => void = () => {};
    const first = new Promise<number | undefined>((resolve) => {
      heard = resolve;
    });
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        heard(bytes[0]);
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const stored = { SMTPServer: '127.0.0.1', SMTPPort: String(port), SMTPAccount: 'me@site.example', SMTPSSLEnabled: 'true' };
    const values = optionValues(new Map(Object.entries(stored) as [OptionKey, string][]));
    const mailer = createMailer(() => values, createLogger({ service: 'console', level: 'silent' }));
    const sent = mailer.send('you@site.example', { subject: 's', text: 't', html: 't' }).catch((error: unknown) => error);
    const handshake = 0x16;
    expect(await first).to.equal(handshake);
    expect(await sent).to.be.an('error');
    server.close();
  });
});
