import { describe, expect, test } from 'vitest';
import { NotAnEvent } from '../../../domain/inbound/event.ts';
import { MOST_REPORT_BYTES, readMailedReport } from '../../../domain/inbound/mailed-report.ts';
import {
  ABSENCE,
  ANSWER,
  complaint,
  EXIM,
  EXIM_DELAY,
  failed,
  GMX,
  GREETING,
  HTML_ONLY,
  MESSAGE_ID,
  mail,
  OLD_EXCHANGE,
  ORIGINAL,
  plain,
  QMAIL,
  RETURN_PATH,
  report,
  SENDMAIL_DELAY,
} from '../../domain/inbound/returned-mails.ts';

const NOW = new Date('2026-03-02T00:00:00Z');
const ANN = 'ann@there.example';
const SEND_ID = MESSAGE_ID.slice(0, 36);
/** Takes each mark for a right one. */
const sendIdOf = (address: string): string | undefined => {
  const [, digits] = /\+([0-9a-f]{32})[0-9a-f]{12}@/.exec(address.toLowerCase()) ?? [];
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
const ARRIVAL = { now: NOW, sendIdOf };

/** What matters of each event: type, kind and code of a bounce, recipient. */
async function said(message: Uint8Array): Promise<unknown[]> {
  const events = await readMailedReport(message, ARRIVAL);
  return events.map(({ type, details: { bounce }, email }) => [type, ...(bounce ? [bounce.kind, bounce.code] : []), email]);
}

describe('a report with a part for programs', () => {
  test.each([
    ['a mailbox that is not there', '5.1.1', '550 5.1.1 <ann@there.example>: Recipient address rejected: User unknown', 'hard', '5.1.1'],
    ['a domain that takes no mail', '5.1.10', '556 5.1.10 domain has a null MX', 'hard', '5.1.10'],
    ['a mailbox that was closed', '5.2.1', '550 5.2.1 mailbox disabled', 'hard', '5.2.1'],
    ['a full mailbox', '5.2.2', '552 5.2.2 mailbox full', 'soft', '5.2.2'],
    ['a refusal by policy that names no user', '5.7.1', '554 5.7.1 blocked; user unknown to our list', 'soft', '5.7.1'],
    ['a sender that is refused', '5.1.8', '550 5.1.8 sender address rejected: domain not found', 'soft', '5.1.8'],
    ['a mail that was tried for days', '4.4.7', 'delivery time expired', 'soft', '4.4.7'],
    [
      'a code that says nothing, with a word that does',
      '5.0.0',
      "554 delivery error: dd This user doesn't have a yahoo.example account",
      'hard',
      '5.0.0',
    ],
    ['a code that says nothing, with a better one in the answer', '5.0.0', '550 5.1.1 unknown', 'hard', '5.1.1'],
    ['a code that says nothing, and a full mailbox', '5.0.0', '552 user mailbox not found space, quota exceeded', 'soft', '5.0.0'],
    ['a server that knows only whom it lets in', '5.4.1', '550 5.4.1 Recipient address rejected: Access denied', 'hard', '5.4.1'],
    [
      'a protocol error for a mailbox that is not there',
      '5.5.0',
      '550 5.5.0 Requested action not taken: mailbox unavailable',
      'hard',
      '5.5.0',
    ],
    ['an address that moved, says one that is short of room', '5.1.0', '550 5.1.0 temporary trouble', 'soft', '5.1.0'],
    ['a code that nobody can read', 'none', '550 No such user here', 'hard', '550'],
    ['a name whose dots would end the sentence', '5.0.0', '550 <ann@there.example> does not exist', 'hard', '5.0.0'],
    ['a domain that does not exist', '5.4.310', 'DNS domain there.example does not exist', 'hard', '5.4.310'],
    ['a recipient that is unknown', '5.0.0', '550 Recipient unknown', 'hard', '5.0.0'],
    ['an alias that is none', '5.0.0', '550 unknown or illegal alias: ann@there.example', 'hard', '5.0.0'],
    ['an account that nobody uses', '5.2.1', '550 5.2.1 The email account that you tried to reach is inactive', 'hard', '5.2.1'],
    ['German', '5.0.0', '550 Empfänger unbekannt', 'hard', '5.0.0'],
    [
      'our sender, which cannot be verified',
      '5.0.0',
      '550-Verification failed for <hello@shop.example> 550-No Such User Here 550 Sender verify failed',
      'soft',
      '5.0.0',
    ],
    [
      'our policy beside the mailbox',
      '5.0.0',
      '550-Requested action not taken: mailbox unavailable 550-Reject due to policy restrictions',
      'soft',
      '5.0.0',
    ],
    [
      'a rate that a mailbox takes no more at',
      '5.2.1',
      '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
      'soft',
      '5.2.1',
    ],
    ['a block of our server', '5.1.0', '554 5.1.0 Sending IP is on our blocklist', 'soft', '5.1.0'],
    ['our name, which does not exist', '5.0.0', '550 Invalid HELO name: host name does not exist', 'soft', '5.0.0'],
    ['our login', '5.0.0', '535 invalid account: authentication failed', 'soft', '5.0.0'],
  ])('%s', async (_, status, diagnostic, kind, code) => {
    expect(await said(report({ status: failed(status, diagnostic) }))).toEqual([['bounced', kind, code, ANN]]);
  });

  test('what is delayed is no bounce, what was delivered is, and what somebody else has now says nothing', async () => {
    expect(await said(report({ status: failed('4.4.1', 'connection timed out', 'delayed') }))).toEqual([['queued', ANN]]);
    expect(await said(report({ status: failed('2.0.0', '250 taken', 'delivered') }))).toEqual([['delivered', ANN]]);
    expect(await said(report({ status: failed('2.0.0', '250 taken', 'relayed (to non-DSN-aware mailer)') }))).toEqual([]);
  });

  test('without an action the status says what it is', async () => {
    for (const [status, expected] of [
      ['4.4.1', [['queued', ANN]]],
      ['2.1.5', [['delivered', ANN]]],
      ['5.1.1', [['bounced', 'hard', '5.1.1', ANN]]],
      ['', []],
    ] as const)
      expect(await said(report({ status: failed(status, 'x').filter((line) => !line.startsWith('Action')) }))).toEqual(expected);
  });

  test('each recipient has its own, by the address that the mail was sent to where the report has it', async () => {
    const status = [
      ...failed('5.1.1', '550 5.1.1 unknown'),
      ...[
        '',
        'Original-Recipient: rfc822;bob@there.example',
        'Final-Recipient: rfc822;bob@inner.example',
        'Action: failed',
        'Status: 5.2.2',
      ],
      ...['', 'Final-Recipient: X400; /C=XX/S=bell/', 'Action: failed', 'Status: 5.1.1'],
    ];
    expect(await said(report({ status }))).toEqual([
      ['bounced', 'hard', '5.1.1', ANN],
      ['bounced', 'soft', '5.2.2', 'bob@there.example'],
      ['bounced', 'hard', '5.1.1', undefined],
    ]);
  });

  test('an answer of several lines is one, and the part may be encoded or in the form beyond ASCII', async () => {
    const lines = failed('5.0.0', '550-5.1.1 The email account that you tried to');
    const folded = [...lines, '    550-5.1.1 reach does not exist. Please try', '\t550 5.1.1 double-checking'];
    expect(await said(report({ status: folded }))).toEqual([['bounced', 'hard', '5.1.1', ANN]]);
    const encoded = Buffer.from(lines.join('\r\n')).toString('base64');
    const type = 'message/delivery-status\nContent-Transfer-Encoding: base64';
    expect(await said(report({ type, status: [encoded] }))).toEqual([['bounced', 'hard', '5.1.1', ANN]]);
    const beyond = ['Reporting-MTA: dns; x.example', '', 'Final-Recipient: utf-8; änn@there.example', 'Action: failed', 'Status: 5.1.1'];
    const global = { type: 'message/global-delivery-status', originalType: 'message/global-headers', status: beyond };
    expect(await said(report(global))).toEqual([['bounced', 'hard', '5.1.1', 'änn@there.example']]);
  });

  test('the part is read also where it says that it is for people', async () => {
    const { length } = await readMailedReport(report({ type: 'text/plain', status: failed('5.1.1', '550 unknown') }), ARRIVAL);
    expect(length).toBe(1);
  });
});

describe('a bounce for people only', () => {
  test.each([
    [
      'of qmail, which names each recipient',
      QMAIL,
      [
        ['bounced', 'hard', '5.1.1', ANN],
        ['bounced', 'soft', '5.2.2', 'bob@there.example'],
      ],
    ],
    ['of Exim', EXIM, [['bounced', 'hard', '550', ANN]]],
    ['of Exim, which is still trying', EXIM_DELAY, [['queued', undefined]]],
    ['of an old Exchange', OLD_EXCHANGE, [['bounced', 'hard', '5.1.1', ANN]]],
    ['of GMX, with its recipient in quotes', GMX, [['bounced', 'hard', '550', ANN]]],
    [
      'of a server that calls itself otherwise',
      plain('admin@there.example', 'Undelivered Mail Returned to Sender', ['<ann@there.example>: 550 5.1.1 unknown']),
      [['bounced', 'hard', '5.1.1', ANN]],
    ],
    ['of Sendmail, which is still trying', SENDMAIL_DELAY, [['queued', undefined]]],
    [
      'that is final though the mail was about a delay',
      plain('postmaster@there.example', 'Undeliverable: Your order is delayed', ['<ann@there.example>: 550 5.1.1 User unknown']),
      [['bounced', 'hard', '5.1.1', ANN]],
    ],
    [
      'that begins with a rule',
      plain('mailer-daemon@there.example', 'Returned mail', [
        '------------',
        '<ann@there.example>: 550 5.1.1 User unknown',
        '------------',
      ]),
      [['bounced', 'hard', '5.1.1', ANN]],
    ],
    ['in HTML', HTML_ONLY, [['bounced', 'soft', '5.7.1', undefined]]],
  ] as const)('%s', async (_, message, expected) => {
    expect(await said(message)).toEqual(expected);
  });

  test.each([
    ['an absence note, whatever it says', ABSENCE],
    ['an answer of a person that quotes a bounce', ANSWER],
    ['a mail of a postmaster about something else', GREETING],
    [
      'an answer of a ticket system with a number in it',
      plain('postmaster@corp.example', 'Your request', ['Your request #512 has been received. We have 450 users here.']),
    ],
    [
      'an absence note of a postmaster',
      plain('postmaster@corp.example', 'Away', ['I am temporarily away, in room 404 at our desk.'], ['X-Autoreply: yes']),
    ],
    ['a mail without a sender', plain('', 'Hello', ['I have 500 questions'])],
    [
      'a mail of a list',
      plain('postmaster@x.example', 'Delivery failure', ['550 5.1.1 how do I mend this?'], ['List-Id: <help.x.example>']),
    ],
    ['a bounce that somebody forwards', plain('Ann <ann@there.example>', 'Fwd: Undelivered Mail', [...failed('5.1.1', '550 unknown')])],
    [
      'a report in a mail of somebody',
      report({ status: failed('5.1.1', '550 unknown'), as: 'multipart/mixed', headers: ['Subject: Fwd: x', 'From: ann@there.example'] }),
    ],
    ['a complaint in a mail of somebody', complaint('abuse', [], ORIGINAL, 'multipart/mixed')],
    [
      'a receipt',
      report({
        status: ['Final-Recipient: rfc822; ann@there.example', 'Disposition: manual-action/MDN-sent-manually; displayed'],
        type: 'message/disposition-notification',
        reportType: 'disposition-notification',
      }),
    ],
    [
      'a bounce whose only code stands in the mail that came back',
      plain('mailer-daemon@x.example', 'Hello', ['Look:', '', '--- Original message ---', '550 5.1.1']),
    ],
  ])('%s is none', async (_, message) => {
    expect(await readMailedReport(message, ARRIVAL)).toEqual([]);
  });
});

describe('a complaint', () => {
  test.each(['abuse', 'Fraud', 'opt-out', 'other'])('of the kind %s counts', async (kind) => {
    expect(await said(complaint(kind, [`Original-Rcpt-To: <${ANN}>`]))).toEqual([['complained', ANN]]);
  });

  test.each(['not-spam', 'auth-failure', 'virus', ''])('of the kind "%s" is none of a person', async (kind) => {
    expect(await readMailedReport(complaint(kind), ARRIVAL)).toEqual([]);
  });
});

describe('the mail that it is about', () => {
  const status = failed('5.1.1', '550 5.1.1 unknown');
  const bySend = { providerIds: [], sendId: SEND_ID };
  test.each([
    ['by the Message-ID of the mail that came back', report({ status }), { providerIds: [MESSAGE_ID] }],
    ['by that of its header alone', report({ status, originalType: 'text/rfc822-headers' }), { providerIds: [MESSAGE_ID] }],
    ['by that which qmail quotes', QMAIL, { providerIds: [MESSAGE_ID] }],
    ['by that which Exim quotes', EXIM, { providerIds: [MESSAGE_ID] }],
    ['by the address that the report was sent to', report({ status, headers: [`Delivered-To: ${RETURN_PATH.toUpperCase()}`] }), bySend],
    ['by the envelope of the mail that came back', report({ status, original: [`Return-Path: <${RETURN_PATH}>`, ...ORIGINAL] }), bySend],
    ['by the envelope that a complaint tells', complaint('abuse', [`Original-Mail-From: <${RETURN_PATH}>`]), bySend],
    ['by nothing', report({ status, original: ['Subject: Hello'] }), { providerIds: [] }],
  ])('%s', async (_, message, about) => {
    const [event] = await readMailedReport(message, ARRIVAL);
    expect({ providerIds: event?.providerIds, ...(event?.sendId && { sendId: event.sendId }) }).toEqual(about);
  });

  test('the envelope of the report comes before all that stands in it', async () => {
    const other = RETURN_PATH.replace('0199', 'ffff');
    const [event] = await readMailedReport(report({ status, headers: [`Delivered-To: ${RETURN_PATH}`] }), { ...ARRIVAL, sentTo: other });
    expect(event?.sendId).toBe(SEND_ID.replace('0199', 'ffff'));
  });
});

test('a report is the same one whichever way it came, and its time is never ahead', async () => {
  const status = failed('5.1.1', '550 5.1.1 unknown');
  const [first] = await readMailedReport(report({ status, headers: ['Received: by a'] }), ARRIVAL);
  const [again] = await readMailedReport(report({ status, headers: ['Received: by b'] }), ARRIVAL);
  expect(again?.key).toBe(first?.key);
  expect(first?.occurredAt).toEqual(new Date('2026-03-01T10:15:00Z'));
  const [early] = await readMailedReport(report({ status }), { ...ARRIVAL, now: new Date('2026-02-01T00:00:00Z') });
  expect(early?.occurredAt).toEqual(new Date('2026-02-01T00:00:00Z'));
});

test('what is no mail is told as such', async () => {
  for (const message of ['', 'no header here', '\r\n\r\n']) {
    await expect(readMailedReport(Buffer.from(message), ARRIVAL)).rejects.toThrow(NotAnEvent);
  }
});

test.each([
  ['opening brackets in HTML', (size: number) => mail(['From: postmaster@x.example', 'Content-Type: text/html', '', '<'.repeat(size)])],
  ['dashes', (size: number) => plain('postmaster@x.example', 'x', ['-'.repeat(size)])],
  ['underscores on many lines', (size: number) => plain('postmaster@x.example', 'x', Array(Math.floor(size / 100)).fill('_'.repeat(99)))],
  ['addresses', (size: number) => plain('postmaster@x.example', 'x', Array(Math.floor(size / 20)).fill('<a@b.example>: 550 x'))],
  ['a field that never ends', (size: number) => report({ status: [`Final-Recipient: rfc822; ${'a'.repeat(size)}`] })],
  ['empty lines', (size: number) => report({ status: Array(size / 2).fill(' ') })],
  ['words that begin like those of a bounce', (size: number) => plain('postmaster@x.example', 'x', ['mailbox '.repeat(size / 8)])],
  [
    'HTML beside a text',
    (size: number) =>
      mail([
        'From: a@b.example',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'x',
        '--b',
        'Content-Type: text/html',
        '',
        '<a href="'.repeat(size / 9),
      ]),
  ],
  ['senders in groups', (size: number) => mail([`From: ${'a:'.repeat(size / 2)}`])],
  [
    'recipients without words',
    (size: number) =>
      report({
        text: ['user '.repeat(size / 10)],
        status: Array(500).fill('Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0\n'),
      }),
  ],
  [
    'parts',
    (size: number) => mail(['From: a@b.example', 'Content-Type: multipart/mixed; boundary=b', '', ...Array(size / 8).fill('--b\n\nx')]),
  ],
])('%s are read in the time that a test has: quadratic work on so much would take minutes', async (_, make) => {
  const events = await readMailedReport(make(MOST_REPORT_BYTES), ARRIVAL).catch((error: unknown) => error);
  expect(Array.isArray(events) || events instanceof NotAnEvent).toBe(true);
});
