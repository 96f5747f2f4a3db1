import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../db/entities/index.ts';
import { campaignEnds, newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, hasFocus, lastOfPath, title, writeCampaign } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
  must(
    await project.api.post(
      '/contacts',
      ['ada', 'grace'].map((name) => ({ email: project.address(name), tags: ['news'] })),
    ),
    200,
  );
});

const draftIn = async (id: string) => must(await project.api.get(`/campaigns/${id}`), 200).campaign;

test('a campaign is kept from its first words on, under an address that opens it as it was written, and is listed', async () => {
  const { page, open } = await tabs.open('/campaigns/new', { key: project.key });
  // The cursor is in its first field, which does not cover the page with what it offers.
  await hasFocus(page.getByRole('combobox', { name: 'Template' }));
  expect(await page.getByRole('option').count()).toBe(0);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.click();
  await page.keyboard.type('Autumn');
  await page.waitForURL(/\/edit$/);
  // Whoever goes on typing loses nothing by it.
  await hasFocus(name);
  await page.keyboard.type(' news');
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'announcement' }).click();
  await page.getByRole('textbox', { name: 'Headline' }).fill('Leaves fall');
  await page.getByText('Tag', { exact: true }).click();
  const tag = page.getByRole('combobox', { name: 'Tag' });
  await tag.click();
  await page.getByRole('option', { name: /news\s*2 contacts/ }).click();
  const id = new URL(page.url()).pathname.split('/').at(-2) as string;
  await eventually(async () => {
    const { name: kept, audience, data, template } = await draftIn(id);
    return kept === 'Autumn news' && audience.tag === 'news' && data.headline === 'Leaves fall' && template === 'announcement';
  });
  await page.getByRole('status', { name: 'Saving' }).getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Campaigns' }).first().click();
  await page.getByRole('link', { name: 'Autumn news' }).click();
  // By its name, beside which its state is said.
  await title(page, 'Autumn news').waitFor();
  await page.getByText('Draft', { exact: true }).waitFor();
  expect([await name.inputValue(), await tag.inputValue()]).toEqual(['Autumn news', 'news']);
  expect(await page.getByRole('textbox', { name: 'Headline' }).inputValue()).toBe('Leaves fall');
  await open('/campaigns?status=draft');
  await page.getByRole('row', { name: /^Autumn news/ }).waitFor();
  expect(must(await project.api.get('/campaigns?status=draft'), 200).campaigns).toHaveLength(1);
});

test('a tab that is closed before the draft is kept asks, and keeps it meanwhile', async () => {
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', { name: 'Before' }), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const asked = page.waitForEvent('dialog');
  await name.fill('After');
  const closing = page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await closing;
  await eventually(async () => (await draftIn(campaignId)).name === 'After');
  await page.getByRole('status', { name: 'Saving' }).getByText('Saved', { exact: true }).waitFor();
});

test('whoever writes further down stays there when the draft gets its address', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await page.setViewportSize({ width: 900, height: 500 });
  await page.getByText('Tag', { exact: true }).click();
  const tag = page.getByRole('combobox', { name: 'Tag' });
  await tag.fill('news');
  await tag.scrollIntoViewIfNeeded();
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  const before = await page.evaluate<number>('window.scrollY');
  expect(before).toBeGreaterThan(0);
  await page.waitForURL(/\/edit$/);
  await page.getByRole('status', { name: 'Saving' }).getByText('Saved', { exact: true }).waitFor();
  expect(await page.evaluate<number>('window.scrollY')).toBe(before);
});

