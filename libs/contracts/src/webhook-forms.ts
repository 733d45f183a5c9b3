/** What a webhook is sent: our own body, or what the service at its address reads. */
export const webhookForms = ['json', 'wecom', 'dingtalk', 'feishu', 'slack', 'discord', 'telegram', 'bark', 'gotify', 'ntfy'] as const;
export type WebhookForm = (typeof webhookForms)[number];
