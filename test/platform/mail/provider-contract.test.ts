import { afterEach, describe, expect, test } from 'vitest';
import { createMailProvider, type MailScheme } from '../../../platform/mail/create-provider.ts';
import { REQUEST_BODIES, type WireFormat } from '../../../platform/mail/formats.ts';
import { InvalidMail } from '../../../platform/mail/header.ts';
import type { OutgoingMail } from '../../../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { within } from '../../support/within.ts';
import { type HttpReaction, httpDouble, unusedPort } from './http-doubles.ts';
import { finishedMailTo } from './mails.ts';
import { scriptedServer } from './smtp-doubles.ts';

/** What any provider may do with a mail that was submitted to it. */
type Situation =
  | 'accepts'
  | 'refuses the mail'
  | 'is too busy'
  | 'has a fault'
  | 'refuses the key'
  | 'is silent'
  | 'hangs up'
  | 'talks nonsense';

interface Double {
  /** With credentials that contain "sesame". */
  readonly url: string;
  /** Mails that it was given. */
  readonly taken: () => number;
  close(): Promise<void>;
}

const json = (status: number, body: object, headers = {}): HttpReaction => ({ status, headers, body: JSON.stringify(body) });

const SMTP: Record<Situation, Readonly<Record<string, string>>> = {
  accepts: {},
  'refuses the mail': { MAIL: '550 5.7.1 the mail is refused' },
  'is too busy': { DOT: '451 4.7.1 too fast' },
  'has a fault': { MAIL: '451 4.3.0 internal error' },
  'refuses the key': { AUTH: '535 5.7.8 wrong: sesame' },
  'is silent': { DOT: 'silence' },
  'hangs up': { DOT: 'hang up' },
  'talks nonsense': { DOT: '<html>' },
};

