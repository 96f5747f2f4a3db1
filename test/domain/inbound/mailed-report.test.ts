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
} from './returned-mails.ts';

const NOW = new Date('2026-03-02T00:00:00Z');
const ANN = 'ann@there.example';
const SEND_ID = MESSAGE_ID.slice(0, 36);

/** What matters of each event: type, kind and code of a bounce, recipient. */
async function said(message: Uint8Array): Promise<unknown[]> {
  const events = await readMailedReport(message, NOW);
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
  ])('%s', async (_, status, diagnostic, kind, code) => {
    expect(await said(report({ status: failed(status, diagnostic) }))).toEqual([['bounced', kind, code, ANN]]);
  });

  test('what is delayed is no bounce, what was delivered is, and what somebody else has now says nothing', async () => {
    expect(await said(report({ status: failed('4.4.1', 'connection timed out', 'delayed') }))).toEqual([['queued', ANN]]);
    expect(await said(report({ status: failed('2.0.0', '250 taken', 'delivered') }))).toEqual([['delivered', ANN]]);
    expect(await said(report({ status: failed('2.0.0', '250 taken', 'relayed (to non-DSN-aware mailer)') }))).toEqual([]);
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
    const { length } = await readMailedReport(report({ type: 'text/plain', status: failed('5.1.1', '550 unknown') }), NOW);
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
    ['in HTML', HTML_ONLY, [['bounced', 'soft', '5.7.1', undefined]]],
  ] as const)('%s', async (_, message, expected) => {
    expect(await said(message)).toEqual(expected);
  });

  test.each([
    ['an absence note, whatever it says', ABSENCE],
    ['an answer of a person that quotes a bounce', ANSWER],
    ['a mail of a postmaster about something else', GREETING],
    [
      'a bounce whose only code stands in the mail that came back',
      plain('mailer-daemon@x.example', 'Hello', ['Look:', '', '--- Original message ---', '550 5.1.1']),
    ],
  ])('%s is none', async (_, message) => {
    expect(await readMailedReport(message, NOW)).toEqual([]);
  });
});

describe('a complaint', () => {
  test.each(['abuse', 'Fraud', 'opt-out', 'other'])('of the kind %s counts', async (kind) => {
    expect(await said(complaint(kind, [`Original-Rcpt-To: <${ANN}>`]))).toEqual([['complained', ANN]]);
  });

  test.each(['not-spam', 'auth-failure', 'virus', ''])('of the kind "%s" is none of a person', async (kind) => {
    expect(await readMailedReport(complaint(kind), NOW)).toEqual([]);
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
    const [event] = await readMailedReport(message, NOW);
    expect({ providerIds: event?.providerIds, ...(event?.sendId && { sendId: event.sendId }) }).toEqual(about);
  });

  test('the envelope of the report comes before all that stands in it', async () => {
    const other = RETURN_PATH.replace('0199', 'ffff');
    const [event] = await readMailedReport(report({ status, headers: [`Delivered-To: ${RETURN_PATH}`] }), NOW, other);
    expect(event?.sendId).toBe(SEND_ID.replace('0199', 'ffff'));
  });
});

test('a report is the same one whichever way it came, and its time is never ahead', async () => {
  const status = failed('5.1.1', '550 5.1.1 unknown');
  const [first] = await readMailedReport(report({ status, headers: ['Received: by a'] }), NOW);
  const [again] = await readMailedReport(report({ status, headers: ['Received: by b'] }), NOW);
  expect(again?.key).toBe(first?.key);
  expect(first?.occurredAt).toEqual(new Date('2026-03-01T10:15:00Z'));
  const [early] = await readMailedReport(report({ status }), new Date('2026-02-01T00:00:00Z'));
  expect(early?.occurredAt).toEqual(new Date('2026-02-01T00:00:00Z'));
});

test('what is no mail is told as such', async () => {
  for (const message of ['', 'no header here', '\r\n\r\n']) {
    await expect(readMailedReport(Buffer.from(message), NOW)).rejects.toThrow(NotAnEvent);
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
    'parts',
    (size: number) => mail(['From: a@b.example', 'Content-Type: multipart/mixed; boundary=b', '', ...Array(size / 8).fill('--b\n\nx')]),
  ],
])('%s are read in the time that a test has: quadratic work on so much would take minutes', async (_, make) => {
  const events = await readMailedReport(make(MOST_REPORT_BYTES), NOW).catch((error: unknown) => error);
  expect(Array.isArray(events) || events instanceof NotAnEvent).toBe(true);
});
