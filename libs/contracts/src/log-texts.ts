/** What log rows say that are no calls. Rows keep the code and the values; the words are put together in the reader's language. */
export const logTexts = {
  first_quota: { en: 'First quota of the super administrator', zh: '超级管理员初始额度' },
  new_user_gift: { en: 'New user gift: {quota} quota', zh: '新用户注册赠送 {quota} 额度' },
  code_redeemed: { en: 'Redeemed {quota} quota with code {id}', zh: '通过兑换码充值 {quota} 额度，兑换码 ID {id}' },
  invitee_gift: { en: 'Gift for a new user who was invited: {quota} quota', zh: '使用邀请码赠送 {quota} 额度' },
  inviter_gift: { en: 'Earned by inviting {username}: {quota} quota', zh: '邀请用户 {username} 赠送 {quota} 额度' },
  invite_transfer: { en: 'Earnings of invitations moved to the balance: {quota} quota', zh: '邀请奖励划转到余额：{quota} 额度' },
  order_paid: { en: 'Topped up {quota} quota, paid {money} {currency}', zh: '在线充值 {quota} 额度，支付金额 {money} {currency}' },
  order_refunded: { en: 'Refunded {money} {currency}: {quota} quota taken back', zh: '退款 {money} {currency}，扣回 {quota} 额度' },
  dispute_won: { en: 'A dispute was won: {quota} quota given again', zh: '支付争议胜诉，返还 {quota} 额度' },
  refund_failed: { en: 'A refund failed: {quota} quota given again', zh: '退款失败，返还 {quota} 额度' },
  quota_changed: { en: 'Quota changed by {actor}: {change}', zh: '管理员 {actor} 变更用户额度：{change}' },
  balance_imported: { en: 'Balance imported from {source}: {quota} quota', zh: '从 {source} 导入余额：{quota} 额度' },
  usage_imported: {
    en: 'Usage of {model} in {month}, imported from {source}: {calls} calls, {prompt} prompt tokens, {completion} completion tokens, {quota} quota',
    zh: '从 {source} 导入的 {month} {model} 用量：调用 {calls} 次，提示 {prompt} Token，补全 {completion} Token，{quota} 额度',
  },
  task_refunded: { en: 'Task {id} failed: {quota} quota given back', zh: '任务 {id} 失败，退还 {quota} 额度' },
} as const;

export interface LogText {
  code: keyof typeof logTexts;
  values: Record<string, string | number>;
}