const RESEND: Record<Situation, HttpReaction> = {
  accepts: json(200, { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }),
  'refuses the mail': json(422, { statusCode: 422, name: 'validation_error', message: 'Invalid `from` field.' }),
  'is too busy': json(429, { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests.' }, { 'retry-after': '7' }),
  'has a fault': json(500, { statusCode: 500, name: 'internal_server_error', message: 'An unexpected error occurred.' }),
  'refuses the key': json(403, { statusCode: 403, name: 'invalid_api_key', message: 'API key is invalid' }),
  'is silent': 'silence',
  'hangs up': 'hang up',
  'talks nonsense': { status: 200, body: '<html>' },
};

const SES: Record<Situation, HttpReaction> = {
  accepts: json(200, { MessageId: '010701890d5e4f7b-a1b2' }),
  'refuses the mail': json(
    400,
    { message: 'Email address is not verified.' },
    { 'x-amzn-errortype': 'MessageRejected:http://internal.amazon.com/' },
  ),
  'is too busy': json(
    429,
    { message: 'Maximum sending rate exceeded.' },
    { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '7' },
  ),
  'has a fault': json(500, { __type: 'com.amazonaws.ses#InternalServiceErrorException', message: 'fault' }),
  'refuses the key': json(403, { message: 'The request signature does not match.' }, { 'x-amzn-errortype': 'SignatureDoesNotMatch' }),
  'is silent': 'silence',
  'hangs up': 'hang up',
  'talks nonsense': { status: 200, body: '<html>' },
};

const POSTMARK: Record<Situation, (mails: number) => HttpReaction> = {
  accepts: (mails) => json(200, Array(mails).fill({ To: 'bob@example.org', MessageID: '0a129aee-e1cd-480d', ErrorCode: 0, Message: 'OK' })),
  'refuses the mail': (mails) => json(200, Array(mails).fill({ ErrorCode: 300, Message: "Invalid 'To' address." })),
  'is too busy': () => json(429, { ErrorCode: 429, Message: 'Too many requests.' }, { 'retry-after': '7' }),
  'has a fault': () => json(503, { ErrorCode: 100, Message: 'Down for maintenance.' }),
  'refuses the key': () => json(401, { ErrorCode: 10, Message: 'No Account or Server API tokens were supplied.' }),
  'is silent': () => 'silence',
  'hangs up': () => 'hang up',
  'talks nonsense': () => ({ status: 200, body: '<html>' }),
};

const ofSendgrid = (message: string, field: string | null = null) => ({ errors: [{ message, field, help: null }] });
const SENDGRID: Record<Situation, HttpReaction> = {
  accepts: { status: 202, headers: { 'x-message-id': '14c5d75ce93.dfd.64b469' }, body: '' },
  'refuses the mail': json(400, ofSendgrid('Does not contain a valid address.', 'personalizations.0.to.0.email')),
  'is too busy': json(429, ofSendgrid('too many requests'), { 'retry-after': '7' }),
  'has a fault': json(503, ofSendgrid('service not available')),
  'refuses the key': json(401, ofSendgrid('The provided authorization grant is invalid, expired, or revoked')),
  'is silent': 'silence',
  'hangs up': 'hang up',
  'talks nonsense': { status: 200, body: '<html>' },
};

const MAILGUN: Record<Situation, HttpReaction> = {
  accepts: json(200, { id: '<20111114174239.25659.5817@samples.mailgun.org>', message: 'Queued. Thank you.' }),
  'refuses the mail': json(400, { message: "'to' parameter is not a valid address. please check documentation" }),
  'is too busy': json(429, { message: 'Too many requests' }, { 'retry-after': '7' }),
  'has a fault': json(503, { message: 'Service unavailable' }),
  'refuses the key': { status: 401, body: 'Forbidden' },
  'is silent': 'silence',
  'hangs up': 'hang up',
  'talks nonsense': { status: 200, body: '<html>' },
};

/** With the address of a server that speaks it. */
const API_URLS = {
  resend: (base: string) => `resend://re_sesame?baseUrl=${base}`,
  ses: (base: string) => `ses://AKIDEXAMPLE:sesame@eu-west-1?baseUrl=${base}`,
  postmark: (base: string) => `postmark://sesame?baseUrl=${base}`,
  sendgrid: (base: string) => `sendgrid://SG.sesame?baseUrl=${base}`,
  mailgun: (base: string) => `mailgun://sesame@mg.example.com?baseUrl=${base}`,
};

/** smtps differs from smtp by its connection alone. */
type Name = Exclude<MailScheme, 'smtps'>;

const doubles: Readonly<Record<Name, (situation: Situation) => Promise<Double>>> = {
  async smtp(situation) {
    const script = { EHLO: '250-double\r\n250 AUTH PLAIN', ...SMTP[situation] } as Record<string, string>;
    let taken = 0;
    const server = await scriptedServer((verb) => {
      if (verb === 'DOT') taken++;
      return script[verb] ?? (verb === 'AUTH' ? '235 ok' : undefined);
    });
    return { url: `smtp://ann:sesame@127.0.0.1:${server.port}`, taken: () => taken, close: server.close };
  },
  resend: (situation) => overHttp(RESEND[situation], API_URLS.resend),
  ses: (situation) => overHttp(SES[situation], API_URLS.ses),
  async postmark(situation) {
    let taken = 0;
    const server = await httpDouble(({ body }) => {
      const { length } = JSON.parse(body) as unknown[];
      taken += length;
      return POSTMARK[situation](length);
    });
    return { taken: () => taken, url: API_URLS.postmark(server.url), close: server.close };
  },
  sendgrid: (situation) => overHttp(SENDGRID[situation], API_URLS.sendgrid),
  mailgun: (situation) => overHttp(MAILGUN[situation], API_URLS.mailgun),
};

/** An API that takes a mail by a request and always does the same. */
async function overHttp(reaction: HttpReaction, urlFor: (baseUrl: string) => string): Promise<Double> {
  const { url, requests, close } = await httpDouble(() => reaction);
  return { url: urlFor(url), taken: () => requests.length, close };
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function providerFor(url: string, timeoutSeconds = 5): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections: 2, timeoutSeconds });
  open.push(provider);
  return provider;
}

