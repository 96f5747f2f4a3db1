/** Mails that come back, in the shapes that mail servers write, written anew. */

const SEND_ID = '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e03';
export const MESSAGE_ID = `${SEND_ID}@shop.example`;
export const RETURN_PATH = `bounces+${SEND_ID.replaceAll('-', '')}0a1b2c3d4e5f@mail.example`;

export function mail(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\n').replaceAll('\n', '\r\n')}\r\n`);
}

/** Of the mail that came back. */
export const ORIGINAL = ['From: Shop <hello@shop.example>', 'To: ann@there.example', 'Subject: Hello', `Message-ID: <${MESSAGE_ID}>`];

export interface Report {
  /** Lines of the part for people. */
  readonly text?: readonly string[];
  /** Lines of the part for programs. */
  readonly status: readonly string[];
  readonly type?: string;
  readonly reportType?: string;
  readonly original?: readonly string[];
  readonly originalType?: string;
  readonly headers?: readonly string[];
  /** The type as a whole. */
  readonly as?: string;
}

/** A multipart/report (RFC 6522), as Postfix writes one. */
export function report({
  text = ['This is the mail system at host mx.there.example.', '', 'I could not deliver your message.'],
  status,
  type = 'message/delivery-status',
  reportType = 'delivery-status',
  original = ORIGINAL,
  originalType = 'message/rfc822',
  headers = [],
  as = `multipart/report; report-type=${reportType}`,
}: Report): Buffer {
  const given = headers.map((line) => line.split(':', 1)[0]);
  const usual = [
    'From: MAILER-DAEMON@mx.there.example (Mail Delivery System)',
    'To: hello@shop.example',
    'Subject: Undelivered Mail Returned to Sender',
  ];
  return mail([
    ...usual.filter((line) => !given.includes(line.split(':', 1)[0])),
    'Date: Sun, 1 Mar 2026 10:15:00 +0000 (UTC)',
    'Auto-Submitted: auto-replied',
    'Message-Id: <20260301101500.4F3C1@mx.there.example>',
    ...headers,
    'MIME-Version: 1.0',
    `Content-Type: ${as};`,
    '\tboundary="4F3C1.1772360100/mx.there.example"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--4F3C1.1772360100/mx.there.example',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    ...text,
    '',
    '--4F3C1.1772360100/mx.there.example',
    `Content-Type: ${type}`,
    '',
    ...status,
    '',
    '--4F3C1.1772360100/mx.there.example',
    'Content-Description: Undelivered Message',
    `Content-Type: ${originalType}`,
    '',
    ...original,
    '',
    'Hello Ann',
    '',
    '--4F3C1.1772360100/mx.there.example--',
  ]);
}

/** Of one recipient, behind what is said of all. */
export function failed(status: string, diagnostic: string, action = 'failed'): string[] {
  return [
    ...['Reporting-MTA: dns; mx.there.example', 'X-Postfix-Queue-ID: 4F3C1', 'Arrival-Date: Sun,  1 Mar 2026 10:14:58 +0000 (UTC)', ''],
    ...['Final-Recipient: rfc822; ann@there.example', `Action: ${action}`, `Status: ${status}`, 'Remote-MTA: dns; mx2.there.example'],
    `Diagnostic-Code: smtp; ${diagnostic}`,
  ];
}

/** A mail for people only. */
export function plain(from: string, subject: string, text: readonly string[], headers: readonly string[] = []): Buffer {
  return mail([`From: ${from}`, 'To: hello@shop.example', `Subject: ${subject}`, ...headers, '', ...text]);
}

export const QMAIL = plain('MAILER-DAEMON@qmail.there.example', 'failure notice', [
  'Hi. This is the qmail-send program at qmail.there.example.',
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  "This is a permanent error; I've given up. Sorry it didn't work out.",
  '',
  '<ann@there.example>:',
  'Sorry, no mailbox here by that name. (#5.1.1)',
  '',
  '<bob@there.example>:',
  '192.0.2.25 failed after I sent the message.',
  'Remote host said: 552 5.2.2 quota exceeded, mailbox is full',
  '',
  '--- Below this line is a copy of the message.',
  '',
  'Return-Path: <hello@shop.example>',
  ...ORIGINAL,
  '',
  'We said 550 5.1.1 to nobody.',
]);

