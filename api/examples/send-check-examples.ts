import { EMAILS, IDS } from './shown-records.ts';

export const check = [
  {
    body: { template: 'newsletter', recipients: [{ to: EMAILS.ada }, { contactId: IDS.ada }] },
    answer: {
      willGet: 2,
      results: [
        { reason: null, repeats: null },
        { reason: null, repeats: 0 },
      ],
    },
  },
] as const;
