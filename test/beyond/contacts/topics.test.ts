import { beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { mailCount, mailNow } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

const NEWS = { key: 'news', name: 'Monthly <news>', description: 'On the first of the month' };
const OFFERS = { key: 'offers', name: 'Offers', defaultOn: false };
const INSIDE = { key: 'insiders', name: 'Insiders', defaultOn: false, public: false };

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'password-reset');
  for (const topic of [NEWS, OFFERS, INSIDE]) must(await project.api.post('/topics', topic), 201);
});

const people = async (fields: object, of = project) => {
  const email = of.address();
  const { contacts } = must(await of.api.post('/contacts', { email, ...fields }), 200);
  return contacts[0] as { id: string; email: string; topics: object; status: string };
};
const contactOf = async (id: string, of = project) => must(await of.api.get(`/contacts/${id}`), 200).contact;
const marketing = (to: string, fields: object = {}, of = project) =>
  of.api.post('/send', { to, subject: 'News', html: '<p>News</p>', type: 'marketing', ...fields });
const linkOf = async (email: string) => {
  const [mail] = (await mailNow(email)).slice(-1);
  const link = /^list-unsubscribe: <([^>]+)>/im.exec(mail!.raw.replace(/\r?\n[ \t]+/g, ' '))![1]!;
  return link.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
};
const ask = async (method: string, url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { method, headers });
  return { status: response.status, html: await response.text() };
};
const switchesOf = (html: string) =>
  [...html.matchAll(/action="([^"]+)"><span><b[^>]*>([^<]+)<\/b>.*?aria-checked="(true|false)"/g)].map(([, action, name, on]) => ({
    action: `${testEnvironment().apiUrl}${action}`,
    name: name!,
    on: on === 'true',
  }));
const timelineOf = async (id: string, of = project) =>
  must(await of.api.get(`/contacts/${id}/timeline?kind=consent_changed`), 200).timeline.map(({ details }: { details: object }) => details);

describe('the list of topics', () => {
  test('is made, read, changed and deleted by key, in the order in which they were made', async () => {
    const own = await newProject();
    const made = must(await own.api.post('/topics', { key: 'b', name: ' Beta ' }), 201).topic;
    expect(made).toEqual({ key: 'b', name: 'Beta', description: '', defaultOn: true, public: true });
    must(await own.api.post('/topics', { key: 'a', name: 'Alpha', defaultOn: false, public: false }), 201);
    expect((await own.api.get('/topics')).body.topics.map(({ key }: { key: string }) => key)).toEqual(['b', 'a']);
    expect((await own.api.post('/topics', { key: 'b', name: 'Again' })).body).toMatchObject({ code: 'duplicate_key' });
    const changed = must(await own.api.call('PATCH', '/topics/a', { defaultOn: true, description: 'more' }), 200).topic;
    expect(changed).toEqual({ key: 'a', name: 'Alpha', description: 'more', defaultOn: true, public: false });
    expect(must(await own.api.get('/topics/a'), 200).topic).toEqual(changed);
    expect(must(await own.api.delete('/topics/a'), 200)).toMatchObject({ key: 'a', deleted: true });
    for (const answer of [own.api.get('/topics/a'), own.api.call('PATCH', '/topics/a', {}), own.api.delete('/topics/a')])
      expect((await answer).status).toBe(404);
  });

  test('is a project of its own, for keys with topics:write, and has 50 at most, however many are made at once', async () => {
    const own = await newProject();
    expect((await own.api.get('/topics')).body.topics).toEqual([]);
    const { api } = await own.newKey(['contacts:write']);
    expect((await api.post('/topics', { key: 'x', name: 'X' })).body).toMatchObject({ code: 'forbidden' });
    const asked = await Promise.all(Array.from({ length: 55 }, (_, no) => own.api.post('/topics', { key: `t${no}`, name: `T ${no}` })));
    expect(asked.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(asked.filter(({ body }) => body.code === 'too_many_topics')).toHaveLength(5);
    for (const key of ['', 'Upper', 'a.b', 'ä', 'x'.repeat(65)])
      expect((await own.api.post('/topics', { key, name: 'X' })).body).toMatchObject({ code: 'invalid_request' });
  });
});

describe('what a person chose', () => {
  test('is set by POST /contacts key by key, and is part of the record and of lists', async () => {
    const { id, email, topics } = await people({ topics: { offers: true } });
    expect(topics).toEqual({ offers: true });
    must(await project.api.post('/contacts', { email, topics: { news: false } }), 200);
    must(await project.api.post('/contacts', { email, firstName: 'Ada' }), 200);
    expect((await contactOf(id)).topics).toEqual({ offers: true, news: false });
    expect((await project.api.get(`/contacts?email=${encodeURIComponent(email)}`)).body.contacts[0].topics).toEqual({
      offers: true,
      news: false,
    });
  });

  test('a later sign-up takes no "no" back, also within one call; only resubscribe does', async () => {
    const { id, email } = await people({ topics: { news: false } });
    must(await project.api.post('/contacts', { email, topics: { news: true, offers: true } }), 200);
    expect((await contactOf(id)).topics).toEqual({ news: false, offers: true });
    must(
      await project.api.post('/contacts', [
        { email, topics: { offers: false } },
        { email, topics: { offers: true } },
      ]),
      200,
    );
    expect((await contactOf(id)).topics).toEqual({ news: false, offers: false });
    must(await project.api.post('/contacts', { email, topics: { news: true }, resubscribe: true }), 200);
    expect((await contactOf(id)).topics).toEqual({ news: true, offers: false });
  });

  test('a topic that the project does not have is refused with its path, and nothing is written', async () => {
    const email = project.address();
    const refused = await project.api.post('/contacts', [{ email }, { email, topics: { nothing: true, news: true } }]);
    expect(refused.body).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'contacts[1].topics.nothing', message: 'no such topic' }],
    });
    expect((await project.api.get(`/contacts?email=${encodeURIComponent(email)}`)).body.totalCount).toBe(0);
    expect((await project.api.post('/contacts', { email, topics: { news: 'yes' } })).body.code).toBe('invalid_request');
  });

  test('each change is kept with its proof, and the webhook tells of it', async () => {
    const own = await newProject();
    must(await own.api.post('/topics', NEWS), 201);
    const listened = await listenForEvents(own, { events: ['contact.topics_changed'] });
    const { id, email } = await people({}, own);
    const consent = { source: 'form', ip: '203.0.113.9', userAgent: 'Browser/1' };
    must(await own.api.post('/contacts', { email, topics: { news: true }, consent }), 200);
    must(await own.api.post('/contacts', { email, topics: { news: true } }), 200);
    must(await own.api.post('/contacts', { email, topics: { news: false } }), 200);
    const changes = await timelineOf(id, own);
    expect(changes).toHaveLength(2);
    expect(changes[1]).toMatchObject({
      topics_before: {},
      topics: { news: true },
      consent_ip: '203.0.113.9',
      cause: 'api_call',
      by_ip: null,
    });
    expect(changes[0]).toMatchObject({
      topics_before: { news: true },
      topics: { news: false },
      consent_ip: null,
      from: 'subscribed',
      to: 'subscribed',
    });
    const events = ofType(await listened(), 'contact.topics_changed');
    expect(events.map(({ data }) => (data as { changed_topics: object }).changed_topics)).toEqual([{ news: true }, { news: false }]);
  });
});

