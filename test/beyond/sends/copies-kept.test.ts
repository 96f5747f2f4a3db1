import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { Project, ScheduledSend } from '../../../db/entities/index.ts';
import { rows } from '../../../db/rows.ts';
import { SANDBOX_DOMAIN } from '../../../domain/sends/sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { scheduledMails } from '../../support/scheduled-mails.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const { scheduled, sendNow, settled } = scheduledMails(() => project);
const addresses = (count: number): string[] => Array.from({ length: count }, () => project.address());
const recordOf = async (id: string, on = project) => must(await on.api.get(`/sends/${encodeURIComponent(id)}`), 200).send;

/** Of whom there are reports of the mail, once there are so many. */
const reportsOf = (id: string, count: number, on = project) =>
  eventually(async () => {
    const { events } = await recordOf(id, on);
    return (
      events.length >= count && events.map(({ type, recipient }: { type: string; recipient: string }) => `${type} ${recipient}`).sort()
    );
  });

test('a copy to a reserved address never leaves and plays its part, while the mail goes to the others', async () => {
  const [to, copy] = addresses(2) as [string, string];
  const reserved = `bounced+${copy}`.replace(/@.*/, `@${SANDBOX_DOMAIN}`);
  const { id } = must(await project.api.post('/send', { template: 'receipt', to, cc: [reserved, copy] }), 200);
  const [message, ...more] = await mailTo(to);
  expect([message!.to, more]).toEqual([[to, copy], []]);
  expect(message!.raw).not.toContain(SANDBOX_DOMAIN);
  expect(await reportsOf(id, 1)).toEqual([`bounced ${reserved}`]);
  expect(await recordOf(id)).toMatchObject({ sandboxed: false, delivery_status: null, cc: [reserved, copy], bounce: null });
  const { leftOut } = must(await project.api.post('/send', { template: 'receipt', to, cc: reserved }), 200);
  expect(leftOut).toEqual([{ email: reserved, reason: 'suppressed' }]);
});

test('a copy that plays a reader clicks the first link that is counted, whether the mail left for others or not', async () => {
  const links = { type: 'marketing', subject: 'News', html: '<a href="https://x.example/1">1</a> <a href="https://x.example/2">2</a>' };
  for (const to of [project.address(), `delivered+${project.slug}@${SANDBOX_DOMAIN}`]) {
    const { id } = must(await project.api.post('/send', { ...links, to, cc: `clicked+${to.replace(/@.*/, '')}@${SANDBOX_DOMAIN}` }), 200);
    expect(await eventually(async () => (await recordOf(id)).click_count > 0)).toBe(true);
    const hits = await rows(
      await database(),
      sql`select h.url from send_hits h join sends s on s.id = h.send_id where s.provider_id = ${id} and h.kind = 'clicked'`,
    );
    expect(hits).toEqual([{ url: 'https://x.example/1' }]);
  }
});

test('a mail that stays here keeps its copies here, whoever they are for, and each plays its part', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  await (await database()).nativeUpdate(Project, { id: own.id }, { sandbox: true });
  const [to, copy] = [own.address(), own.address()];
  const { id } = must(await own.api.post('/send', { template: 'receipt', to, cc: copy, bcc: `complained@${SANDBOX_DOMAIN}` }), 200);
  expect(await reportsOf(id, 3, own)).toEqual([`complained complained@${SANDBOX_DOMAIN}`, `delivered ${copy}`, `delivered ${to}`].sort());
  expect([await mailNow(to), await mailNow(copy)]).toEqual([[], []]);
  expect(await recordOf(id, own)).toMatchObject({ sandboxed: true, delivery_status: 'delivered' });
});

test('a mail that goes later has its copies, judged when it goes', async () => {
  const [to, copy, gone] = addresses(3) as [string, string, string];
  const id = await scheduled({ to, cc: `Bo <${copy}>`, bcc: [gone] });
  expect(await recordOf(id)).toMatchObject({ status: 'scheduled', cc: [`"Bo" <${copy}>`], bcc: [gone], left_out: [] });
  must(await project.api.post('/suppressions', { email: gone }), 201);
  await sendNow(id);
  expect(await settled(id)).toMatchObject({ status: 'sent', left_out: [{ email: gone, reason: 'suppressed' }] });
  expect((await mailTo(to)).map((message) => message.to)).toEqual([[to, copy]]);
});

test('who is erased is in no copy of what waits, which goes to the others', async () => {
  const [to, copy, other] = addresses(3) as [string, string, string];
  const contactId = await newContact(project, copy);
  const id = await scheduled({ to, cc: [`Bo <${copy}>`, other], bcc: [copy] });
  must(await project.api.call('DELETE', `/contacts/${contactId}`), 200);
  expect(JSON.stringify(await (await database()).findOneOrFail(ScheduledSend, { id }))).not.toContain(copy);
  await sendNow(id);
  await settled(id);
  expect((await mailTo(to)).map((message) => message.to)).toEqual([[to, other]]);
});

test('mails of a batch have copies, and each result names those that were left out', async () => {
  const [to, copy, second, gone] = addresses(4) as [string, string, string, string];
  must(await project.api.post('/suppressions', { email: gone }), 201);
  const mail = (body: object) => ({ template: 'receipt', ...body });
  const mails = [mail({ to, cc: [copy, gone] }), mail({ to: second, cc: 'nobody' }), mail({ to: second })];
  const { results } = must(await project.api.post('/send/batch', { mails }), 200);
  expect(results).toMatchObject([
    { ok: true, leftOut: [{ email: gone, reason: 'suppressed' }] },
    { ok: false, code: 'invalid_request', issues: [{ path: 'cc' }] },
    { ok: true },
  ]);
  expect((await mailTo(to)).map((message) => message.to)).toEqual([[to, copy]]);
});
