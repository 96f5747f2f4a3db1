import { afterEach, describe, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { OutgoingMail, WrittenMail } from '../../../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { INACTIVE, type MailApiServer, startPostmark } from '../../support/mail-apis.ts';
import { mailWith, someBytes } from './attached.ts';
import { type HttpReaction, httpDouble, unusedPort } from './http-doubles.ts';
import { finishedMailTo } from './mails.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const json = (status: number, body: unknown, headers = {}): HttpReaction => ({ status, headers, body: JSON.stringify(body) });
const mailFor = (to: string, part: Partial<WrittenMail> = {}): OutgoingMail => finishedMailTo(to, part, 'postmark');
const mailsFor = (count: number): OutgoingMail[] => Array.from({ length: count }, (_, index) => mailFor(`bob-${index}@example.org`));

interface Limits {
  readonly maxConnections?: number;
  readonly timeoutSeconds?: number;
}

function providerAt(url: string, { maxConnections = 4, timeoutSeconds = 5 }: Limits = {}): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections, timeoutSeconds });
  open.push(provider);
  return provider;
}

async function postmark(limits?: Limits, query?: string): Promise<{ api: MailApiServer; provider: MailProvider }> {
  const api = await startPostmark(query);
  open.push(api);
  return { api, provider: providerAt(api.providerUrl, limits) };
}

/** An API that answers every request so. */
async function answering(reaction: HttpReaction, limits?: Limits) {
  const api = await httpDouble(() => reaction);
  open.push(api);
  return { api, provider: providerAt(`postmark://sesame?baseUrl=${api.url}`, limits) };
}

const sizes = (api: { readonly requests: readonly { readonly body: string }[] }): number[] =>
  api.requests.map(({ body }) => JSON.parse(body).length);
const outcomes = (answers: readonly ProviderAnswer[]): string[] => answers.map(({ outcome }) => outcome);

