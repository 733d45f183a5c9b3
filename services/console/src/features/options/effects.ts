import { isDeepStrictEqual } from 'node:util';
import { type Language, type OptionKey, type OptionValues, optionValue } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import { Channel, Token, User } from '@tollgate/db';
import { pricesFrom, pricesOf } from '@tollgate/pricing';
import type { Context } from '../../context.ts';
import { Refusal } from '../../http/answer.ts';
import { idFields, providerNames } from '../third-party/provider.ts';
import { catalogPriceChanges } from './catalog-prices.ts';

type Words = Record<Language, string>;
type Tables = ReturnType<typeof pricesFrom>;

/** Options as they are, and as they would be. */
interface Change {
  before: OptionValues;
  after: OptionValues;
}

/** Throws `confirmation_needed` with what a change would take from users, tokens and channels; nothing where it takes nothing. */
export async function refuseUnconfirmedEffects(
  { options, offered }: Pick<Context, 'options' | 'offered'>,
  texts: ReadonlyMap<OptionKey, string | undefined>,
  language: Language,
): Promise<void> {
  const before = options.values;
  const after = { ...before, ...Object.fromEntries([...texts].map(([key, text]) => [key, optionValue(key, text)])) };
  const change = { before, after };
  const found = await Promise.all([goneGroups(change), goneChoices(change), goneTopupRatios(change), goneWays(change)]);
  const models = [...(await offered.read()).keys()];
  const effects = [...found.flat(), ...gonePrices(change, models), ...catalogPriceChanges(change, models)].map((words) => words[language]);
  if (effects.length > 0) throw new Refusal('confirmation_needed', { effects: effects.join('; ') }, { effects });
}

function goneFrom(before: object, after: object): string[] {
  return Object.keys(before).filter((name) => !Object.hasOwn(after, name));
}

/** A group without a ratio is charged at 1. */
async function goneGroups({ before, after }: Change): Promise<Words[]> {
  const all = await Promise.all(
    goneFrom(before.GroupRatio, after.GroupRatio).map(async (group) => {
      const [users, tokens, channels] = await Promise.all([
        User.countDocuments({ group, deletedAt: null }),
        Token.countDocuments({ group, deletedAt: null }),
        Channel.countDocuments({ groups: group }),
      ]);
      const ratio = before.GroupRatio[group];
      if (users + tokens + channels === 0) return [];
      return {
        en: `group ${group} is used by ${users} users, ${tokens} tokens and ${channels} channels, and would be charged at ratio 1 instead of ${ratio}`,
        zh: `分组 ${group} 正被 ${users} 个用户、${tokens} 个令牌和 ${channels} 个渠道使用，倍率将由 ${ratio} 变为 1`,
      };
    }),
  );
  return all.flat();
}

/** A token keeps working in the group of its owner, whatever others may choose. */
async function goneChoices({ before, after }: Change): Promise<Words[]> {
  const all = await Promise.all(
    goneFrom(before.UserUsableGroups, after.UserUsableGroups).map(async (group) => {
      const owners = await Token.distinct('userId', { group, deletedAt: null });
      const userId = { $in: await User.distinct('id', { id: { $in: owners }, group: { $ne: group } }) };
      const tokens = await Token.countDocuments({ group, deletedAt: null, userId });
      if (tokens === 0) return [];
      return {
        en: `${tokens} tokens use group ${group}, which their owners could no longer choose`,
        zh: `${tokens} 个令牌正在使用分组 ${group}，其用户将无法再选择该分组`,
      };
    }),
  );
  return all.flat();
}

async function goneTopupRatios({ before, after }: Change): Promise<Words[]> {
  const gone = goneFrom(before.TopupGroupRatio, after.TopupGroupRatio).filter((group) => (before.TopupGroupRatio[group] || 1) !== 1);
  const all = await Promise.all(
    gone.map(async (group) => {
      const users = await User.countDocuments({ group, deletedAt: null });
      const ratio = before.TopupGroupRatio[group];
      if (users === 0) return [];
      return {
        en: `${users} users in group ${group} would top up at ratio 1 instead of ${ratio}`,
        zh: `分组 ${group} 的 ${users} 个用户的充值倍率将由 ${ratio} 变为 1`,
      };
    }),
  );
  return all.flat();
}

const ways = {
  GitHubOAuthEnabled: 'github',
  LinuxDOOAuthEnabled: 'linuxdo',
  WeChatAuthEnabled: 'wechat',
  TelegramOAuthEnabled: 'telegram',
  OIDCEnabled: 'oidc',
} as const;

/** Accounts whose only way to sign in is switched off; passkeys are not counted. */
async function goneWays({ before, after }: Change): Promise<Words[]> {
  const keys = Object.keys(ways) as (keyof typeof ways)[];
  const all = await Promise.all(
    keys
      .filter((key) => before[key] && !after[key])
      .map(async (key) => {
        const [field, name] = [idFields[ways[key]], providerNames[ways[key]]];
        const others = ['passwordHash', ...Object.values(idFields)]
          .filter((each) => each !== field)
          .map((each) => ({ [each]: { $in: ['', null] } }));
        const users = await User.countDocuments({ deletedAt: null, [field]: { $gt: '' }, $and: others });
        if (users === 0) return [];
        return {
          en: `${users} accounts can sign in by ${name} only`,
          zh: `${users} 个账号只能通过 ${name} 登录`,
        };
      }),
  );
  return all.flat();
}

/** Prices that go: to none, so that calls are refused, or to the one of another source. */
function gonePrices({ before, after }: Change, models: readonly string[]): Words[] {
  const asked = { group: '', atMs: Date.now() };
  if (before.ModelCatalog !== after.ModelCatalog) return []; // `catalogPriceChanges` names these
  const [had, has] = [before, after].map((options) => pricesFrom(options, factsOf)) as [Tables, Tables];
  const gone: string[] = [];
  const others: string[] = [];
  for (const model of models) {
    const [then, now] = [pricesOf(model, asked, had), pricesOf(model, asked, has)];
    if (then && !now) gone.push(model);
    else if (then && now && then.origin !== now.origin && now.origin !== 'operator' && !isDeepStrictEqual(then.ordinary, now.ordinary))
      others.push(model);
  }
  return [
    ...(gone.length > 0
      ? [
          {
            en: `${gone.length} models that channels offer would have no price and be refused: ${some(gone)}`,
            zh: `${gone.length} 个渠道正在提供的模型将没有价格并被拒绝：${some(gone)}`,
          },
        ]
      : []),
    ...(others.length > 0
      ? [
          {
            en: `${others.length} models that channels offer would have another price: ${some(others)}`,
            zh: `${others.length} 个渠道正在提供的模型的价格将改变：${some(others)}`,
          },
        ]
      : []),
  ];
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}
