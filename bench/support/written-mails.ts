import type { WrittenMail } from '../../platform/mail/mail.ts';
import { messageIdOf } from '../../platform/mail/mime.ts';

/** HTML of so many lines for each encoding that a message may need. */
export function bodiesOf(lines: Readonly<Record<'7bit' | 'quoted-printable' | 'base64', number>>) {
  return {
    '7bit': '<p style="color:#333">Hello there, this line is ASCII.</p>\n'.repeat(lines['7bit']),
    'quoted-printable': '<p style="color:#333">Grüße an alle, die das lesen.</p>\n'.repeat(lines['quoted-printable']),
    base64: '<p>漢字かな交じり文のテスト、長い文章。</p>\n'.repeat(lines.base64),
  };
}

let count = 0;

/** The next mail, to a person of its own. */
export function nextMail(html: string): WrittenMail {
  const sendId = `0199c0de-0000-7000-8000-${String(++count).padStart(12, '0')}`;
  return {
    sendId,
    messageId: messageIdOf(sendId, 'hello@bench.example'),
    from: { email: 'hello@bench.example', name: 'The Bench' },
    to: `person-${count}@to.example`,
    subject: 'Your receipt for order 1042',
    html,
    text: html.slice(0, 2000),
    headers: {},
    date: new Date(),
  };
}