test('a mail is posted with all that it says, in UTF-8, its Message-ID kept, untracked, with the id of its send', async () => {
  const { api, provider } = await postmark({}, '&stream=news');
  const mail = mailFor('bob@bücher.example', {
    toName: 'Bob, Jr.',
    from: { email: 'ann@example.com', name: 'Bell, "Änn"' },
    replyTo: { email: 'reply@example.com', name: 'Änn' },
    cc: [{ email: 'carl@example.net', name: 'Smith, Carl' }, { email: 'cora@example.net' }],
    bcc: [{ email: 'dora@example.net' }],
    subject: 'Grüße\r\nBcc: eve@example.net',
    html: '<p>Grüße</p>',
    headers: {
      'List-Unsubscribe': '<https://example.com/u/1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'X-Note': 'Grüße',
    },
  });
  const answer = await provider.send(mail, 'key');
  const [{ path, headers }] = api.requests as [(typeof api.requests)[number]];
  expect(path).toBe('/email/batch');
  expect(headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
  expect(answer).toEqual({ outcome: 'accepted', providerId: api.taken[0]?.id });
  expect(api.taken[0]?.recipients).toEqual(['bob@xn--bcher-kva.example', 'carl@example.net', 'cora@example.net', 'dora@example.net']);
  expect(api.taken[0]?.mail).toEqual({
    MessageStream: 'news',
    From: '"Bell, \\"Änn\\"" <ann@example.com>',
    To: '"Bob, Jr." <bob@xn--bcher-kva.example>',
    Cc: '"Smith, Carl" <carl@example.net>, cora@example.net',
    Bcc: 'dora@example.net',
    ReplyTo: '"Änn" <reply@example.com>',
    Subject: 'Grüße Bcc: eve@example.net',
    HtmlBody: '<p>Grüße</p>',
    TextBody: 'Hello',
    Headers: [
      { Name: 'List-Unsubscribe', Value: '<https://example.com/u/1>' },
      { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
      { Name: 'X-Note', Value: '=?utf-8?B?R3LDvMOfZQ==?=' },
      { Name: 'Message-ID', Value: `<${mail.messageId}>` },
      { Name: 'X-PM-KeepID', Value: 'true' },
    ],
    TrackOpens: false,
    TrackLinks: 'None',
    Metadata: { everpost_send_id: mail.sendId },
  });
});

test('without a stream, the mail names none', async () => {
  const { api, provider } = await postmark();
  await provider.send(mailFor('bob@example.org'), 'key');
  expect(api.taken[0]?.mail).not.toHaveProperty('MessageStream');
});

describe('what is said of one mail', () => {
  test.each<[number, ProviderAnswer['outcome']]>([
    [10, 'later'],
    [100, 'later'],
    [300, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [402, 'rejected'],
    [403, 'rejected'],
    [405, 'later'],
    [406, 'rejected'],
    [409, 'later'],
    [411, 'rejected'],
    [412, 'later'],
    [413, 'later'],
    [429, 'later'],
    [1235, 'later'],
  ])('error %i is %s, in a batch and alone', async (ErrorCode, outcome) => {
    const inBatch = await answering(json(200, [{ ErrorCode, Message: 'why' }]));
    const expected = { outcome, message: `error ${ErrorCode}: why`, ...(outcome === 'rejected' && { badAddress: false }) };
    expect(await inBatch.provider.send(mailFor('bob@example.org'), 'key')).toEqual(expected);
    const alone = await answering(json(422, { ErrorCode, Message: 'why' }));
    expect(await alone.provider.send(mailWith([FILE], {}, 'postmark'), 'key')).toEqual(expected);
  });

  test('a mail that is taken though Postmark is slow to deliver it, without a code, is accepted', async () => {
    const { provider } = await answering(json(200, [{ MessageID: 'm-1', Message: 'Message accepted, but delivery may be delayed.' }]));
    expect(await provider.send(mailFor('bob@example.org'), 'key')).toEqual({ outcome: 'accepted', providerId: 'm-1' });
  });

  test('copies to inactive addresses are told as refused, though the mail goes', async () => {
    const { provider } = await postmark();
    const cc = [`Carl@${INACTIVE}`, 'cora@example.net', `dan@${INACTIVE}`].map((email) => ({ email }));
    const answer = await provider.send(mailFor('bob@example.org', { cc }), 'key');
    expect(answer).toMatchObject({ outcome: 'accepted', providerId: expect.any(String) });
    const { refusedCopies = [] } = answer as Extract<ProviderAnswer, { outcome: 'accepted' }>;
    expect(refusedCopies.map(({ email, badAddress }) => [email.toLowerCase(), badAddress])).toEqual([
      [`carl@${INACTIVE}`, false],
      [`dan@${INACTIVE}`, false],
    ]);
  });

  test('a mail to nobody but inactive addresses is rejected, and none beside it', async () => {
    const { api, provider } = await postmark();
    const answers = await Promise.all([mailFor(`bob@${INACTIVE}`), mailFor('bob@example.org')].map((mail) => provider.send(mail, 'key')));
    expect(outcomes(answers)).toEqual(['rejected', 'accepted']);
    expect(api.requests).toHaveLength(1);
  });
});

test.each<[number, unknown, ProviderAnswer['outcome']]>([
  [400, {}, 'later'],
  [401, { ErrorCode: 10, Message: 'why' }, 'later'],
  [404, '', 'later'],
  [408, '', 'later'],
  [413, '', 'rejected'],
  [415, '', 'later'],
  [422, { ErrorCode: 402, Message: 'why' }, 'rejected'],
  [422, '', 'later'],
  [429, { ErrorCode: 429, Message: 'why' }, 'later'],
  [500, '', 'unknown'],
  [500, { ErrorCode: 500, Message: 'why' }, 'unknown'],
  [502, '', 'unknown'],
  [503, { ErrorCode: 100, Message: 'why' }, 'later'],
  [504, '', 'unknown'],
  [524, '', 'unknown'],
])('a request that is answered %i %j leaves its mail %s', async (status, body, outcome) => {
  const { provider } = await answering(json(status, body));
  expect((await provider.send(mailFor('bob@example.org'), 'key')).outcome).toBe(outcome);
  expect((await provider.send(mailWith([FILE], {}, 'postmark'), 'key')).outcome).toBe(outcome);
});

const FILE = { filename: 'a.txt', contentType: 'text/plain', bytes: someBytes(10) };

describe('a batch', () => {
  test('mails that are submitted at the same time go by one call, each with the answer of its place', async () => {
    const { api, provider } = await postmark();
    const mails = mailsFor(100);
    const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key')));
    expect(sizes(api)).toEqual([100]);
    const idOf = new Map(api.taken.map(({ id, sendId }) => [sendId, id]));
    expect(answers).toEqual(mails.map(({ sendId }) => ({ outcome: 'accepted', providerId: idOf.get(sendId) })));
  });

  test('has 500 mails at most', async () => {
    const { api, provider } = await postmark();
    const answers = await Promise.all(mailsFor(1_203).map((mail) => provider.send(mail, 'key')));
    expect(sizes(api).toSorted((a, b) => b - a)).toEqual([500, 500, 203]);
    expect(new Set(outcomes(answers))).toEqual(new Set(['accepted']));
    expect(new Set(api.taken.map(({ sendId }) => sendId)).size).toBe(1_203);
  });

  test('has 10 MB at most, so that a slow line has the time to write it', async () => {
    const { api, provider } = await postmark();
    const html = 'x'.repeat(1_800_000);
    const answers = await Promise.all(Array.from({ length: 7 }, () => provider.send(mailFor('bob@example.org', { html }), 'key')));
    expect(sizes(api).toSorted((a, b) => b - a)).toEqual([5, 2]);
    expect(api.requests.every(({ body }) => body.length <= 10_000_000)).toBe(true);
    expect(new Set(outcomes(answers))).toEqual(new Set(['accepted']));
  });

  test('mails that come while all calls are under way go together by the next one', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const api = await httpDouble(({ body }, count) => {
      if (count === 1) release();
      return json(
        200,
        JSON.parse(body).map(() => ({ ErrorCode: 0, MessageID: `of call ${count}` })),
      );
    });
    open.push(api);
    const provider = providerAt(`postmark://sesame?baseUrl=${api.url}`, { maxConnections: 1 });
    const first = provider.send(mailFor('first@example.org'), 'key', undefined, () => {
      // Its call is being written.
      for (const mail of mailsFor(20)) others.push(provider.send(mail, 'key'));
      return true;
    });
    const others: Promise<ProviderAnswer>[] = [];
    await held;
    expect(await first).toEqual({ outcome: 'accepted', providerId: 'of call 1' });
    expect(await Promise.all(others)).toEqual(Array(20).fill({ outcome: 'accepted', providerId: 'of call 2' }));
    expect(sizes(api)).toEqual([1, 20]);
  });

  test.each<[string, HttpReaction, string]>([
    ['is cut off', 'hang up', 'unknown'],
    ['is that of a gateway', { status: 502, body: '' }, 'unknown'],
    ['cannot be read', { status: 200, body: '[{"ErrorCode":0' }, 'unknown'],
    ['has another number of mails', json(200, [{ ErrorCode: 0, MessageID: 'm' }]), 'unknown'],
    ['is no array', json(200, { ErrorCode: 0, Message: 'OK', MessageID: 'm' }), 'unknown'],
    ['never comes', 'silence', 'unknown'],
  ])('that was taken and whose answer %s leaves each of its mails open, and gives none again', async (_, lost, outcome) => {
    const { api, provider } = await postmark({ timeoutSeconds: 2 });
    api.next({ lost });
    const mails = mailsFor(50);
    const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key')));
    expect(new Set(outcomes(answers))).toEqual(new Set([outcome]));
    expect(api.requests).toHaveLength(1);
    expect(api.taken.map(({ sendId }) => sendId)).toEqual(mails.map(({ sendId }) => sendId));
  });

  test('an answer that has nothing to one mail leaves that one open', async () => {
    const { provider } = await answering(json(200, [{ ErrorCode: 0, MessageID: 'm-1' }, null, { ErrorCode: 0, MessageID: 'm-3' }]));
    const answers = await Promise.all(mailsFor(3).map((mail) => provider.send(mail, 'key')));
    expect(outcomes(answers)).toEqual(['accepted', 'unknown', 'accepted']);
  });

  test('a mail that is stopped, or cannot be noted, is left out, and no other one', async () => {
    const { api, provider } = await postmark();
    const mails = mailsFor(4);
    const noted: number[] = [];
    const answers = await Promise.all(
      mails.map((mail, index) =>
        provider.send(
          mail,
          'key',
          () => index === 1,
          () => {
            noted.push(index);
            return index !== 2;
          },
        ),
      ),
    );
    expect(outcomes(answers)).toEqual(['accepted', 'later', 'later', 'accepted']);
    expect(answers[1]).toMatchObject({ wasStopped: true });
    expect(answers[2]).not.toHaveProperty('wasStopped');
    expect(noted).toEqual([0, 2, 3]);
    expect(api.taken.map(({ sendId }) => sendId)).toEqual([mails[0]?.sendId, mails[3]?.sendId]);
  });

  test('whose mails are all stopped makes no request', async () => {
    const { api, provider } = await postmark();
    const answers = await Promise.all(mailsFor(3).map((mail) => provider.send(mail, 'key', () => true)));
    expect(answers).toEqual(Array(3).fill({ outcome: 'later', wasStopped: true, message: expect.any(String) }));
    expect(api.requests).toEqual([]);
    expect((await provider.send(mailFor('bob@example.org'), 'key')).outcome).toBe('accepted');
  });

  test('that is refused as a whole for one of its mails is given mail by mail, so that the others go', async () => {
    const { api, provider } = await postmark();
    api.next(json(422, { ErrorCode: 403, Message: 'Invalid request field.' }));
    const mails = [mailFor('bob@example.org'), mailFor(`bob@${INACTIVE}`), mailFor('cora@example.org')];
    let noted = 0;
    const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key', undefined, () => ++noted > 0)));
    expect(outcomes(answers)).toEqual(['accepted', 'rejected', 'accepted']);
    expect(api.requests.map(({ path }) => path)).toEqual(['/email/batch', '/email', '/email', '/email']);
    expect(noted).toBe(6);
    expect(api.taken.map(({ sendId }) => sendId)).toEqual([mails[0]?.sendId, mails[2]?.sendId]);
  });

  test('that found nobody puts each of its mails off, as surely not taken', async () => {
    const provider = providerAt(`postmark://sesame?baseUrl=http://127.0.0.1:${await unusedPort()}`);
    const answers = await Promise.all(mailsFor(3).map((mail) => provider.send(mail, 'key')));
    expect(new Set(outcomes(answers))).toEqual(new Set(['later']));
    expect(JSON.stringify(answers)).not.toContain('sesame');
  });

  test('a mail that has waited too long for a call is not submitted any more', async () => {
    const { api, provider } = await postmark({ maxConnections: 1, timeoutSeconds: 1 });
    api.next('silence');
    let late: Promise<ProviderAnswer> | undefined;
    const first = provider.send(mailFor('first@example.org'), 'key', undefined, () => {
      late = provider.send(mailFor('late@example.org'), 'key');
      return true;
    });
    expect((await first).outcome).toBe('unknown');
    expect(await late).toEqual({ outcome: 'later', message: expect.stringContaining('not submitted') });
    expect(api.requests).toHaveLength(1);
  });

  test('of several hundred long answers is read whole', async () => {
    const { provider } = await answering(json(200, Array(500).fill({ ErrorCode: 300, Message: `Invalid: ${'x'.repeat(2_000)}` })));
    const answers = await Promise.all(mailsFor(500).map((mail) => provider.send(mail, 'key')));
    expect(new Set(outcomes(answers))).toEqual(new Set(['rejected']));
  });
});
