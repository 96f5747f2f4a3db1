import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../local/ports.ts';
import { campaignBecomes, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { linesOf } from '../support/log-lines.ts';
import { mailTo } from '../support/mail.ts';
import { newProject } from '../support/project.ts';
import { startResendServer } from '../support/resend-server.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { withEverpost } from '../support/with-everpost.ts';

let everpost: Everpost | undefined;
afterAll(() => everpost?.stop());

test('with one provider away mail goes by the next one, and the send log, the log and Home say so; a route keeps what it means to its own', async () => {
  const resend = await startResendServer();
  everpost = await startEverpost({
    worker: false,
    env: {
      EMAIL_PROVIDER_URL: '',
      EMAIL_PROVIDERS: JSON.stringify([
        { name: 'away', url: `smtp://127.0.0.1:${await freePort()}` },
        { name: 'by-api', url: resend.providerUrl, weight: 0 },
        { name: 'sink', url: testEnvironment().smtpUrl, weight: 0 },
      ]),
      EMAIL_ROUTES: '[{"type":"marketing","use":["sink"]}]',
    },
  });
  const project = await newProject({ everpost });
  await enableTemplates(project, 'receipt', 'newsletter');
  const send = async (template: string): Promise<string> => {
    const to = project.address();
    must(await project.api.post('/send', { template, to, data: { name: 'Ada' } }), 200);
    return to;
  };
  const addresses = await Promise.all(Array.from({ length: 8 }, () => send('receipt')));
  for (const to of addresses) expect(resend.taken(to)).toHaveLength(1);
  const news = await send('newsletter');
  expect(await mailTo(news)).toHaveLength(1);
  expect(resend.taken(news)).toEqual([]);

  const { sends } = must(await project.api.get('/sends?limit=20'), 200);
  expect(sends.map(({ to_email, provider }: { to_email: string; provider: string }) => [to_email, provider]).toSorted()).toEqual(
    [...addresses.map((to) => [to, 'by-api']), [news, 'sink']].toSorted(),
  );
  const passedOver = linesOf(everpost.api).filter(({ event }) => event === 'mail.provider_passed_over');
  expect(passedOver).toEqual([expect.objectContaining({ provider: 'away', reason: expect.stringContaining('ECONNREFUSED') })]);
  const { items } = await eventually(async () => {
    const read = must(await project.api.get('/attention'), 200);
    return read.items.length > 0 && read;
  });
  expect(items).toEqual([
    expect.objectContaining({
      kind: 'provider_passed_over',
      about: 'away',
      message: expect.stringMatching(/^most of what the mail provider away was given failed/),
    }),
  ]);
  await resend.close();
}, 120_000);

test('a campaign above the daily limit of its only provider waits for the next day and says so, in place of calling the provider away', async () => {
  await withEverpost({ env: { EMAIL_PROVIDER_URL: '', EMAIL_PROVIDERS: limited(5) } }, async ({ stack, project }) => {
    const { tag } = await newAudience(project, 8);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    const waiting = await campaignBecomes(project, id, ({ reason }) => reason !== null);
    expect(waiting).toMatchObject({ reason: 'allowance_used', allowance: { of: 'provider', name: 'sink' }, sent_count: 5 });
    expect(linesOf(stack.worker).filter(({ event }) => event === 'mail.allowance_used')).toEqual([
      expect.objectContaining({ provider: 'sink', holds: 'all' }),
    ]);
    expect(must(await project.api.get('/attention'), 200).items).toEqual([
      expect.objectContaining({
        kind: 'provider_allowance_used',
        about: 'sink',
        message: expect.stringContaining('allowance of the mail provider sink is used'),
      }),
    ]);
    // A raised limit holds from the restart on; who pauses and resumes the campaign then does not wait for the next look.
    await stack.halt();
    await stack.start({ EMAIL_PROVIDERS: limited(6) });
    must(await project.api.post(`/campaigns/${id}/pause`), 200);
    must(await project.api.post(`/campaigns/${id}/resume`), 200);
    await campaignBecomes(project, id, ({ reason, sent_count }) => reason === 'allowance_used' && sent_count === 6);
  });
}, 120_000);

function limited(daily: number): string {
  return JSON.stringify([{ name: 'sink', url: testEnvironment().smtpUrl, daily }]);
}
