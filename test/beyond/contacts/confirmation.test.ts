import type { Client } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { confirmationWorkflowId } from '../../../workflows/contracts.ts';
import { campaignEnds, newCampaign } from '../../support/campaigns.ts';
import { asking, askingProject, confirmationOf, confirmLinkOf, passHours } from '../../support/confirmations.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount, mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newSequence } from '../../support/sequences.ts';
import { temporalClient, workflowHistory } from '../../support/temporal.ts';
import { ask } from '../../support/topics.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

let client: Client;
let em: EntityManager;
let project: TestProject;
let { signUp, contactOf } = {} as ReturnType<typeof asking>;
beforeAll(async () => {
  [client, em] = [await temporalClient(), await database()];
  ({ project, signUp, contactOf } = await askingProject());
  await enableTemplates(project, 'newsletter', 'receipt', 'welcome');
});

const ended = async (contactId: string): Promise<string> => {
  const { id } = await confirmationOf(em, contactId);
  return (await client.workflow.getHandle(confirmationWorkflowId(id)).result()) as string;
};
const mailed = (contactId: string, count: number) =>
  eventually(async () => {
    const { mails } = await confirmationOf(em, contactId);
    return mails === count;
  });
/** As if so many hours had passed; settled once its workflow has looked what to do then, and has done it. */
const looksAfter = async (contactId: string, hours: number): Promise<void> => {
  await passHours(em, client, contactId, hours);
  const { id } = await confirmationOf(em, contactId);
  await eventually(async () => {
    const { events } = await workflowHistory(client, confirmationWorkflowId(id));
    const told = events.findLast(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED')!;
    return events.some(({ activityTaskCompletedEventAttributes: done }) => {
      const { scheduledEventId = '0' } = (done ?? {}) as { scheduledEventId?: string };
      return Number(scheduledEventId) > Number(told.eventId);
    });
  });
};
const marketing = (to: string) => project.api.post('/send', { template: 'newsletter', to });

describe('who is asked', () => {
  test('a new contact without a status is pending and gets one email that leads to a page with a button', async () => {
    const { id, email, status } = await signUp();
    expect(status).toBe('pending');
    const link = await confirmLinkOf(email);
    const { status: code, html } = await ask('GET', link);
    expect(code).toBe(200);
    expect(html).toContain('Confirm your subscription');
    expect(html).toMatch(/<form method="post" action="\/api\/v1\/confirm\?/);
    await ask('HEAD', link);
    expect(await contactOf(id)).toMatchObject({
      status: 'pending',
      confirmation: { state: 'waiting', mails: 1, error: null, ended_at: null },
    });
    const { sends } = must(await project.api.get(`/sends?sourceType=confirmation&q=${encodeURIComponent(email)}`), 200);
    expect(sends).toEqual([expect.objectContaining({ template: 'confirm-subscription', type: 'transactional', status: 'sent' })]);
  });

  test('who says subscribed is subscribed, and is not asked; who was there before is left alone', async () => {
    const own = await newProject();
    const asked = asking(own);
    const before = await asked.signUp();
    await enableTemplates(own, 'confirm-subscription');
    must(await own.api.put(`/brands/${own.slug}`, { doubleOptIn: true }), 200);
    const yes = await asked.signUp({ status: 'subscribed' });
    const again = await asked.signUp({ email: before.email, consent: { source: 'form' } });
    expect([yes.status, again.status]).toEqual(['subscribed', 'subscribed']);
    for (const { id } of [yes, again]) expect((await asked.contactOf(id)).confirmation).toBeNull();
  });

  test('`pending` asks where the template is enabled, and where it is not is what it was: not asked, with marketing', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    const asked = asking(own);
    const plain = await asked.signUp({ status: 'pending' });
    expect((await asked.contactOf(plain.id)).confirmation).toBeNull();
    must(await own.api.post('/send', { template: 'newsletter', to: plain.email }), 200);
    await enableTemplates(own, 'confirm-subscription');
    await asked.signUp({ email: plain.email });
    expect((await asked.contactOf(plain.id)).confirmation).toBeNull();
    await asked.signUp({ email: plain.email, status: 'pending' });
    await confirmLinkOf(plain.email, 2);
    expect(await asked.contactOf(plain.id)).toMatchObject({ status: 'pending', confirmation: { state: 'waiting' } });
  });

  test('who has unsubscribed is not asked without resubscribe, and with it is', async () => {
    const { id, email } = await signUp({ status: 'unsubscribed' });
    await signUp({ email, status: 'pending', consent: { source: 'form' } });
    expect(await contactOf(id)).toMatchObject({ status: 'unsubscribed', confirmation: null });
    await signUp({ email, status: 'pending', resubscribe: true });
    await confirmLinkOf(email);
    expect((await contactOf(id)).status).toBe('pending');
  });

  test('each of a list is asked once, also who stands in it twice', async () => {
    const emails = Array.from({ length: 30 }, () => project.address());
    const list = [...emails, ...emails.slice(0, 5)].map((email) => ({ email }));
    must(await project.api.post('/contacts', list), 200);
    for (const email of emails) await mailTo(email);
    const workflows = await em
      .getConnection()
      .execute(
        `select f.mails from confirmations f join contacts c on c.id = f.contact_id and c.project_id = f.project_id where c.email in (${emails.map(() => '?').join()})`,
        emails,
      );
    expect(workflows).toHaveLength(30);
    for (const email of emails) expect(await mailCount(email)).toBe(1);
  });

  test('a brand asks only by a transactional template that is enabled', async () => {
    const own = await newProject();
    const brand = `/brands/${own.slug}`;
    expect((await own.api.put(brand, { doubleOptIn: true })).body).toMatchObject({ code: 'template_not_enabled' });
    await enableTemplates(own, 'confirm-subscription', 'newsletter');
    expect((await own.api.put(brand, { doubleOptIn: true, confirmTemplate: 'newsletter' })).body.issues[0].path).toBe('confirmTemplate');
    expect((await own.api.put(brand, { confirmTemplate: 'receipt' })).body.issues[0].message).toContain('does not show confirmUrl');
    expect((await own.api.put(brand, { confirmTemplate: 'nothing' })).body).toMatchObject({ code: 'unknown_template' });
    for (const bad of [{ confirmReminders: [5, 5] }, { confirmReminders: [1, 2, 3] }, { confirmReminders: [0] }, { confirmPruneDays: 0 }])
      expect((await own.api.put(brand, bad)).body).toMatchObject({ code: 'invalid_request' });
    const set = { doubleOptIn: true, confirmReminders: [24, 72], confirmPruneDays: null };
    expect(must(await own.api.put(brand, set), 200).brand).toMatchObject({
      ...{ double_opt_in: true, confirm_template: null, confirm_reminders: [24, 72], confirm_prune_days: null },
    });
  });
});

describe('until they confirm', () => {
  test('they get no marketing by a call, a campaign or a step, and transactional email as ever', async () => {
    const { id, email } = await signUp({ tags: ['waits'] });
    await signUp({ tags: ['waits'], status: 'subscribed' });
    expect((await marketing(email)).body).toMatchObject({ code: 'send_failed', reason: 'unconfirmed' });
    must(await project.api.post('/send', { template: 'receipt', to: email, data: { total: '1' } }), 200);
    const filter = { tags: ['waits'] };
    expect(must(await project.api.post('/segments/preview', { filter, mailable: true }), 200)).toMatchObject({ count: 2, mailable: 1 });
    const campaign = await campaignEnds(project, await newCampaign(project, { audience: { mode: 'tag', tag: 'waits' } }));
    expect(campaign).toMatchObject({ status: 'sent', left_out: { unconfirmed: 1 } });
    const sequence = await newSequence(project, { steps: [{ template: 'welcome' }] });
    const { enrollmentId } = must(await project.api.post(`/sequences/${sequence.key}/enroll`, { contactId: id }), 200);
    await enrollmentEnds(em, enrollmentId);
    const flow = must(await project.api.get(`/sequences/${sequence.key}/flow`), 200);
    expect(flow.leftOut).toMatchObject({ unconfirmed: 1 });
    const simulated = must(await project.api.post(`/sequences/${sequence.key}/simulate`, { contactId: id, asIfNotEnrolled: true }), 200);
    expect(JSON.stringify(simulated.path)).toContain('would be skipped: unconfirmed');
  });

  test('however often they sign up, at once or later, one email an hour asks them; what else changes of them asks nobody', async () => {
    const { id, email } = await signUp();
    await mailed(id, 1);
    await Promise.all(Array.from({ length: 10 }, () => signUp({ email, status: 'pending' })));
    await passHours(em, client, id, 2);
    await signUp({ email, firstName: 'Ada' });
    await Promise.all(Array.from({ length: 10 }, () => signUp({ email, consent: { source: 'form' } })));
    await confirmLinkOf(email, 2);
    await eventually(async () => {
      const { round, mails } = await confirmationOf(em, id);
      return round === 2 && mails === 1;
    });
    await signUp({ email, status: 'pending' });
    expect(await confirmationOf(em, id)).toMatchObject({ round: 2, mails: 1 });
    expect(await mailCount(email)).toBe(2);
  });

  test('nor does another status between their sign-ups bring more than one email an hour', async () => {
    const { id, email } = await signUp();
    await mailed(id, 1);
    for (const between of ['unsubscribed', 'subscribed', 'unsubscribed']) {
      await signUp({ email, status: between });
      await signUp({ email, status: 'pending', resubscribe: true });
    }
    const { asked_at: askedAt, mails } = (await contactOf(id)).confirmation;
    expect([mails, Date.parse(askedAt) > Date.now()]).toEqual([0, true]);
    expect(await mailCount(email)).toBe(1);
    await passHours(em, client, id, 1);
    await confirmLinkOf(email, 2);
  });

  test('reminders come when the brand says, to who has not answered, and not to an address that is suppressed', async () => {
    const own = await askingProject({ doubleOptIn: true, confirmReminders: [24, 72] });
    const { id, email } = await own.signUp();
    await mailed(id, 1);
    await looksAfter(id, 23);
    expect(await confirmationOf(em, id)).toMatchObject({ state: 'waiting', mails: 1 });
    await passHours(em, client, id, 1);
    await confirmLinkOf(email, 2);
    await mailed(id, 2);
    expect((await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)![1])).toEqual([
      `Confirm your subscription to Project ${own.project.slug}`,
      `Still want to hear from Project ${own.project.slug}?`,
    ]);
    const blocked = own.project.address();
    must(await own.project.api.post('/suppressions', { email: blocked, reason: 'manual' }), 201);
    const { id: blockedId } = await own.signUp({ email: blocked });
    await eventually(async () => (await own.contactOf(blockedId)).confirmation.error === 'suppressed');
    await looksAfter(blockedId, 30);
    expect((await own.contactOf(blockedId)).confirmation.mails).toBe(1);
    expect(await mailCount(blocked)).toBe(0);
  });

  test('a reminder that comes late keeps an hour to the one after, and who was never asked is not given up', async () => {
    const own = await askingProject({ doubleOptIn: true, confirmReminders: [24, 25] });
    must(await own.project.api.put('/templates/confirm-subscription', { enabled: false }), 200);
    const { id, email } = await own.signUp();
    await passHours(em, client, id, 40 * 24);
    await enableTemplates(own.project, 'confirm-subscription');
    await passHours(em, client, id, 0);
    await confirmLinkOf(email);
    await mailed(id, 1);
    await passHours(em, client, id, 30);
    await mailed(id, 2);
    await looksAfter(id, 0);
    expect(await confirmationOf(em, id)).toMatchObject({ state: 'waiting', mails: 2 });
    await passHours(em, client, id, 1);
    await mailed(id, 3);
    expect(await mailCount(email)).toBe(3);
  });

  test('a template that is turned off holds the email until it is on again', async () => {
    const own = await askingProject();
    must(await own.project.api.put('/templates/confirm-subscription', { enabled: false }), 200);
    const { id, email } = await own.signUp();
    const { id: confirmationId } = await confirmationOf(em, id);
    const handle = client.workflow.getHandle(confirmationWorkflowId(confirmationId));
    await eventually(async () => (await handle.describe()).searchAttributes.EverpostState?.[0] === 'held');
    await enableTemplates(own.project, 'confirm-subscription');
    await handle.signal('retryNow');
    await confirmLinkOf(email);
  });
});

