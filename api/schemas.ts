import * as z from 'zod';
import { MAX_ATTRIBUTES, MAX_ATTRIBUTES_KB, MAX_SOURCE_LENGTH } from '../domain/contacts/contact.ts';
import { normalizeEmail } from '../domain/contacts/email-address.ts';
import { MAX_TEXT, type TextForm } from '../domain/contacts/fields.ts';
import { canonicalLocale, MAX_LOCALE } from '../domain/contacts/locale.ts';
import { MOST_TOPICS } from '../domain/contacts/topic.ts';
import { type Issue, Refusal } from '../domain/errors.ts';
import { isStorableTime, TIME_RANGE } from '../domain/instant.ts';
import { isLargerThan } from '../domain/json-size.ts';
import { SLUG, SLUG_RULE } from '../domain/projects/brand.ts';
import { EventTypeText } from '../domain/sequences/event-type.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '../domain/text-lengths.ts';

/** A Date in code, ISO 8601 in UTC with milliseconds on the wire; any offset is understood. */
export const Timestamp = z
  .codec(z.iso.datetime({ offset: true, error: 'not an ISO 8601 timestamp like 2026-01-31T12:00:00Z' }), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .refine(isStorableTime, { error: `not ${TIME_RANGE}` })
  .meta({ id: 'Timestamp', description: 'ISO 8601; in answers UTC with milliseconds' });

/** UUID of any version in, UUIDv7 out. */
export const Id = z.uuid({ error: 'not a UUID' }).toLowerCase();

/** An id in a path. One that is no UUID is answered like one that nobody has: 404. */
export const PathId = z.uuid().toLowerCase();

/** In the one spelling of its mailbox; the one rule for addresses. */
export const Email = z
  .string({ error: ({ input }) => (input === undefined ? 'required' : 'not a valid address') })
  .overwrite((text) => normalizeEmail(text) ?? text)
  .refine((text) => normalizeEmail(text) !== undefined, { error: 'not a valid address' })
  .meta({
    id: 'Email',
    format: 'idn-email',
    maxLength: 254,
    description:
      'Stored trimmed and in lower case, the domain as ASCII by UTS 46 (bücher.de is xn--bcher-kva.de). At most 254 octets, 64 of them before the @; ' +
      'the domain is a name of IDNA 2008 with a dot.',
  });

/** From an answer before. */
export const Cursor = z
  .string()
  .max(1000, { error: 'at most 1000 characters' })
  .meta({ description: 'From the answer before; the filters stay as they are' });

/** The way to the next page. */
export const NextCursor = z.string().nullable().meta({ description: 'For the next page; null on the last' });

/** When a record was made. */
export const CreatedAt = Timestamp.meta({ description: 'When it was made' });

/** Rows of a page where the caller does not say. */
export const DEFAULT_LIMIT = 50;

/** Rows of the largest page. */
export const MAX_LIMIT = 250;

const RowCount = z.codec(z.string().regex(/^\d{1,6}$/, { error: 'not a whole number' }), z.int(), { decode: Number, encode: String }).pipe(
  z
    .int()
    .min(1, { error: 'at least 1' })
    .max(MAX_LIMIT, { error: `at most ${MAX_LIMIT}` }),
);

/** A number of rows, 1 to 250. */
function limit(unlessTold: number) {
  const meta = { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: `${unlessTold} when omitted` } as const;
  return RowCount.default(unlessTold).meta(meta);
}

export const Limit = limit(DEFAULT_LIMIT);

/** Of what is read as one in nearly every case. */
export const WideLimit = limit(MAX_LIMIT);

/** The number of a version in an address; one that none can have is answered like one that is not there. */
export const VersionNumber = z
  .codec(z.string().regex(/^\d{1,9}$/, { error: 'not a whole number' }), z.int(), { decode: Number, encode: String })
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999, description: 'The number of a version' });

/** `1`, as in the call that asks for it: whatever else it was would be done. */
export const DryRun = z.enum(['1']).optional().meta({ description: '`1`: nothing is done, and the answer says what would be' });

/** A precondition of a change: two people who edit the same do not undo each other's work. */
export const IfVersion = VersionNumber.optional().meta({
  description: 'The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now',
});

/** A brand's slug. Whether the project has it is the use case's question. */
export const BrandSlug = z.string().min(1).max(64).meta({ description: "A brand's slug; the project's default when omitted" });

/** What names something in calls, records and addresses. */
export const Slug = z
  .string()
  .max(64)
  .regex(SLUG, { error: `should be ${SLUG_RULE}` });

/** What something is called, where people read it. */
export const ShownName = z
  .string()
  .trim()
  .min(1, { error: 'should not be empty' })
  .max(MAX_NAME_LENGTH, { error: `at most ${MAX_NAME_LENGTH} characters` })
  .regex(/^\P{Cc}*$/u, { error: 'no line breaks or control characters' })
  // The same rule, for readers whose patterns know no Unicode properties.
  .meta({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });

export const TopicKey = z.string().min(1).max(64).meta({
  description:
    'The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic',
});

export const PersonName = z.string().max(MAX_TEXT, { error: `at most ${MAX_TEXT} characters` });

export const SendTypeName = z.enum(['transactional', 'marketing']).meta({
  id: 'SendType',
  description: '`marketing` email goes to subscribed contacts only and has an unsubscribe link; `transactional` email does without',
});

export const Subject = z
  .string()
  .max(MAX_SUBJECT_LENGTH, { error: `at most ${MAX_SUBJECT_LENGTH} characters` })
  .meta({ description: "Liquid; the template's when omitted" });