test('what another has saved meanwhile is told and shown, and nothing of either is lost before it is said which stays', async () => {
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', { name: 'Ours', template: 'announcement' }), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.waitFor();
  must(await project.api.call('PATCH', `/campaigns/${campaignId}`, { name: 'Theirs' }), 200);
  await name.fill('Mine');
  await page.getByText('Someone else changed this campaign').waitFor();
  await page.getByRole('button', { name: 'View theirs' }).click();
  await dialog(page).getByText('Theirs', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  expect((await draftIn(campaignId)).name).toBe('Theirs');
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await eventually(async () => (await draftIn(campaignId)).name === 'Mine');
  must(await project.api.call('PATCH', `/campaigns/${campaignId}`, { name: 'Theirs again' }), 200);
  await name.fill('Mine again');
  await page.getByRole('button', { name: 'Use theirs' }).click();
  await eventually(async () => (await name.inputValue()) === 'Theirs again');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete draft…' }).click();
  await dialog(page).getByRole('button', { name: 'Delete draft' }).click();
  await told(page, 'Draft deleted');
  expect((await project.api.get(`/campaigns/${campaignId}`)).status).toBe(404);
});

test('a draft that was launched or deleted meanwhile says so, and what was written since can be kept', async () => {
  const { campaignId: deleted } = must(await project.api.post('/campaigns?draft=1', { name: 'Deleted', template: 'announcement' }), 201);
  const { page, open } = await tabs.open(`/campaigns/${deleted}/edit`, { key: project.key });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.waitFor();
  must(await project.api.delete(`/campaigns/${deleted}`), 200);
  await name.fill('Written since');
  await page.getByText('Someone deleted this draft').waitFor();
  await page.getByRole('button', { name: 'Save as a new draft' }).click();
  await page.waitForURL((url) => url.pathname.endsWith('/edit') && !url.pathname.includes(deleted));
  const id = new URL(page.url()).pathname.split('/').at(-2) as string;
  expect(await draftIn(id)).toMatchObject({ name: 'Written since', template: 'announcement', status: 'draft' });

  await open(`/campaigns/${id}/edit`);
  await name.waitFor();
  const launched = { audience: { mode: 'tag', tag: 'news' }, data: { headline: 'Gone' } };
  must(await project.api.call('PATCH', `/campaigns/${id}`, launched), 200);
  must(await project.api.post(`/campaigns/${id}/launch`), 200);
  await name.fill('Too late');
  await page.getByText('This campaign was launched').waitFor();
  await page.getByRole('button', { name: 'Continue with it' }).click();
  await title(page, 'Written since').waitFor();
});

test('those who are suppressed are not in the number that stands below the audience', async () => {
  const [one, two] = [project.address('one'), project.address('two')];
  must(
    await project.api.post('/contacts', [
      { email: one, tags: ['held'] },
      { email: two, tags: ['held'] },
    ]),
    200,
  );
  must(await project.api.post('/suppressions', { email: two }), 201);
  const body = { template: 'announcement', audience: { mode: 'tag', tag: 'held' } };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', body), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  await page.getByText('recipient; 1 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
});

test('the number that was asked about is the number that goes: with another one nothing does before it was shown', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Exact');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill('exact');
  must(await project.api.post('/contacts', { email: project.address('first'), tags: ['exact'] }), 200);
  await page.getByRole('button', { name: 'Send now…' }).click();
  await dialog(page).getByText('1 recipient', { exact: true }).waitFor();
  must(await project.api.post('/contacts', { email: project.address('second'), tags: ['exact'] }), 200);
  await dialog(page).getByRole('button', { name: 'Send now' }).click();
  await dialog(page)
    .getByText(/The audience has changed/)
    .waitFor();
  await dialog(page).getByText('2 recipients', { exact: true }).waitFor();
  await dialog(page).getByRole('button', { name: 'Send now' }).click();
  await told(page, 'Sending to 2 of 2 contacts');
  expect(await campaignEnds(project, lastOfPath(page))).toMatchObject({ sent_count: 2 });
});

test('a scheduled campaign is changed when that is said', async () => {
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const id = await newCampaign(project, { template: 'announcement', name: 'Later', audience: { mode: 'tag', tag: 'news' }, scheduleAt });
  const { page } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await page.getByRole('link', { name: 'Change' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Much later');
  await page.getByRole('textbox', { name: 'Headline' }).fill('Snow');
  await page.getByText('Unsaved changes').waitFor();
  expect((await draftIn(id)).name).toBe('Later');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await title(page, 'Much later').waitFor();
  expect(await draftIn(id)).toMatchObject({
    name: 'Much later',
    status: 'scheduled',
    data: { headline: 'Snow' },
    scheduled_at: expect.any(String),
  });
});

test('where a project asks for approval the writer cannot send before another has approved, and a change takes it back', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'announcement');
  await (await database()).nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  const second = await asking.newKey(['*']);
  must(await asking.api.post('/contacts', { email: asking.address(), tags: ['news'] }), 200);
  const body = { name: 'Asked', template: 'announcement', audience: { mode: 'tag', tag: 'news' } };
  const { campaignId } = must(await asking.api.post('/campaigns?draft=1', body), 201);
  const writer = (await tabs.open(`/campaigns/${campaignId}/edit`, { key: asking.key })).page;
  await writer.getByText('You made the last change').waitFor();
  const list = (await tabs.open('/campaigns', { key: asking.key })).page;
  await list.getByText('needs approval, changed').waitFor();
  await expect.poll(() => writer.getByRole('button', { name: 'Send now…' }).isDisabled()).toBe(true);
  const approver = (await tabs.open(`/campaigns/${campaignId}/edit`, { key: second.key })).page;
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByText('Any change to the campaign revokes the approval').waitFor();
  const name = approver.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Asked again');
  await approver.getByText('You made the last change').waitFor();
  must(await asking.api.post(`/campaigns/${campaignId}/approve`), 200);
  await writer.reload();
  await writer.getByRole('button', { name: 'Send now…' }).click();
  await dialog(writer).getByText('1 recipient', { exact: true }).waitFor();
  await dialog(writer).getByRole('button', { name: 'Send now' }).click();
  await told(writer, 'Sending to 1 of 1 contacts');
});
