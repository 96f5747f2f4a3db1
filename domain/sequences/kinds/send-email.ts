import * as z from 'zod';
import { JsonValue } from '../../json-value.ts';
import { MAX_SUBJECT_LENGTH } from '../../text-lengths.ts';
import { defineKind, part, parts } from './kind.ts';

const SendEmailConfig = z
  .strictObject({
    template: z.string().min(1, { error: 'a template key' }).meta({ description: 'The key of a template' }),
    subject: z
      .string()
      .max(MAX_SUBJECT_LENGTH, { error: `at most ${MAX_SUBJECT_LENGTH} characters` })
      .optional()
      .meta({ description: "Liquid; overrides the template's subject" }),
    type: z.enum(['transactional', 'marketing']).optional().meta({ description: "The template's own when omitted" }),
    brand: z.string().min(1).max(64).optional().meta({ description: "A brand's slug; the contact's when omitted" }),
    topic: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The key of a topic: the email goes to those alone who have it on; the others pass by' }),
    data: z.record(z.string(), JsonValue).optional().meta({ description: 'Template variables, shown as they are: no Liquid' }),
  })
  .meta({ id: 'SendEmailConfig', description: 'Which email' });
export type SendEmailConfig = z.output<typeof SendEmailConfig>;

export const sendEmail = defineKind({
  name: 'send_email',
  summary: 'Sends a template to the contact',
  config: SendEmailConfig,
  edges: { into: true, out: 'plain' },
  liquid: (config) => parts(config, 'subject'),
  names(config) {
    const [template, brand, topic] = ['template', 'brand', 'topic'].map((name) => part(config, name));
    return [
      ...(typeof template === 'string' ? [{ of: 'template', name: template } as const] : []),
      ...(typeof brand === 'string' ? [{ of: 'brand', name: brand } as const] : []),
      ...(typeof topic === 'string' ? [{ of: 'topic', name: topic } as const] : []),
    ];
  },
  outcomes: () => ['sent', 'skipped', 'failed'],
  arrive: () => ({ does: 'stand', until: null }),
  task: ({ template }) => ({ does: 'send', template }),
  finishesAfterEnd: true,
});
