import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { mailboxProblem, mailboxText, ONE_ADDRESS, readMailbox } from '../domain/contacts/mailbox.ts';
import {
  MAX_METADATA,
  MAX_METADATA_LENGTH,
  MAX_METADATA_NAME_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  metadataIssues,
} from '../domain/sends/metadata.ts';
import { headerIssues, MAX_HEADER_LENGTH, MAX_HEADER_NAME_LENGTH, MAX_HEADERS } from '../domain/sends/own-headers.ts';
import { MAX_RECIPIENTS } from '../domain/sends/send-details.ts';

export const TOO_MANY_RECIPIENTS = `at most ${MAX_RECIPIENTS} recipients in to, cc and bcc together`;

/** An address with or without a name, in its one spelling. */
export const MailboxText = z
  .string({ error: ({ input }) => (input === undefined ? 'required' : Array.isArray(input) ? ONE_ADDRESS : 'not a valid address') })
  .overwrite((text) => {
    const mailbox = readMailbox(text);
    return mailbox ? mailboxText(mailbox) : text;
  })
  .refine((text) => readMailbox(text) !== undefined, { error: ({ input }) => mailboxProblem(String(input)) })
  .meta({
    id: 'MailboxText',
    maxLength: 700,
    description: 'An address as `Email` has it, or with a name: `Ann <ann@example.com>`, `"Bell, Ann" <ann@example.com>`. One, not a list.',
  });

/** What is wrong with one entry of an object, by its name. */
interface EntryIssue {
  readonly name: string;
  readonly message: string;
}

/** An object of texts. How many it has is looked at before any of them is. */
function texts(most: number, issuesOf: (entries: Readonly<Record<string, unknown>>) => readonly EntryIssue[], meta: object) {
  return z
    .unknown()
    .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), { error: 'not an object', abort: true })
    .refine((value) => Object.keys(value as object).length <= most, { error: `at most ${most}`, abort: true })
    .superRefine((value, { addIssue }) => {
      for (const { name, message } of issuesOf(value as Readonly<Record<string, unknown>>))
        addIssue({ code: 'custom', path: [name], message });
    })
    .meta({ type: 'object', maxProperties: most, ...meta }) as unknown as z.ZodType<Readonly<Record<string, string>>>;
}

export const OwnHeaders = texts(MAX_HEADERS, headerIssues, {
  additionalProperties: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  propertyNames: { maxLength: MAX_HEADER_NAME_LENGTH },
  description:
    `\`X-…\`, \`References\` and \`In-Reply-To\`, of transactional emails \`List-…\` too, at most ${MAX_HEADERS}; none that an email service takes for an ` +
    'order, like `X-SMTPAPI` or `X-SES-…`. Texts as they are, no Liquid.',
});

export const SendTag = z
  .string()
  .min(1, { error: `1 to ${MAX_TAG_LENGTH} characters` })
  .max(MAX_TAG_LENGTH, { error: `1 to ${MAX_TAG_LENGTH} characters` });

export const SendTags = boundedArray(SendTag, MAX_TAGS, { error: `at most ${MAX_TAGS}` }).meta({
  description: 'Your own words for the email: in the send log, a filter of it, and in webhook events',
});

export const Metadata = texts(MAX_METADATA, metadataIssues, {
  additionalProperties: { type: 'string', maxLength: MAX_METADATA_LENGTH },
  propertyNames: { minLength: 1, maxLength: MAX_METADATA_NAME_LENGTH, pattern: '^[^:]*$' },
  description: `Your own texts by name, at most ${MAX_METADATA}: in the send log, a filter of it, and in webhook events. The email does not show them`,
});

/** One, or an array. How many there are is looked at before any of them is. */
export const Copies = z.union([MailboxText, boundedArray(MailboxText, MAX_RECIPIENTS, { error: TOO_MANY_RECIPIENTS })]);

export const LeftOutRecord = z
  .object({
    email: z.string().meta({ description: 'The address' }),
    reason: z.enum(['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'provider_rejected']).meta({
      description: 'As of an email that fails; `provider_rejected`: the mail server would not have this address while it took the email',
    }),
    message: z.string().optional().meta({ description: "The mail server's words" }),
  })
  .meta({ id: 'LeftOut', description: 'A copy that did not go, while the email did' });
