import { beforeAll, expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { dialog } from '../support/console-page.ts';
import { mailTo, scriptMail } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'password-reset');
});

const TWICE = 'It may have arrived. Resending could deliver it twice.';

test('an email of unknown outcome is sent again with its data, after the page has said that it may arrive twice', async () => {
  const to = project.address('doubtful');
  await scriptMail(to, { dropAfterData: {} });
  await project.api.post('/send', { template: 'password-reset', to, data: { resetUrl: 'https://example.com/first' } });
  await scriptMail(to, {});
  const [failed] = must(await project.api.get('/sends?status=failed'), 200).sends;
  const { page } = await tabs.open(`/sends/${failed.id}`, { key: project.key });
  await page.getByRole('button', { name: 'Resend…' }).click();
  await dialog(page).getByText(TWICE).waitFor();
  await dialog(page).getByRole('textbox', { name: 'Data' }).fill('{ "resetUrl": "https://example.com/second" }');
  await dialog(page).getByRole('button', { name: 'Resend' }).click();
  await told(page, 'Resent');
  const messages = await mailTo(to, ({ length }) => length === 2);
  expect(messages[1]?.raw).toContain('https://example.com/second');
});

test('a campaign is sent again to those whose reasons were chosen, after the page has said which of them may get it twice', async () => {
  const { tag, emails } = await newAudience(project, 3);
  const [doubtful, refused] = emails as [string, string];
  await scriptMail(doubtful, { dropAfterData: {} });
  await scriptMail(refused, { rejectData: { code: 554, message: '5.7.1 no' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  for (const email of [doubtful, refused]) await scriptMail(email, {});
  const { page } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await page.getByRole('button', { name: 'Resend to failed recipients…' }).click();
  await dialog(page).getByText(TWICE).waitFor();
  await dialog(page).getByRole('checkbox', { name: 'The email provider rejected it: 1' }).check();
  await dialog(page).getByRole('button', { name: 'Resend' }).click();
  await told(page, 'Resending to 1');
  await mailTo(refused);
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1 });
});
