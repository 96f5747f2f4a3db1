import { setTimeout as sleep } from 'node:timers/promises';
import { type Driver, reading } from './driver.ts';
import type { SmtpDoor } from './hand-in.ts';
import { type ChaosMailServer, OTHER_DOMAINS, QUICK } from './mail-server.ts';
import { subjects } from './observed.ts';
import type { Random } from './random.ts';
import { createSendStories, LEASE_PATIENCE_MS } from './send-stories.ts';
import { GO, startOf, TEMPLATES, type World } from './world.ts';

export interface LoadOptions {
  readonly driver: Driver;
  readonly world: World;
  readonly mailServer: Pick<ChaosMailServer, 'unsubscribeLinks'>;
  readonly smtp: SmtpDoor;
  readonly random: Random;
  /** Of the whole load: 1, or a half of it. */
  readonly share: number;
  /** Nothing new begins after it. Milliseconds since 1970. */
  readonly until: number;
}

const GAP_MS = { least: 200, most: 900 };
/** More would only wait for each other when a server is stopped. */
const MOST_AT_ONCE = 40;

/** Stories of every kind, begun at random moments; resolves when the last has ended. */
export async function runLoad({ driver, world, mailServer, smtp, random, share, until }: LoadOptions): Promise<void> {
  const { call, insist } = driver;
  let count = 0;
  const ref = (): string => `${(++count).toString(36)}${random.between(0, 46_655).toString(36).padStart(3, '0')}`;
  const newAddress = (prefix: string): string => `${prefix}-${ref()}@${random.chance(0.75) ? QUICK : random.one(OTHER_DOMAINS)}`;
  const aWhile = (mostMs: number): Promise<unknown> => sleep(random.between(0, mostMs));
  const suppress = (email: string) => insist({ kind: 'suppress', method: 'POST', path: '/suppressions', body: { email } });
  const unsubscribe = (contactId: string, email: string) =>
    insist({ kind: 'unsubscribe', method: 'POST', path: `/contacts/${contactId}/unsubscribe`, about: email });
  const newContacts = async (emails: readonly string[]): Promise<{ id: string; email: string }[]> => {
    const body = emails.map((email) => ({ email, source: 'chaos' }));
    return (await insist({ kind: 'contacts', method: 'POST', path: '/contacts', body })).answer?.contacts ?? [];
  };

  const { send, batch, later, handedIn } = createSendStories({ driver, random, ref, newAddress, smtp });
  const event = (type: string, email: string, more: object = {}) => {
    const key = random.chance(0.8) ? `key-${ref()}` : undefined;
    const asked = { kind: 'event', method: 'POST', path: '/events', key, body: { type, email, ...more } } as const;
    return key === undefined ? call(asked) : insist(asked, Date.now() + LEASE_PATIENCE_MS);
  };
  const enrollmentIn = async (sequence: string, contactId: string): Promise<string | undefined> => {
    const { answer } = await insist(reading(`/sequences/${sequence}/enrollments?contactId=${contactId}`));
    return answer?.enrollments?.[0]?.id;
  };
  const cancel = async (sequence: string, contactId: string): Promise<void> => {
    const id = await enrollmentIn(sequence, contactId);
    if (id) await insist({ kind: 'cancel enrollment', method: 'DELETE', path: `/enrollments/${id}` });
  };

  const drip = async (): Promise<void> => {
    const email = newAddress('drip');
    const { answer } = await event(startOf('drip'), email);
    await aWhile(8_000);
    const what = random.next();
    if (what < 0.15 && answer?.contactId) await unsubscribe(answer.contactId, email);
    else if (what < 0.25) await suppress(email);
    else if (what < 0.4 && answer?.contactId) await cancel('drip', answer.contactId);
    else if (what < 0.5) await event('left', email, { exitSequences: ['drip'] });
    else if (what < 0.6) {
      const [link] = await mailServer.unsubscribeLinks(email);
      if (link) await unsubscribeBy(link, email);
    }
  };
  const unsubscribeBy = (link: string, email: string) => {
    const { pathname, search } = new URL(link);
    return insist({ kind: 'unsubscribe', method: 'POST', path: `${pathname.replace('/api/v1', '')}${search}`, about: email });
  };

  const journey = async (): Promise<void> => {
    const email = newAddress(random.chance(0.5) ? 'pro' : 'plain');
    const { answer } = await event(startOf('journey'), email);
    await aWhile(30_000);
    const what = random.next();
    // Two at the same time: one wait is ended by one of them.
    if (what < 0.6) await Promise.all(Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => event(GO, email)));
    else if (what < 0.75 && answer?.contactId) await cancel('journey', answer.contactId);
    else if (what < 0.85) await event(GO, email, { exitSequences: ['journey'] });
  };

  const contacts = async (): Promise<void> => {
    const [first, second] = await newContacts(Array.from({ length: random.between(2, 6) }, () => newAddress('contact')));
    if (!first || !second) return;
    if (random.chance(0.4)) await unsubscribe(first.id, first.email);
    if (random.chance(0.4)) await suppress(second.email);
    await Promise.all([send(first.email), send(second.email)]);
  };

  const campaign = async (): Promise<void> => {
    const name = `c${ref()}`;
    const people = Array.from({ length: random.between(10, 50) }, () => newAddress('person'));
    const known = await newContacts(people.slice(0, 5));
    const body = {
      ...{ name, template: TEMPLATES.marketing, subject: subjects.campaign(name), ratePerSecond: random.between(2, 15) },
      audience: { mode: 'people', emails: people },
    };
    const { answer } = await insist(
      { kind: 'campaign', method: 'POST', path: '/campaigns', key: `key-${name}`, body },
      Date.now() + LEASE_PATIENCE_MS,
    );
    const id = answer?.campaignId;
    if (!id) return;
    const change = (what: 'pause' | 'resume' | 'cancel') =>
      insist({ kind: `${what} campaign`, method: 'POST', path: `/campaigns/${id}/${what}` });
    await aWhile(3_000);
    if (known[0] && random.chance(0.5)) await unsubscribe(known[0].id, known[0].email);
    if (known[1] && random.chance(0.5)) await suppress(known[1].email);
    if (random.chance(0.5)) {
      await change('pause');
      await aWhile(40_000);
      if (random.chance(0.7)) await change('resume');
      else return void (await change('cancel'));
    }
    await aWhile(6_000);
    if (random.chance(0.35)) await change('cancel');
  };

  const toggled = world.endpoints.find(({ path }) => path.startsWith('/toggled'))!;
  const toggle = async (): Promise<void> => {
    const change = (enabled: boolean) =>
      insist({ kind: 'change endpoint', method: 'PATCH', path: `/webhooks/${toggled.id}`, body: { enabled } });
    await change(false);
    await sleep(random.between(45_000, 60_000));
    await change(true);
  };

  const read = async (): Promise<void> => {
    const paths = ['/contacts?limit=20', '/sends?limit=20', '/campaigns?limit=20', '/sequences', '/segments', '/suppressions', '/webhooks'];
    await call(reading(random.one(paths)));
  };

  const begin = (): Promise<void> => {
    const what = random.next();
    if (what < 0.16) return send(newAddress('send'));
    if (what < 0.22) return handedIn(newAddress('smtp'));
    if (what < 0.3) return batch();
    if (what < 0.4) return later();
    if (what < 0.58) return drip();
    if (what < 0.78) return journey();
    if (what < 0.87) return contacts();
    if (what < 0.92) return campaign();
    return read();
  };

  const under = new Set<Promise<void>>();
  const follow = (story: Promise<void>): void => {
    under.add(story);
    void story.finally(() => under.delete(story));
  };
  follow(toggle());
  const deleted = world.endpoints.find(({ path }) => path.startsWith('/deleted'))!;
  const deleteAt = Date.now() + (until - Date.now()) / 2;
  let isDeleted = false;
  while (Date.now() < until) {
    if (under.size < MOST_AT_ONCE * share) follow(begin());
    if (!isDeleted && Date.now() > deleteAt) {
      isDeleted = true;
      follow(insist({ kind: 'delete endpoint', method: 'DELETE', path: `/webhooks/${deleted.id}` }).then(() => undefined));
    }
    await sleep(random.between(GAP_MS.least, GAP_MS.most) / share);
  }
  await Promise.all(under);
}
