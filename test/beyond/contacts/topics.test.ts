import { beforeAll, describe, expect, test } from 'vitest';
import { mailCount } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { INSIDERS, NEWS, OFFERS, projectWithTopics } from '../../support/topics.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

let project: TestProject;
let { person, contactOf, marketing, timelineOf } = {} as Awaited<ReturnType<typeof projectWithTopics>>;
beforeAll(async () => {
  ({ project, person, contactOf, marketing, timelineOf } = await projectWithTopics(NEWS, OFFERS, INSIDERS));
});

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
    const { id, email, topics } = await person({ topics: { offers: true } });
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
    const { id, email } = await person({ topics: { news: false } });
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
    for (const topics of ['{"news":"yes"}', '{"__proto__":true}', '[true]', '"news"'])
      expect((await project.api.call('POST', '/contacts', `{"email":"${email}","topics":${topics}}`)).body.code).toBe('invalid_request');
  });

  test('the first choices stand where the contact was added, and a consent that is given once more is the proof of a choice', async () => {
    const consent = { source: 'form', ip: '203.0.113.9', userAgent: 'Browser/1' };
    const { id, email } = await person({ topics: { news: true, offers: false }, consent });
    const created = async () => (await timelineOf(id, 'contact_created'))[0];
    const first = await created();
    expect(first.topics).toEqual({ news: true, offers: false });
    must(await project.api.post('/contacts', { email, topics: { news: false } }), 200);
    must(await project.api.post('/contacts', { email, topics: { news: true, offers: true }, resubscribe: true, consent }), 200);
    const [again] = await timelineOf(id, 'consent_changed');
    expect(again).toMatchObject({ topics: { news: true, offers: true }, consent_ip: '203.0.113.9', consent_source: 'form' });
    expect(await created()).toEqual(first);
  });

  test('each change is kept with its proof, and the webhook tells of it', async () => {
    const { project: own, ...asked } = await projectWithTopics(NEWS);
    const listened = await listenForEvents(own, { events: ['contact.topics_changed'] });
    const { id, email } = await asked.person();
    const consent = { source: 'form', ip: '203.0.113.9', userAgent: 'Browser/1' };
    must(await own.api.post('/contacts', { email, topics: { news: true }, consent }), 200);
    must(await own.api.post('/contacts', { email, topics: { news: true } }), 200);
    must(await own.api.post('/contacts', { email, topics: { news: false } }), 200);
    const changes = await asked.timelineOf(id, 'consent_changed');
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
      const { email } = await person({ topics });
      const sent = await marketing(email, { topic });
      expect([sent.status, await mailCount(email)]).toEqual(goes ? [200, 1] : [422, 0]);
      if (!goes) {
        const why = Object.hasOwn(topics, topic)
          ? 'the person has turned this topic off'
          : 'the topic is off for whoever has not chosen it';
        expect(sent.body).toMatchObject({ code: 'send_failed', reason: 'topic_off', error: expect.stringContaining(why) });
      }
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
    const { email } = await person({ topics: { news: false, offers: false } });
    expect((await marketing(email)).status).toBe(200);
    const plain = { to: email, subject: 'Key', html: '<p>x</p>', type: 'transactional' };
    expect((await project.api.post('/send', plain)).status).toBe(200);
    expect((await project.api.post('/send', { ...plain, topic: 'news' })).body).toMatchObject({ issues: [{ path: 'topic' }] });
    expect((await marketing(email, { topic: 'nothing' })).body).toMatchObject({ issues: [{ path: 'topic', message: 'no such topic' }] });
  });

  test('copies of it leave those out who have it off', async () => {
    const [to, off, on] = [await person({}), await person({ topics: { news: false } }), await person({})];
    const sent = must(await marketing(to.email, { topic: 'news', cc: [off.email, on.email] }), 200);
    expect([await mailCount(off.email), await mailCount(on.email)]).toEqual([0, 1]);
    const logged = must(await project.api.get(`/sends/${sent.id}`), 200).send;
    expect(logged.left_out).toEqual([{ email: off.email, reason: 'topic_off' }]);
  });

  test('of a topic that was deleted goes to nobody, and a topic made again under its key finds the choices', async () => {
    const { project: own, ...asked } = await projectWithTopics(NEWS);
    const { id, email } = await asked.person({ topics: { news: true } });
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const waiting = must(await asked.marketing(email, { topic: 'news', sendAt }), 202);
    must(await own.api.delete('/topics/news'), 200);
    await expect.poll(async () => must(await own.api.get(`/sends/${waiting.id}`), 200).send.error, { timeout: 20_000 }).toBe('topic_off');
    expect(await mailCount(email)).toBe(0);
    must(await own.api.post('/topics', NEWS), 201);
    expect((await asked.contactOf(id)).topics).toEqual({ news: true });
  });
});