/** A sender; its address must be on a verified sending domain of the project. */
export const Sender = z
  .object(
    {
      email: Email.meta({ description: 'On a verified sending domain of the project' }),
      name: PersonName.nullish().meta({ description: 'Shown beside the address' }),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? 'an object { "email": "ann@example.com", "name": "Ann" }; a name is optional' : undefined,
    },
  )
  .meta({ id: 'Sender', description: 'Whom the email is from; the brand says so when omitted' });

export const EventType = EventTypeText.meta({ description: 'What happened; your own word, matched exactly' });

/** A text that has to be of a form. */
export function formed({ name, like, is, error, schema }: TextForm) {
  return z
    .string()
    .max(64)
    .refine(is, { error })
    .meta({ ...schema, description: `${name}, like ${like}` });
}

/** At least one of two fields is required. Told together with whatever else is wrong with the body, not after it. */
export function eitherOf<S extends z.ZodObject>(body: S, first: keyof z.input<S> & string, second: keyof z.input<S> & string): S {
  const isGiven = (value: object, name: string): boolean => (value as Readonly<Record<string, unknown>>)[name] != null;
  const givenInDocument = (name: string) => ({ required: [name], properties: { [name]: { not: { type: 'null' } } } });
  return body
    .refine((value) => isGiven(value, first) || isGiven(value, second), {
      path: [first],
      error: `either ${first} or ${second} is required`,
      when: ({ value }) => value !== null && typeof value === 'object',
    })
    .meta({ anyOf: [givenInDocument(first), givenInDocument(second)] });
}

/** An object of the caller's own fields, at most so many KB of JSON. Its size is looked at before its members are. */
export function jsonObject(maxKb: number, description: string): z.ZodType<Readonly<Record<string, unknown>>> {
  return z
    .unknown()
    .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), { error: 'not an object', abort: true })
    .refine((value) => !isLargerThan(value, maxKb * 1024), { error: `at most ${maxKb} KB` })
    .meta({
      type: 'object',
      additionalProperties: { $ref: '#/components/schemas/JsonValue' },
      description: `${description}. At most ${maxKb} KB`,
    }) as unknown as JsonObject;
}

type JsonObject = z.ZodType<Readonly<Record<string, unknown>>>;

/** For one mail or event; far beyond what a person reads. */
const MAX_DATA_KB = 256;

export const MailData = jsonObject(MAX_DATA_KB, 'Template variables; an unknown path renders empty');
export const EventData = jsonObject(MAX_DATA_KB, 'Payload, for templates and branch conditions');
/** Of one request. What the contact has after the merge is bounded by itself: docs/contract/contacts.md 6. */
export const Attributes = jsonObject(
  64,
  `Merged into what the contact has, where ${MAX_ATTRIBUTES} keys and ${MAX_ATTRIBUTES_KB} KB are possible; a null value removes its key`,
);

/** How many there are is looked at before they are. */
export const TopicChoicesInput = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && Object.keys(value).length <= MOST_TOPICS, {
    error: `an object of at most ${MOST_TOPICS} topics`,
    abort: true,
  })
  .refine((value) => !Object.hasOwn(value as object, '__proto__'), { error: 'no such topic', path: ['__proto__'], abort: true })
  .pipe(z.record(z.string(), z.boolean({ error: 'true or false' })))
  .meta({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    maxProperties: MOST_TOPICS,
    description: 'Topics, true or false by key',
    examples: [{ newsletter: true }],
  });

const Warning = z
  .object({
    path: z.string().meta({ description: 'What it is about, as the caller wrote it', examples: ['nodes[1].config.template'] }),
    message: z.string().meta({ description: 'In words; they may change' }),
  })
  .meta({ id: 'Warning', description: 'Something that may not be what was meant' });

/** What an answer has to say beside what was asked for: docs/contract/http.md 13. */
export const Warnings = z
  .array(Warning)
  .optional()
  .meta({ description: 'What was done and may not be what was meant; absent when there is nothing to say' });

/** The field of an answer; absent when there is nothing to say. */
export function warned(warnings: readonly Issue[]): { warnings?: Issue[] } {
  return warnings.length > 0 ? { warnings: [...warnings] } : {};
}

/** A text that a list is filtered by: longer than anything stored. */
export const FilterText = z.string().max(1000, { error: 'at most 1000 characters' });

/** The language of a content, in its usual spelling. */
export const Locale = z
  .string()
  .max(MAX_LOCALE, { error: `at most ${MAX_LOCALE} characters` })
  .overwrite((tag) => canonicalLocale(tag) ?? tag)
  .refine((tag) => canonicalLocale(tag) !== undefined, { error: 'not a BCP 47 locale' })
  .meta({ format: 'bcp-47', description: 'A language by its BCP 47 tag, like `de` or `pt-BR`' });

/** The key of a template, of the registry or not. */
export const TemplateKey = z.string().max(200, { error: 'at most 200 characters' }).meta({ description: 'The key of a template' });

export const ContactSource = z
  .string()
  .max(MAX_SOURCE_LENGTH, { error: `at most ${MAX_SOURCE_LENGTH} characters` })
  .meta({ description: 'Where the contact comes from; your own word' });

/** For the maximum of an array: an audience that is too large has a code of its own, whatever else is wrong with it (docs/contract/events.md 13). */
export function tooLargeAudience(message: string): { readonly error: () => never } {
  return {
    error: () => {
      throw new Refusal('audience_too_large', message);
    },
  };
}