export const EXIM = plain(
  'Mail Delivery System <Mailer-Daemon@exim.there.example>',
  'Mail delivery failed: returning message to sender',
  [
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    '  ann@there.example',
    '    host mx2.there.example [192.0.2.25]',
    '    SMTP error from remote mail server after RCPT TO:<ann@there.example>:',
    '    550 No such user here',
    '',
    '------ This is a copy of the message, including all the headers. ------',
    '',
    'Return-path: <hello@shop.example>',
    ...ORIGINAL,
    '',
    'Hello Ann',
  ],
  ['X-Failed-Recipients: ann@there.example', 'Auto-Submitted: auto-replied'],
);

export const EXIM_DELAY = plain('Mailer-Daemon@exim.there.example', 'Warning: message 1vXyZ-0001 delayed 24 hours', [
  'This message was created automatically by mail delivery software.',
  'A message that you sent has not yet been delivered to one or more of its',
  'recipients after more than 24 hours on the queue on exim.there.example.',
  '',
  '  ann@there.example',
  '    Delay reason: Connection timed out',
  '',
  'No action is required on your part. Delivery attempts will continue for',
  'some time, and this warning may be repeated at intervals.',
]);

export const SENDMAIL_DELAY = plain(
  'Mail Delivery Subsystem <MAILER-DAEMON@there.example>',
  'Warning: could not send message for past 4 hours',
  [
    '    **********************************************',
    '    **      THIS IS A WARNING MESSAGE ONLY      **',
    '    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **',
    '    **********************************************',
    '',
    '   ----- Transcript of session follows -----',
    '<ann@there.example>... Deferred: Connection timed out with mx2.there.example.',
    'Warning: message still undelivered after 4 hours',
    'Will keep trying until message is 5 days old',
  ],
);

export const GMX = plain('GMX Mailer Daemon <mailer-daemon@gmx.example>', 'Mail delivery failed: returning message to sender', [
  'This message was created automatically by mail delivery software.',
  '',
  'A message that you sent could not be delivered to one or more of',
  'its recipients. This is a permanent error. The following address',
  'failed:',
  '',
  '"ann@there.example":',
  'SMTP error from remote server for RCPT TO command, host: mx.there.example (192.0.2.25) reason: 550 no such user',
  '',
  '--- The header of the original message is following. ---',
  '',
  ...ORIGINAL,
]);

export const OLD_EXCHANGE = plain('System Administrator <postmaster@there.example>', 'Undeliverable: Hello', [
  'Your message',
  '',
  '  To:      ann@there.example',
  '  Subject: Hello',
  '  Sent:    Sun, 1 Mar 2026 10:14:58 +0000',
  '',
  'did not reach the following recipient(s):',
  '',
  'ann@there.example on Sun, 1 Mar 2026 10:15:02 +0000',
  '    The e-mail account does not exist at the organization this message was sent to.',
  '        <mail.there.example #5.1.1 smtp;550 5.1.1 User unknown>',
]);

export const HTML_ONLY = mail([
  'From: postmaster@there.example',
  'To: hello@shop.example',
  'Subject: Delivery failure',
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<html><body><p>Your message to <b>ann@there.example</b> was rejected:</p><p>554 5.7.1 =',
  'content refused by policy</p></body></html>',
]);

export const ABSENCE = plain(
  'Ann Bell <ann@there.example>',
  'Automatic reply: Hello',
  ['I am away until 550 5.1.1 things are done. My mailbox does not exist for you.'],
  ['Auto-Submitted: auto-replied', `In-Reply-To: <${MESSAGE_ID}>`],
);

export const ANSWER = plain(
  'Ann Bell <ann@there.example>',
  'Re: Hello',
  ['My other address gives "550 5.1.1 user unknown". Why?'],
  [`In-Reply-To: <${MESSAGE_ID}>`],
);

export const GREETING = plain('postmaster@there.example', 'Welcome', ['Thank you for joining us. Nothing is wrong.']);

/** RFC 5965, as a receiver reports what a person called spam. */
export function complaint(type: string, more: readonly string[] = [], original: readonly string[] = ORIGINAL, as?: string): Buffer {
  const about = ['User-Agent: SomeGenerator/1.0', 'Version: 1', `Feedback-Type: ${type}`, 'Arrival-Date: Sun, 1 Mar 2026 09:00:00 +0000'];
  return report({
    text: ['This is an email abuse report for an email message received from IP 192.0.2.1.'],
    status: [...about, ...more],
    type: 'message/feedback-report',
    reportType: 'feedback-report',
    original,
    ...(as && { as }),
  });
}
