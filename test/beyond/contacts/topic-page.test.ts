import { beforeAll, describe, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds } from '../../support/campaigns.ts';
import { testEnvironment } from '../../support/environment.ts';
import type { TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { ask, INSIDERS, linkOf, NEWS, OFFERS, projectWithTopics, switchesOf } from '../../support/topics.ts';

let project: TestProject;
let { person, contactOf, marketing, timelineOf } = {} as Awaited<ReturnType<typeof projectWithTopics>>;
beforeAll(async () => {
  ({ project, person, contactOf, marketing, timelineOf } = await projectWithTopics(NEWS, OFFERS, INSIDERS));
  await enableTemplates(project, 'newsletter');
});

describe('the page of choices', () => {
  const mailed = async (fields: object = {}, mail: object = {}) => {
    const contact = await person(fields);
    must(await marketing(contact.email, mail), 200);
    return { ...contact, link: await linkOf(contact.email) };
  };

  test('has a switch for each public topic and one button for everything; GET and HEAD change nothing', async () => {
    const { id, link } = await mailed();
    const { status, html } = await ask('GET', link);
    expect(status).toBe(200);
    expect(switchesOf(html).map(({ name, on }) => [name, on])).toEqual([
      ['Monthly &lt;news&gt;', true],
      ['Offers', false],
    ]);
    expect(html).toContain('Unsubscribe from everything');
    await ask('HEAD', link);
    for (const { action } of switchesOf(html)) await ask('GET', action);
    expect(await contactOf(id)).toMatchObject({ topics: {}, status: 'subscribed' });
    expect(await timelineOf(id, 'consent_changed')).toEqual([]);
  });

  test('has the topic of the email first', async () => {
    const { link } = await mailed({ topics: { offers: true } }, { topic: 'offers' });
    expect(switchesOf((await ask('GET', link)).html).map(({ name }) => name)).toEqual(['Offers', 'Monthly &lt;news&gt;']);
  });

  test('shows a topic that is not public to those who have it', async () => {
    const { link } = await mailed({ topics: { insiders: true } });
    expect(switchesOf((await ask('GET', link)).html).map(({ name }) => name)).toContain('Insiders');
  });

  test('a switch turns its topic and nothing else, and keeps address and browser of the person as the proof', async () => {
    const { id, link } = await mailed();
    const [news] = switchesOf((await ask('GET', link)).html);
    const turned = await ask('POST', news!.action, { 'user-agent': 'Browser/2' });
    expect(switchesOf(turned.html).map(({ on }) => on)).toEqual([false, false]);
    expect(await contactOf(id)).toMatchObject({ topics: { news: false }, status: 'subscribed' });
    await ask('POST', news!.action);
    const [change, ...others] = await timelineOf(id, 'consent_changed');
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      topics: { news: false },
      cause: 'mail_link',
      by_user_agent: 'Browser/2',
      by_ip: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    expect(change.send_id).toEqual(expect.any(String));
    // The person's own act takes the no back.
    const [off] = switchesOf(turned.html);
    await ask('POST', off!.action);
    expect((await contactOf(id)).topics).toEqual({ news: true });
  });

  test('the one-click of a mail leaves its topic, and everything where it is of none', async () => {
    const one = await mailed({ topics: { offers: true } }, { topic: 'news' });
    const left = await ask('POST', one.link);
    expect(left.html).toContain('You get no more “Monthly &lt;news&gt;”');
    expect(await contactOf(one.id)).toMatchObject({ topics: { news: false, offers: true }, status: 'subscribed' });
    expect((await marketing(one.email, { topic: 'offers' })).status).toBe(200);
    const all = await mailed();
    await ask('POST', all.link);
    expect((await contactOf(all.id)).status).toBe('unsubscribed');
  });

  test('the one-click of a mail of a topic that is offered to nobody any more leaves that topic', async () => {
    must(await project.api.post('/topics', { key: 'hidden', name: 'Hidden', defaultOn: true, public: false }), 201);
    const { id, link } = await mailed({}, { topic: 'hidden' });
    must(await project.api.call('PATCH', '/topics/hidden', { defaultOn: false }), 200);
    expect((await ask('POST', link)).html).toContain('You get no more “Hidden”');
    expect(await contactOf(id)).toMatchObject({ topics: { hidden: false }, status: 'subscribed' });
  });

  test('everything is left by its button, also from the page of a mail of a topic, and come back to', async () => {
    const { id, link } = await mailed({}, { topic: 'news' });
    const { html } = await ask('GET', link);
    const everything = /action="([^"]+)"><button[^>]*>Unsubscribe from everything/.exec(html)![1]!;
    const gone = await ask('POST', `${testEnvironment().apiUrl}${everything}`);
    expect((await contactOf(id)).status).toBe('unsubscribed');
    expect(switchesOf(gone.html)).toEqual([]);
    const back = /action="([^"]+)"/.exec(gone.html)![1]!;
    const again = await ask('POST', `${testEnvironment().apiUrl}${back}`);
    expect(await contactOf(id)).toMatchObject({ status: 'subscribed', topics: {} });
    expect(switchesOf(again.html)).toHaveLength(2);
  });

  test('a forged token, another project and a topic that there is not get the page of a bad link, and change nothing', async () => {
    const { id, link } = await mailed();
    const [news] = switchesOf((await ask('GET', link)).html);
    const { action } = news!;
    const bad = [
      action.replace(/t=v1\../, 't=v1.x'),
      action.replace('topic=news', 'topic=nothing'),
      action.replace('on=false', 'on=maybe'),
    ];
    for (const url of bad) expect((await ask('POST', url)).status).toBe(400);
    expect(await contactOf(id)).toMatchObject({ topics: {}, status: 'subscribed' });
  });

  test('who leaves the topic by its switch counts for the mail as who leaves by one click', async () => {
    const emails = [project.address(), project.address()];
    const { campaignId } = must(
      await project.api.post('/campaigns', { template: 'newsletter', topic: 'news', audience: { mode: 'people', emails } }),
      201,
    );
    expect(await campaignEnds(project, campaignId)).toMatchObject({ sent_count: 2 });
    await ask('POST', await linkOf(emails[0]!));
    const [news] = switchesOf((await ask('GET', await linkOf(emails[1]!))).html);
    expect((await ask('POST', news!.action)).html).toContain('Saved.');
    await campaignBecomes(project, campaignId, ({ unsubscribed_count: left }) => left === 2);
  });

  test('a topic that was never offered to the person is not turned on by its link, nor named', async () => {
    const { id, link } = await mailed();
    const [news] = switchesOf((await ask('GET', link)).html);
    expect((await ask('POST', news!.action.replace('topic=news&on=false', 'topic=insiders&on=true'))).status).toBe(400);
    expect((await ask('POST', `${link}&topic=insiders`)).html).not.toContain('Insiders');
    expect((await contactOf(id)).topics).toEqual({});
  });

  test('who gets no email for another reason is told so', async () => {
    const { email, link } = await mailed();
    must(await project.api.post('/suppressions', { email }), 201);
    expect((await ask('GET', link)).html).toContain('on the list of addresses that');
  });

  test('a topic in the link that there is no more leaves everything: the person wanted to go', async () => {
    const { id, link } = await mailed({}, { topic: 'news' });
    await ask('POST', link.replace('topic=news', 'topic=gone'));
    expect((await contactOf(id)).status).toBe('unsubscribed');
  });

  test('speaks the four languages', async () => {
    const words = { de: 'Von allem abmelden', fr: 'Me désabonner de tout', es: 'Darme de baja de todo', en: 'Unsubscribe from everything' };
    for (const [locale, word] of Object.entries(words)) {
      const { link } = await mailed({ locale });
      expect((await ask('GET', link)).html).toContain(word);
    }
  });
});