describe('a mail of a topic', () => {
  test('goes to those who have it on, by choice or by default, and to nobody else', async () => {
    const cases = [
      [{}, 'news', true],
      [{ news: false }, 'news', false],
      [{}, 'offers', false],
      [{ offers: true }, 'offers', true],
    ] as const;
    for (const [topics, topic, goes] of cases) {
      const { email } = await people({ topics });
      const sent = await marketing(email, { topic });
      expect([sent.status, await mailCount(email)]).toEqual(goes ? [200, 1] : [422, 0]);
      if (!goes) expect(sent.body).toMatchObject({ code: 'send_failed', reason: 'topic_off' });
      const [logged] = must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200).sends;
      expect(logged).toMatchObject({ topic, status: goes ? 'sent' : 'failed', ...(goes ? {} : { error: 'topic_off' }) });
    }
  });

  test('an address that is not known yet gets it by default, and becomes a contact', async () => {
    const [known, unknown] = [project.address(), project.address()];
    expect((await marketing(known, { topic: 'news' })).status).toBe(200);
    expect((await marketing(unknown, { topic: 'offers' })).body.reason).toBe('topic_off');
    expect([await mailCount(known), await mailCount(unknown)]).toEqual([1, 0]);
  });

  test('mails of no topic and transactional ones go whatever is off; a transactional one cannot be of a topic', async () => {
    const { email } = await people({ topics: { news: false, offers: false } });
    expect((await marketing(email)).status).toBe(200);
    const plain = { to: email, subject: 'Key', html: '<p>x</p>', type: 'transactional' };
    expect((await project.api.post('/send', plain)).status).toBe(200);
    expect((await project.api.post('/send', { ...plain, topic: 'news' })).body).toMatchObject({ issues: [{ path: 'topic' }] });
    expect((await marketing(email, { topic: 'nothing' })).body).toMatchObject({ issues: [{ path: 'topic', message: 'no such topic' }] });
  });

  test('copies of it leave those out who have it off', async () => {
    const [to, off, on] = [await people({}), await people({ topics: { news: false } }), await people({})];
    const sent = must(await marketing(to.email, { topic: 'news', cc: [off.email, on.email] }), 200);
    expect([await mailCount(off.email), await mailCount(on.email)]).toEqual([0, 1]);
    const logged = must(await project.api.get(`/sends/${sent.id}`), 200).send;
    expect(logged.left_out).toEqual([{ email: off.email, reason: 'topic_off' }]);
  });

  test('of a topic that was deleted goes to nobody, and a topic made again under its key finds the choices', async () => {
    const own = await newProject();
    must(await own.api.post('/topics', NEWS), 201);
    const { id, email } = await people({ topics: { news: true } }, own);
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const waiting = must(await marketing(email, { topic: 'news', sendAt }, own), 202);
    must(await own.api.delete('/topics/news'), 200);
    await expect.poll(async () => must(await own.api.get(`/sends/${waiting.id}`), 200).send.error, { timeout: 20_000 }).toBe('topic_off');
    expect(await mailCount(email)).toBe(0);
    must(await own.api.post('/topics', NEWS), 201);
    expect((await contactOf(id, own)).topics).toEqual({ news: true });
  });
});

describe('the page of choices', () => {
  const mailed = async (fields: object = {}, mail: object = {}) => {
    const contact = await people(fields);
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
    expect(await timelineOf(id)).toEqual([]);
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
    const [change, ...others] = await timelineOf(id);
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
