import { expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, newCampaign } from '../../support/campaigns.ts';
import { peopleIn } from '../../support/local-time.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject } from '../../support/project.ts';
import { openingSoon, setWindow, windowOf } from '../../support/send-windows.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';

test('when a window opens all that waits for it goes by itself, once, and nothing before', async () => {
  const [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'welcome', 'newsletter');
  const [called, enrolled] = [project.address(), project.address()];
  await newContact(project, enrolled);
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }] });
  const { tag, emails } = await peopleIn(project, [null]);
  const soon = openingSoon();
  await setWindow(project, windowOf(soon));
  must(await project.api.post('/send', { template: 'welcome', to: called }), 202);
  const run = await sequence.enroll(enrolled);
  await enrollmentBecomes(em, run, ({ waiting_for }) => waiting_for === 'held:send_window');
  const campaign = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, campaign, ({ reason }) => reason === 'send_window');
  const recipients = [called, enrolled, emails[0]!];
  await Promise.all([
    mailTo(called, (messages) => messages.length > 0, { timeoutMs: 150_000 }),
    enrollmentEnds(em, run, { timeoutMs: 150_000 }),
    campaignEnds(project, campaign),
  ]);
  for (const email of recipients) expect(await mailNow(email)).toHaveLength(1);
  const { sends } = must(await project.api.get('/sends?limit=50'), 200);
  const instants = sends.map(({ created_at }: { created_at: string }) => Date.parse(created_at));
  expect(instants).toHaveLength(recipients.length);
  expect(Math.min(...instants)).toBeGreaterThanOrEqual(soon.opensAt.getTime());
});
