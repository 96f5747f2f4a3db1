import { EMAILS, IDS, PROVIDER_ID } from './shown-records.ts';

const resetUrl = 'https://acme.example/reset?token=Zk3vR8';

export const batch = [
  {
    title: 'Two mails, one of which cannot go',
    body: {
      mails: [
        { template: 'password-reset', to: EMAILS.ada, data: { resetUrl } },
        { template: 'password-reset', contactId: IDS.ada, data: {} },
      ],
      idempotencyKey: 'resets-2207',
    },
    answer: {
      results: [
        { ok: true, id: PROVIDER_ID },
        { ok: false, error: 'render_failed: resetUrl is required', code: 'send_failed', reason: 'render_failed' },
      ],
    },
  },
] as const;
