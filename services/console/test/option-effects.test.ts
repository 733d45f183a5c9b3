import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type OptionKey, type OptionValues, optionKeys, optionValues } from '@tollgate/contracts';
import { maxOutputOf, pricesFrom, pricesOf } from '@tollgate/pricing';
import { createEgress, createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import { gatewayOf } from '../src/features/orders/epay.ts';
import { statusView } from '../src/features/status/views.ts';
import { createMailer } from '../src/mail/mailer.ts';

const quiet = createLogger({ service: 'console', level: 'silent' });
const local = createEgress({ allow: ['127.0.0.0/8'] });

/** A test that shows the effect, of whichever suite: the room whose tests have it, and words of its title. */
type Shown = [room: string, title: string];
/** With this value something becomes of the options that does not without it. */
type Made = [value: string, of: (values: OptionValues) => unknown, besides?: Partial<Record<OptionKey, string>>];

const relay = (title: string): Shown => ['services/relay', title];
const console = (title: string): Shown => ['services/console', title];
const told = (value: string): Made => [value, (values) => statusView(values, 0)];
const priceOf = (value: string, model = 'gpt-4o', besides = {}): Made => [
  value,
  (values) => pricesOf(model, { group: 'default', atMs: 0 }, pricesFrom(values)),
  besides,
];
const epay = { PayAddress: 'https://pay.example', EpayId: '1', EpayKey: 'key', ServerAddress: 'https://site.example' };

const drawingOptions = relay('does what its options say');
const inviting = console('gives what new, invited and inviting people get');
const order = console('is off while anything of the gateway is missing');
const stripe = console('is not offered without its secrets');
const mails = console('fails in words when the server is away or refuses');
const limits = relay('limits requests per user as the options say');
const limitsOfKinds = relay('two calls pass, the third is told which limit');
const everybodysUsage = console('usage up again when the interval is over, and none while the dashboard is off');
const oidc = console('asks with PKCE, a nonce and a state');
const pages = (title: string): Shown => ['web', title];

/** What shows for each option that it has effect: one without a proof does not compile, nor pass. */
const proofs: Record<OptionKey, Shown | Made> = {
  TopUpLink: told('https://shop.example'),
  ChatLink: told('https://chat.example'),
  ChatLink2: told('https://other.example'),
  QuotaPerUnit: console('counts in quota where the site shows no currency'),
  RetryTimes: relay('stops after as many retries as the option says'),
  DisplayInCurrencyEnabled: console('counts in quota where the site shows no currency'),
  DisplayTokenStatEnabled: relay('shows what its owner has where the option says so'),
  DefaultCollapseSidebar: told('true'),
  DemoSiteEnabled: told('true'),
  DrawingEnabled: drawingOptions,
  TaskEnabled: told('false'),
  MjNotifyEnabled: relay('gives a callback address of its own to each task'),
  MjAccountFilterEnabled: drawingOptions,
  MjForwardUrlEnabled: console('lead to their pictures through this server while that is on'),
  MjModeClearEnabled: drawingOptions,
  MjActionCheckSuccessEnabled: drawingOptions,
  StoreResponsesEnabled: relay('are forbidden by an option'),
  StoredResponseDays: relay('give way to newer ones beyond what a user may store, and go after some days'),
  StoredResponseMegabytes: relay('give way to newer ones beyond what a user may store, and go after some days'),
  CheckSensitiveEnabled: relay('or the check of words is'),
  CheckSensitiveOnPromptEnabled: relay('look for words in prompts and in answers, as their switches say'),
  StopOnSensitiveEnabled: relay('is let through while StopOnSensitiveEnabled is off'),
  SensitiveWords: relay('stops a stream at once'),
  LogConsumeEnabled: ['services/billing', 'keeps a hidden row of each call while logging is off'],
  LogRetentionDays: console('are kept for as many days as the option says'),
  ErrorLogRetentionDays: console('keep failed calls for as many days as their own option says'),
  DataExportEnabled: everybodysUsage,
  DataExportInterval: everybodysUsage,
  DataExportDefaultTime: told('week'),
  ChannelDisableThreshold: console('tell root when a channel goes off and on by a rule'),
  QuotaRemindThreshold: console('by the site’s own threshold'),
  AutomaticDisableChannelEnabled: console('of all channels runs once at a time, and obeys the switches'),
  AutomaticEnableChannelEnabled: console('of all channels runs once at a time, and obeys the switches'),
  AutomaticDisableKeywords: console('a channel that needs a person is taken out of service'),
  QuotaForNewUser: inviting,
  PreConsumedQuota: relay('hold as much more of a stream as PreConsumedQuota says'),
  UnknownMaxOutputTokens: relay('is walked for the longest answer once a change'),
  RunIdHeaders: relay('are named in metadata, too, and by headers that the operator sets'),
  QuotaForInviter: inviting,
  QuotaForInvitee: inviting,
  MaxUsageTokens: relay('is replaced by our own count'),
  Chats: told('[{"Mine":"https://chat.example"}]'),
  GroupRatio: priceOf('{"default":3}'),
  UserUsableGroups: relay('keeps a token to its models and to groups that its owner may use'),
  ModelPrice: priceOf('{"gpt-4o":3}'),
  ModelRatio: priceOf('{"gpt-4o":99}'),
  CompletionRatio: priceOf('{"my-model":7}', 'my-model', { ModelRatio: '{"my-model":1}' }),
  CacheRatio: priceOf('{"gpt-4o":0.77}'),
  AudioCacheRatio: priceOf('{"gpt-4o":0.77}'),
  CreateCacheRatio: priceOf('{"my-model":7}', 'my-model', { ModelRatio: '{"my-model":1}' }),
  ModelMaxOutput: ['{"my-model":77}', ({ ModelMaxOutput: own }) => maxOutputOf('my-model', { own, table: {}, listed: () => undefined })],
  ModelCatalog: relay('a catalog that root uploads prices and rules a model'),
  CatalogSources: console('reads its sources by schedule, the first one that lists a model decides'),
  CatalogPins: console('leaves pinned models alone, and takes a pinned source'),
  CatalogSyncHours: console('reads its sources by schedule, the first one that lists a model decides'),
  CatalogQuietPercent: console('takes small changes at once and lets others wait for approval'),
  ModelSyncHours: console('proposes what a provider lists otherwise, and changes a channel by one click only'),
  LongContextPrice: relay('a long prompt costs what long prompts cost'),
  RequestFieldRatio: relay('a service tier costs its multiple where the provider knows it'),
  ImageRatio: priceOf('{"gpt-4o":7}'),
  ImageCompletionRatio: priceOf('{"gpt-4o":7}'),
  AudioRatio: priceOf('{"gpt-4o":7}'),
  AudioCompletionRatio: priceOf('{"gpt-4o":7}'),
  PictureRatio: relay('charges each picture by size and quality'),
  PiecePrice: relay('charges characters'),
  SelfUseModeEnabled: priceOf('true', 'nobody-knows'),
  UnpricedModelRatio: priceOf('9', 'nobody-knows', { SelfUseModeEnabled: 'true' }),
  ModelRequestRateLimitEnabled: limits,
  ModelRequestRateLimitDurationMinutes: relay('a limit of seven lets seven through'),
  ModelRequestRateLimitCount: limits,
  ModelRequestRateLimitSuccessCount: limits,
  UserLimits: relay('count calls that fail, that their callers leave'),
  GroupLimits: limitsOfKinds,
  ModelLimits: limitsOfKinds,
  LimitShadowEnabled: relay('that are only watched refuse nothing'),
  ServerAddress: told('https://site.example'),
  FormerServerAddress: console('cannot lock out whoever changes the server address'),
  WorkerUrl: relay('are fetched by the worker, in its words and with its key'),
  WorkerValidKey: relay('are fetched by the worker, in its words and with its key'),
  PayAddress: order,
  CustomCallbackAddress: ['https://calls.example', (values) => gatewayOf(values)?.callback, epay],
  EpayId: order,
  EpayKey: order,
  StripeSecretKey: stripe,
  StripeWebhookSecret: stripe,
  StripePrice: console('is asked for a page that costs what the order says'),
  Price: console('costs dollars times price times the ratio of the group'),
  MinTopUp: told('77'),
  TopupGroupRatio: console('costs dollars times price times the ratio of the group'),
  PasswordLoginEnabled: console('says so when an administrator has switched passwords off'),
  PasswordRegisterEnabled: console('obeys the switches'),
  RegisterEnabled: console('obeys the switches'),
  EmailVerificationEnabled: console('is proven by a mailed code'),
  GitHubOAuthEnabled: console('obeys the switches of the site'),
  LinuxDOOAuthEnabled: console('obeys the switches of the site'),
  WeChatAuthEnabled: console('lets in by a code of the official account'),
  TelegramOAuthEnabled: console('only while the providers that have them are on'),
  OIDCEnabled: console('says when the provider is away or switched off'),
  TurnstileCheckEnabled: console('asks for a solved Turnstile while the option is on'),
  EmailDomainRestrictionEnabled: console('must be one that the site wants'),
  EmailAliasRestrictionEnabled: console('must be one that the site wants'),
  EmailDomainWhitelist: console('must be one that the site wants'),
  SMTPServer: mails,
  SMTPPort: mails,
  SMTPAccount: mails,
  SMTPFrom: ['me@site.example', canSend, { SMTPServer: 'mail.site.example' }],
  SMTPToken: console('keeps its password to itself'),
  SMTPSSLEnabled: console('is TLS from the first byte'),
  GitHubAddress: console('begins at the page of the provider'),
  GitHubClientId: console('begins at the page of the provider'),
  GitHubClientSecret: console('registers whoever is new'),
  LinuxDOAddress: console('begins at the page of the provider'),
  LinuxDOMinimumTrustLevel: console('asks LinuxDO’s members for the trust level that root wants'),
  LinuxDOClientId: console('begins at the page of the provider'),
  LinuxDOClientSecret: console('registers whoever is new'),
  WeChatServerAddress: console('lets in by a code of the official account'),
  WeChatServerToken: console('lets in by a code of the official account'),
  WeChatAccountQRCodeImageURL: told('https://site.example/code.png'),
  TelegramBotToken: console('is believed when it is signed by our bot'),
  TelegramBotName: told('our_bot'),
  OIDCIssuer: oidc,
  OIDCClientId: oidc,
  OIDCClientSecret: oidc,
  OIDCName: told('Our house'),
  OIDCScopes: oidc,
  OIDCGroupClaim: oidc,
  OIDCGroupMap: oidc,
  TurnstileSiteKey: told('site-key'),
  TurnstileSecretKey: console('asks for a solved Turnstile while the option is on'),
  Notice: console('take effect at once and stay over a restart'),
  SystemName: console('take effect at once and stay over a restart'),
  Logo: told('https://site.example/logo.png'),
  HomePageContent: pages('is called what the administrator calls it, and shows what they wrote'),
  About: pages('keeps the administrator’s HTML in a frame where nothing can run'),
  Footer: told('<b>Footer</b>'),
};

/** Whether mail can be sent with these options. */
function canSend(values: OptionValues): boolean {
  try {
    createMailer(() => values, { log: quiet, egress: local }).check();
    return true;
  } catch {
    return false;
  }
}

/** All tests of a folder as one text, without the table above. */
function textOfTests(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .map((text) => text.slice(Math.max(0, text.indexOf("describe('every option'"))))
    .join('\n');
}

describe('every option', () => {
  const root = join(import.meta.dirname, '../../..');
  const rooms = new Map<string, string>();
  const testsOf = (room: string): string => {
    const text = rooms.get(room) ?? textOfTests(join(root, room, 'test'));
    rooms.set(room, text);
    return text;
  };

  it('has a proof of its effect', () => {
    expect(Object.keys(proofs)).to.have.members(optionKeys);
  });

  for (const key of optionKeys) {
    const proof = proofs[key];
    it(`${key} has effect`, () => {
      const [first, second, besides = {}] = proof as Made;
      if (typeof second === 'string')
        return expect(testsOf(first).includes(second), `a test of ${first} shows it: ${second}`).to.equal(true);
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
    const mailer = createMailer(() => values, { log: quiet, egress: local });
    const sent = mailer.send('you@site.example', { subject: 's', text: 't', html: 't' }).catch((error: unknown) => error);
    const handshake = 0x16;
    expect(await first).to.equal(handshake);
    expect(await sent).to.be.an('error');
    server.close();
  });

  it('reaches a mail server by a private address only where the setting allows it', async () => {
    const closed = createEgress({ allow: [], setting: 'EGRESS_ALLOW_SERVICES' });
    const hosts = ['169.254.169.254', '127.0.0.1', '::1', '[::ffff:169.254.169.254]', '2852039166', '0xa9fea9fe', 'localhost', '[fd00::1]'];
    for (const SMTPServer of hosts) {
      const values = { ...optionValues(new Map()), SMTPServer, SMTPPort: 9, SMTPAccount: 'me@site.example' };
      const sent = createMailer(() => values, { log: quiet, egress: closed }).send('you@site.example', {
        subject: 's',
        text: 't',
        html: 't',
      });
      const error = await sent.catch((cause: Error) => cause);
      expect(String(error), SMTPServer).to.contain('in a private range; allow it with EGRESS_ALLOW_SERVICES');
      expect(String(error)).not.to.contain(SMTPServer);
    }
    const values = { ...optionValues(new Map()), SMTPServer: 'localhost', SMTPPort: 9, SMTPAccount: 'me@site.example' };
    const open = createEgress({ allow: ['localhost'] });
    const error = await createMailer(() => values, { log: quiet, egress: open })
      .send('you@site.example', { subject: 's', text: 't', html: 't' })
      .catch((cause: Error) => cause);
    expect(String(error)).to.contain('cannot be reached');
    await Promise.all([closed.close(), open.close()]);
  });
});
