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
  async resend(situation) {
    let taken = 0;
    const server = await httpDouble(() => {
      taken++;
      return RESEND[situation];
    });
    return { taken: () => taken, url: `resend://re_sesame?baseUrl=${server.url}`, close: server.close };
  },
  async ses(situation) {
    let taken = 0;
    const server = await httpDouble(() => {
      taken++;
      return SES[situation];
    });
    return { taken: () => taken, url: `ses://AKIDEXAMPLE:sesame@eu-west-1?baseUrl=${server.url}`, close: server.close };
  },
};

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
    return providerFor(double.url, timeoutSeconds).send(finishedMailTo('bob@example.org'), 'key');
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
    const mails = ['a', 'b', 'c', 'd', 'e', 'f'].map((to) => finishedMailTo(`${to}@example.org`));
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
    const urls: Readonly<Record<Name, string>> = {
      smtp: `smtp://127.0.0.1:${port}`,
      resend: `resend://re_sesame?baseUrl=http://127.0.0.1:${port}`,
      ses: `ses://AKIDEXAMPLE:sesame@eu-west-1?baseUrl=http://127.0.0.1:${port}`,
    };
    expect((await providerFor(urls[name]).send(finishedMailTo('bob@example.org'), 'key')).outcome).toBe('later');
  });

  test('an accepted mail has the id that the provider gave', async () => {
    const answer = await sendWhen('accepts');
    const ids: Readonly<Record<Name, unknown>> = {
      smtp: expect.stringMatching(/^[\w-]+@example\.com$/),
      resend: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
      ses: '010701890d5e4f7b-a1b2',
    };
    expect(answer).toEqual({ outcome: 'accepted', providerId: ids[name] });
  });
});

test.each(['message', ...Object.keys(REQUEST_BODIES)] as WireFormat[])('a mail that cannot be written is not finished as %s', (format) => {
  expect(() => finishedMailTo('bob@example.org\r\nBcc: eve@example.net', {}, format)).toThrow(InvalidMail);
});

test.each(['resend', 'ses'] as const)('%s passes on how long to wait', async (name) => {
  const double = await doubles[name]('is too busy');
  open.push(double);
  expect(await providerFor(double.url).send(finishedMailTo('bob@example.org'), 'key')).toMatchObject({
    outcome: 'later',
    retryAfterSeconds: 7,
  });
});
