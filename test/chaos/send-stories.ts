import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Driver } from './driver.ts';
import { handingIn, type SmtpDoor } from './hand-in.ts';
import { NO_TEMPLATE } from './mail-calls.ts';
import { QUICK } from './mail-server.ts';
import { subjects } from './observed.ts';
import type { Random } from './random.ts';
import { TEMPLATES } from './world.ts';

export interface SendStoryOptions {
  readonly driver: Driver;
  readonly random: Random;
  /** A name that nothing else has. */
  readonly ref: () => string;
  readonly newAddress: (prefix: string) => string;
  readonly smtp: SmtpDoor;
}

/** The lease of a key whose process was killed lasts for ten minutes: nobody waits for that. */
export const LEASE_PATIENCE_MS = 20_000;

/** Some are written by many calls, one of each kind of content. */
const CONTENTS = [
  { html: '<p>Hello {{ name }}</p>' },
  { text: 'Hello {{ name }}' },
  { html: '<p>{{ name }}, see <a href="https://chaos.example/{{ name }}">there</a></p>', text: '{{ name }}: there' },
] as const;

/** Stories of mails that are asked for one by one, in batches, and for later. */
export function createSendStories({ driver, random, ref, newAddress, smtp }: SendStoryOptions) {
  const { call, insist } = driver;
  const keyMostly = (share: number): string | undefined => (random.chance(share) ? `key-${ref()}` : undefined);
  const inMs = (most: number): string => new Date(Date.now() + random.between(0, most)).toISOString();

  /** Some are of many mails, so that their bytes are kept already. */
  const files = () =>
    Array.from({ length: random.between(1, 3) }, (_, index) => ({
      filename: `${index}.txt`,
      content: Buffer.from((random.chance(0.5) ? 'the same ' : `${ref()} `).repeat(random.one([1, 500, 5_000]))).toString('base64'),
    }));

  /** Of a template, or with content of its own. */
  const mailTo = (to: string): object => {
    const type = random.chance(0.4) ? 'marketing' : 'transactional';
    const subject = subjects.send(ref(), type === 'marketing');
    const said = {
      ...(random.chance(0.15) ? { attachments: files() } : {}),
      ...(random.chance(0.15) ? { cc: `copy-${ref()}@${QUICK}` } : {}),
    };
    if (random.chance(0.6)) return { to, template: TEMPLATES[type], subject, ...said };
    const written = random.chance(0.2) ? { html: `<p>${ref()} {{ name }}</p>` } : random.one(CONTENTS);
    return { to, type, subject, ...written, ...said, data: { name: 'Ada' } };
  };

  const send = async (to: string): Promise<void> => {
    const asked: Asked = { kind: 'send', method: 'POST', path: '/send', key: keyMostly(0.8), body: mailTo(to) };
    if (asked.key === undefined) return void (await call(asked));
    // Sometimes two at once, sometimes again after the answer.
    await Promise.all(Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => insist(asked)));
    if (random.chance(0.2)) await insist(asked);
  };

  const batch = async (): Promise<void> => {
    const mails: object[] = Array.from({ length: random.between(2, 12) }, () => ({
      ...mailTo(newAddress('batch')),
      ...(random.chance(0.2) ? { sendAt: inMs(15_000) } : {}),
    }));
    const bad = { to: newAddress('bad'), template: NO_TEMPLATE, subject: subjects.send(ref(), false) };
    if (random.chance(0.4)) mails.splice(random.between(0, mails.length), 0, bad);
    const asked: Asked = { kind: 'batch', method: 'POST', path: '/send/batch', key: keyMostly(0.8), body: { mails } };
    if (asked.key === undefined) return void (await call(asked));
    await Promise.all(Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => insist(asked)));
  };

  /** By software that knows SMTP alone, and has a queue. */
  const handedIn = async (to: string): Promise<void> => {
    const [subject, messageId] = [subjects.send(ref(), false), `<${ref()}@queue.example>`];
    const body = { to, subject, ...(random.chance(0.3) ? { attachments: files() } : {}) };
    const attachments = (body.attachments ?? []).map(({ filename, content }) => ({ filename, content, encoding: 'base64' }));
    const message = {
      from: `hello@${smtp.user}.example`,
      to,
      subject,
      text: `Hello {{ ${ref()} }}`,
      messageId,
      date: new Date(),
      attachments,
    };
    const ask = handingIn(smtp, message);
    const asked: Asked = { kind: 'send', method: 'SMTP', path: '/send', key: messageId, body };
    await Promise.all(Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => driver.insist(asked, undefined, ask)));
    if (random.chance(0.2)) await driver.insist(asked, undefined, ask);
  };

  const later = async (): Promise<void> => {
    const to = newAddress('later');
    const body = { ...mailTo(to), sendAt: inMs(20_000) };
    const asked: Asked = { kind: 'schedule', method: 'POST', path: '/send', key: keyMostly(0.8), body };
    const { status, answer } = await (asked.key === undefined ? call(asked) : insist(asked, Date.now() + LEASE_PATIENCE_MS));
    if (status !== 202) return;
    const path = `/sends/${answer.id}`;
    const move = () => insist({ kind: 'move send', method: 'PATCH', path, body: { sendAt: inMs(15_000) } });
    const cancel = () => insist({ kind: 'cancel send', method: 'DELETE', path });
    await sleep(random.between(0, 12_000));
    const what = random.next();
    if (what < 0.25) await cancel();
    else if (what < 0.5) await move();
    else if (what < 0.6) await Promise.all([move(), cancel()]);
    else if (what < 0.7) await insist({ kind: 'suppress', method: 'POST', path: '/suppressions', body: { email: to } });
  };

  return { send, batch, later, handedIn };
}