describe.each(Object.keys(doubles) as Name[])('%s', (name) => {
  const sendWhen = async (situation: Situation, timeoutSeconds?: number): Promise<ProviderAnswer> => {
    const double = await doubles[name](situation);
    open.push(double);
    const provider = providerFor(double.url, timeoutSeconds);
    return provider.send(finishedMailTo('bob@example.org', {}, provider.format), 'key');
  };

  test.each<[Situation, ProviderAnswer['outcome']]>([
    ['accepts', 'accepted'],
    ['refuses the mail', 'rejected'],
    ['is too busy', 'later'],
    ['has a fault', 'later'],
    ['refuses the key', 'later'],
    ['hangs up', 'unknown'],
    ['talks nonsense', 'unknown'],
  ])('that %s gives %s', async (situation, outcome) => {
    const answer = await sendWhen(situation, 2);
    expect(answer.outcome).toBe(outcome);
    expect(answer).not.toHaveProperty('wasStopped');
    expect(JSON.stringify(answer)).not.toContain('sesame');
  });

  test('is known by its host, without its credentials', async () => {
    const double = await doubles[name]('accepts');
    open.push(double);
    const provider = providerFor(double.url);
    expect(provider.host).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test('that is silent after the submission gives unknown, in time', async () => {
    expect((await within(5_000, () => sendWhen('is silent', 2))).outcome).toBe('unknown');
  });

  test('is not given the mails that are stopped before a connection is free for them', async () => {
    const double = await doubles[name]('accepts');
    open.push(double);
    const provider = providerFor(double.url);
    const mails = ['a', 'b', 'c', 'd', 'e', 'f'].map((to) => finishedMailTo(`${to}@example.org`, {}, provider.format));
    // The first three that a connection is free for are wanted, whenever they are asked for again.
    const wanted = new Set<OutgoingMail>();
    const isStopped = (mail: OutgoingMail): boolean => !(wanted.size < 3 ? wanted.add(mail) : wanted).has(mail);
    const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key', () => isStopped(mail))));
    const outcomes = answers.map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual([...Array(3).fill('accepted'), ...Array(3).fill('later')]);
    expect(answers.filter((answer) => answer.outcome === 'later' && answer.wasStopped)).toHaveLength(3);
    expect(double.taken()).toBe(3);
  });

  test('that is not there gives later', async () => {
    const port = await unusedPort();
    const url = name === 'smtp' ? `smtp://127.0.0.1:${port}` : API_URLS[name](`http://127.0.0.1:${port}`);
    expect((await providerFor(url).send(finishedMailTo('bob@example.org'), 'key')).outcome).toBe('later');
  });

  test('an accepted mail has the id that the provider gave', async () => {
    const answer = await sendWhen('accepts');
    const ids: Readonly<Record<Name, unknown>> = {
      smtp: expect.stringMatching(/^[\w-]+@example\.com$/),
      resend: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
      ses: '010701890d5e4f7b-a1b2',
      postmark: '0a129aee-e1cd-480d',
      sendgrid: '14c5d75ce93.dfd.64b469',
      mailgun: '20111114174239.25659.5817@samples.mailgun.org',
    };
    expect(answer).toEqual({ outcome: 'accepted', providerId: ids[name] });
  });
});

test.each(['message', ...Object.keys(REQUEST_BODIES)] as WireFormat[])('a mail that cannot be written is not finished as %s', (format) => {
  expect(() => finishedMailTo('bob@example.org\r\nBcc: eve@example.net', {}, format)).toThrow(InvalidMail);
});

test.each([
  ['resend', RESEND.accepts],
  ['ses', SES.accepts],
  ['postmark', POSTMARK.accepts(1)],
  ['sendgrid', SENDGRID.accepts],
  ['mailgun', MAILGUN.accepts],
] as const)('%s that takes its time to answer is waited for, and asked once', async (name, accepts) => {
  const came = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const double = await httpDouble(async () => {
    came.resolve();
    await slow.promise;
    return accepts;
  });
  open.push(double);
  const provider = providerFor(API_URLS[name](double.url));
  let isAnswered = false;
  const answer = provider.send(finishedMailTo('bob@example.org', {}, provider.format), 'key').finally(() => {
    isAnswered = true;
  });
  await came.promise;
  expect(isAnswered).toBe(false);
  slow.resolve();
  expect((await answer).outcome).toBe('accepted');
  expect(double.requests).toHaveLength(1);
});

test.each(['resend', 'ses', 'postmark', 'sendgrid', 'mailgun'] as const)('%s passes on how long to wait', async (name) => {
  const double = await doubles[name]('is too busy');
  open.push(double);
  const provider = providerFor(double.url);
  const mail = finishedMailTo('bob@example.org', {}, provider.format);
  expect(await provider.send(mail, 'key')).toMatchObject({ outcome: 'later', retryAfterSeconds: 7 });
});
