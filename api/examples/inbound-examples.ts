import { INBOUND_ID, NOW, PROVIDER_ID } from './shown-records.ts';

export const inbound = [
  {
    title: 'generic: a bounce',
    params: { provider: 'generic', inboundId: INBOUND_ID },
    body: { type: 'bounced', providerId: PROVIDER_ID, timestamp: NOW, bounce: { kind: 'hard', code: '5.1.1' } },
    answer: { received: 1, matched: 1 },
  },
] as const;

export const mailedReport = [
  {
    title: 'a mailbox that is not there',
    params: { inboundId: INBOUND_ID },
    body: [
      'From: MAILER-DAEMON@mx.example.com',
      'To: bounces@mail.example.com',
      'Subject: Undelivered Mail Returned to Sender',
      'Message-ID: <20260301101500.4F3C1@mx.example.com>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; mary@example.com',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such user',
      '',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: <${PROVIDER_ID}>`,
      '',
      '--b--',
      '',
    ].join('\r\n'),
    answer: { received: 1, matched: 1 },
  },
] as const;
