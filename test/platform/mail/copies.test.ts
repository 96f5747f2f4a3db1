import { expect, test } from 'vitest';
import { buildMessage } from '../../../platform/mail/mime.ts';
import { resendBody } from '../../../platform/mail/resend-body.ts';
import { mailTo } from './mails.ts';

const cc = [{ email: 'ann@example.org', name: 'Bell, Änn' }, { email: 'cy@example.org' }];
const mail = mailTo('bob@example.org', { toName: 'Bob', cc, bcc: [{ email: 'blind@example.org' }] });

test('a message names its copies, and has blind ones on its envelope alone', () => {
  const { to, copies, content } = buildMessage(mail);
  expect([to, copies]).toEqual(['bob@example.org', ['ann@example.org', 'cy@example.org', 'blind@example.org']]);
  const text = Buffer.from(content).toString();
  expect(text).toContain('To: Bob <bob@example.org>\r\n');
  expect(text).toMatch(/^Cc: =\?utf-8\?B\?\S+\?= <ann@example\.org>,\r\n cy@example\.org\r\n/m);
  expect(text).not.toContain('blind');
});

test('the body of a request to Resend has each list of recipients', () => {
  expect(JSON.parse(Buffer.from(resendBody(mail).content).toString())).toMatchObject({
    to: ['Bob <bob@example.org>'],
    cc: ['"Bell, Änn" <ann@example.org>', 'cy@example.org'],
    bcc: ['blind@example.org'],
  });
});
