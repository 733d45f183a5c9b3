/** What log rows say that are no calls. Rows keep the code and the values; the words are put together in the reader's language. */
export const logTexts = {
  first_quota: { en: 'First quota of the super administrator', zh: '超级管理员初始额度' },
  new_user_gift: { en: 'New user gift: {quota}', zh: '新用户注册赠送 {quota}' },
  code_redeemed: { en: 'Redeemed {quota} with code {id}', zh: '通过兑换码充值 {quota}，兑换码 ID {id}' },
  invitee_gift: { en: 'Gift for a new user who was invited: {quota}', zh: '使用邀请码赠送 {quota}' },
  inviter_gift: { en: 'Earned by inviting {username}: {quota}', zh: '邀请用户 {username} 赠送 {quota}' },
  invite_transfer: { en: 'Earnings of invitations moved to the quota: {quota}', zh: '邀请奖励划转到余额：{quota}' },
  order_paid: { en: 'Topped up {quota}, paid {money} {currency}', zh: '在线充值 {quota}，支付金额 {money} {currency}' },
  order_refunded: { en: 'Refunded {money} {currency}: {quota} taken back', zh: '退款 {money} {currency}，扣回 {quota}' },
  dispute_won: { en: 'A dispute was won: {quota} given again', zh: '支付争议胜诉，返还 {quota}' },
  refund_failed: { en: 'A refund failed: {quota} given again', zh: '退款失败，返还 {quota}' },
  quota_changed: { en: 'Quota changed by {actor}: {change}', zh: '管理员 {actor} 变更用户额度：{change}' },
  task_refunded: { en: 'Task {id} failed: {quota} given back', zh: '任务 {id} 失败，退还 {quota}' },
} as const;

export interface LogText {
  code: keyof typeof logTexts;
  values: Record<string, string | number>;
}