describe('the answer', () => {
  test('subscribes once, with address, browser and words of the page as its proof, and tells and enters by it', async () => {
    const own = await askingProject();
    await enableTemplates(own.project, 'welcome');
    const events = await listenForEvents(own.project);
    const sequence = await newSequence(own.project, { trigger: 'contact.confirmed', steps: [{ template: 'welcome' }] });
    const { id, email } = await own.signUp({ locale: 'de-AT' });
    const link = await confirmLinkOf(email);
    const pages = await Promise.all(Array.from({ length: 5 }, () => ask('POST', link, { 'user-agent': 'Browser/3' })));
    for (const { status, html } of pages) expect([status, html.includes('Sie sind angemeldet')]).toEqual([200, true]);
    const contact = await own.contactOf(id);
    expect(contact).toMatchObject({
      status: 'subscribed',
      confirmation: { state: 'confirmed', user_agent: 'Browser/3', ip: expect.stringMatching(/127\.0\.0\.1|::1/) },
    });
    expect(contact.confirmation.text).toMatch(/^Anmeldung bestätigen\n.*\n.*\nBestätigen$/);
    const { timeline } = must(await own.project.api.get(`/contacts/${id}/timeline?kind=consent_changed`), 200);
    expect(timeline.map(({ details }: { details: object }) => details)).toEqual([
      expect.objectContaining({ from: 'pending', to: 'subscribed', cause: 'confirmation', by_user_agent: 'Browser/3' }),
    ]);
    expect(ofType(await events(), 'contact.confirmed')).toHaveLength(1);
    expect(ofType(await events(), 'contact.subscribed')).toHaveLength(1);
    await mailTo(email, (mails) => mails.length === 2);
    const { enrollments } = must(await own.project.api.get(`/sequences/${sequence.key}/enrollments`), 200);
    expect(enrollments).toHaveLength(1);
    expect(await ended(id)).toContain('confirmed');
    // Seen again it says the same, and a sign-up asks nobody who has confirmed.
    expect((await ask('GET', link)).html).toContain('Sie sind angemeldet');
    await own.signUp({ email, consent: { source: 'form' } });
    expect((await own.contactOf(id)).confirmation.state).toBe('confirmed');
  });

  test('a link of another kind, of another project or cut off changes nothing, and its page tells nothing', async () => {
    const { id, email } = await signUp();
    const link = new URL(await confirmLinkOf(email));
    const other = new URL(await confirmLinkOf((await signUp()).email));
    const bad = [
      link.href.slice(0, -3),
      `${link.origin}${link.pathname}?c=${link.searchParams.get('c')}&t=${other.searchParams.get('t')}`,
      `${link.origin}${link.pathname}?c=${id}&t=${link.searchParams.get('t')}`,
      `${link.origin}${link.pathname}`,
    ];
    for (const each of bad) {
      const { status, html } = await ask('POST', each);
      expect(status).toBe(400);
      expect(html).not.toContain(email);
    }
    expect((await contactOf(id)).status).toBe('pending');
  });

  test('does not bring back who has unsubscribed meanwhile, nor who was given another status', async () => {
    const { id, email } = await signUp();
    const link = await confirmLinkOf(email);
    must(await project.api.post(`/contacts/${id}/unsubscribe`), 200);
    expect(await ended(id)).toContain('ended');
    const { html } = await ask('POST', link);
    expect(html).toContain('no longer valid');
    expect(await contactOf(id)).toMatchObject({ status: 'unsubscribed', confirmation: { state: 'ended' } });
    // Asked anew, only the new link counts.
    await signUp({ email, status: 'pending', resubscribe: true });
    await passHours(em, client, id, 1);
    const newer = await confirmLinkOf(email, 2);
    expect((await ask('POST', link)).html).toContain('no longer valid');
    expect((await contactOf(id)).status).toBe('pending');
    expect((await ask('POST', newer)).html).toContain('You are subscribed');
  });

  test('a status that a caller gives ends the wait, and marketing goes', async () => {
    const { id, email } = await signUp();
    await confirmLinkOf(email);
    await signUp({ email, status: 'subscribed' });
    must(await marketing(email), 200);
    expect(await ended(id)).toContain('ended');
  });
});

describe('who never answers', () => {
  test('is erased after 30 days, with the sign-up', async () => {
    const { id, email } = await signUp();
    await mailed(id, 1);
    const { id: confirmationId } = await confirmationOf(em, id);
    await passHours(em, client, id, 30 * 24);
    expect(await client.workflow.getHandle(confirmationWorkflowId(confirmationId)).result()).toContain('erased');
    expect((await project.api.get(`/contacts/${id}`)).status).toBe(404);
    expect((await signUp({ email })).status).toBe('pending');
    await confirmLinkOf(email, 2);
  });

  test('stays when there is more of them than the sign-up, without marketing, and the link works still', async () => {
    const { id, email } = await signUp();
    const link = await confirmLinkOf(email);
    must(await project.api.post('/send', { template: 'receipt', to: email, data: { total: '1' } }), 200);
    await passHours(em, client, id, 30 * 24);
    expect(await ended(id)).toContain('stays');
    expect((await contactOf(id)).confirmation.state).toBe('expired');
    expect((await marketing(email)).body).toMatchObject({ reason: 'unconfirmed' });
    expect((await ask('POST', link)).html).toContain('You are subscribed');
    must(await marketing(email), 200);
  });

  test('stays also for an email that went to the address before, or waits to go', async () => {
    const [before, later] = [project.address(), project.address()];
    must(await project.api.post('/send', { template: 'receipt', to: before, data: { total: '1' } }), 200);
    const sendAt = new Date(Date.now() + 40 * 86_400_000).toISOString();
    must(await project.api.post('/send', { template: 'receipt', to: later, data: { total: '1' }, sendAt }), 202);
    for (const email of [before, later]) {
      const { id } = await signUp({ email });
      await mailed(id, 1);
      await passHours(em, client, id, 30 * 24);
      expect(await ended(id)).toContain('stays');
    }
  });

  test('is asked again by a new sign-up after that', async () => {
    const own = await askingProject({ doubleOptIn: true, confirmPruneDays: null });
    const { id, email } = await own.signUp();
    await mailed(id, 1);
    await passHours(em, client, id, 365 * 24);
    await ended(id);
    await own.signUp({ email, status: 'pending' });
    await confirmLinkOf(email, 2);
    expect((await own.contactOf(id)).confirmation.state).toBe('waiting');
  });

  test('and whose contact is erased is asked no more', async () => {
    const { id } = await signUp();
    await mailed(id, 1);
    const { id: confirmationId } = await confirmationOf(em, id);
    must(await project.api.delete(`/contacts/${id}`), 200);
    expect(await client.workflow.getHandle(confirmationWorkflowId(confirmationId)).result()).toBe('the contact was erased');
  });
});

test('while the provider is away the email waits for it, and is sent once', async () => {
  const email = project.address();
  await scriptMail(email, { rejectRecipient: { code: 451 } });
  const { id } = await signUp({ email });
  const { id: confirmationId } = await confirmationOf(em, id);
  const handle = client.workflow.getHandle(confirmationWorkflowId(confirmationId));
  await eventually(async () => (await handle.describe()).searchAttributes.EverpostState?.[0] === 'retrying');
  await scriptMail(email, {});
  await handle.signal('retryNow');
  await confirmLinkOf(email);
  await mailed(id, 1);
  expect(await mailCount(email)).toBe(1);
});
