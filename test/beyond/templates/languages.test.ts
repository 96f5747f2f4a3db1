import { beforeAll, describe, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { REJECTED } from '../../support/failed-mails.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { enableTemplates, must, newContact, newSequence } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await languagesOf({});
});

const text = (words: string) => ({ blocks: [{ type: 'text', text: words }] });

/** A project whose newsletter says something in English, and these languages. */
async function languagesOf(languages: Record<string, string>): Promise<TestProject> {
  const own = await newProject();
  await enableTemplates(own, 'newsletter');
  await publish(own, 'Hello');
  for (const [locale, words] of Object.entries(languages)) await publish(own, words, locale);
  return own;
}

async function publish(own: TestProject, words: string, locale?: string): Promise<number> {
  const body = { content: text(words), subject: `${words}!`, publish: true, ...(locale ? { locale } : {}) };
  return must(await own.api.put('/templates/newsletter/content', body), 200).version;
}

/** Subject and words of the newest mail to an address. */
async function saidTo(email: string): Promise<{ subject: string; has: (words: string) => boolean }> {
  const { raw } = (await mailTo(email)).at(-1)!;
  return { subject: /^subject: (.*)$/im.exec(raw)![1]!, has: (words) => raw.includes(words) };
}

async function sendsTo(own: TestProject, email: string): Promise<{ id: string }[]> {
  return must(await own.api.get(`/sends?q=${encodeURIComponent(email)}`), 200).sends;
}

async function localeOfSend(own: TestProject, id: string): Promise<string | null> {
  return must(await own.api.get(`/sends/${id}`), 200).send.locale;
}

async function sendTo(own: TestProject, contact: object, call: object = {}): Promise<string> {
  const email = own.address();
  await newContact(own, email, contact);
  must(await own.api.post('/send', { template: 'newsletter', to: email, ...call }), 200);
  return email;
}

describe('the language of an email', () => {
  test.each([
    ['de-AT', {}, 'Servus'],
    ['de-CH', {}, 'Hallo'],
    ['DE', {}, 'Hallo'],
    ['zh-Hant-TW', {}, 'Hello'],
    ['it', {}, 'Hello'],
    [undefined, {}, 'Hello'],
    ['de', { locale: 'de-at' }, 'Servus'],
    ['de', { locale: 'it' }, 'Hello'],
    [undefined, { locale: 'de' }, 'Hallo'],
  ])('of a contact with locale %s and a call with %o is the nearest that there is: %s', async (locale, call, words) => {
    const own = await languagesOf({ de: 'Hallo', 'de-AT': 'Servus' });
    const email = await sendTo(own, locale ? { locale } : {}, call);
    const said = await saidTo(email);
    expect([said.subject, said.has(words)]).toEqual([`${words}!`, true]);
    const { sends } = must(await own.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
    const known = { Hello: null, Hallo: 'de', Servus: 'de-AT' }[words];
    expect(must(await own.api.get(`/sends/${sends[0].id}`), 200).send.locale).toBe(known);
    expect(must(await own.api.get(`/sends/${sends[0].id}/mail`), 200).html).toContain(words);
  });

  test('without a subject of its own has that of the default, and a call with one overrides both', async () => {
    const own = await languagesOf({});
    must(await own.api.put('/templates/newsletter/content', { content: text('Hallo'), publish: true, locale: 'de' }), 200);
    expect((await saidTo(await sendTo(own, { locale: 'de' }))).subject).toBe('Hello!');
    expect((await saidTo(await sendTo(own, { locale: 'de' }, { subject: 'Given' }))).subject).toBe('Given');
    await publish(own, 'Hallo', 'de');
    must(await own.api.put('/templates/newsletter/content', { content: text('Moin'), publish: true, locale: 'de' }), 200);
    const said = await saidTo(await sendTo(own, { locale: 'de' }));
    expect([said.subject, said.has('Moin')]).toEqual(['Hallo!', true]);
  });

  test('also holds for a step of a sequence, a scheduled email, a batch and a test email', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    const [step, later, batched, tested] = ['step', 'later', 'batched', 'tested'].map((name) => own.address(name));
    const { key } = await newSequence(own, { steps: [{ template: 'newsletter' }] });
    const contactId = await newContact(own, step!, { locale: 'de' });
    must(await own.api.post(`/sequences/${key}/enroll`, { contactId }), 200);
    const sendAt = new Date(Date.now() + 1_000).toISOString();
    must(await own.api.post('/send', { template: 'newsletter', to: later, locale: 'de', sendAt }), 202);
    must(await own.api.post('/send/batch', { mails: [{ template: 'newsletter', to: batched, locale: 'de' }] }), 200);
    must(await own.api.post('/templates/newsletter/test', { to: tested, locale: 'de' }), 200);
    for (const email of [step, later, batched, tested]) expect((await saidTo(email!)).has('Hallo')).toBe(true);
  });

  test('stays when the email of a step is sent again', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    const email = own.address();
    const contactId = await newContact(own, email, { locale: 'de' });
    const { key } = await newSequence(own, { steps: [{ template: 'newsletter' }] });
    await scriptMail(email, REJECTED);
    must(await own.api.post(`/sequences/${key}/enroll`, { contactId }), 200);
    const { id } = await eventually(async () => {
      const [failed] = must(await own.api.get(`/sends?q=${encodeURIComponent(email)}&status=failed`), 200).sends;
      return failed;
    });
    await scriptMail(email, {});
    await newContact(own, email, { locale: 'fr' });
    must(await own.api.post(`/sends/${id}/retry`, {}), 200);
    expect((await saidTo(email)).has('Hallo')).toBe(true);
  });

  test('stays when the email is sent again', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    const email = own.address();
    const contactId = await newContact(own, email, { locale: 'de' });
    must(await own.api.post('/suppressions', { email, reason: 'manual' }), 201);
    await own.api.post('/send', { template: 'newsletter', contactId });
    must(await own.api.delete(`/suppressions/${encodeURIComponent(email)}`), 200);
    await newContact(own, email, { locale: 'fr' });
    const { sends } = must(await own.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
    must(await own.api.post(`/sends/${sends[0].id}/retry`, {}), 200);
    expect((await saidTo(email)).has('Hallo')).toBe(true);
  });
});

describe('a test email', () => {
  const testOf = async (own: TestProject, body: object) => {
    const to = own.address();
    must(await own.api.post('/templates/newsletter/test', { to, ...body }), 200);
    return to;
  };

  test('says in the log which language it was in, a draft or that of whom it shows, and none of the default', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    must(await own.api.put('/templates/newsletter/content', { content: text('Salut'), locale: 'fr' }), 200);
    const localeOf = async (body: object) => localeOfSend(own, (await sendsTo(own, await testOf(own, body)))[0]!.id);
    expect(await localeOf({ locale: 'de-CH' })).toBe('de');
    expect(await localeOf({ locale: 'fr' })).toBe('fr');
    expect(await localeOf({ contact: { locale: 'de' } })).toBe('de');
    expect(await localeOf({ contact: { locale: 'fr' } })).toBeNull();
    expect(await localeOf({})).toBeNull();
  });

  test('of a language that has no version yet, sent again, is in it, and one of the default is in the default', async () => {
    const own = await languagesOf({});
    const german = { content: text('Entwurf'), subject: 'Neu', locale: 'de' };
    must(await own.api.put('/templates/newsletter/content', german), 200);
    for (const [locale, subject, words, known] of [
      ['de', 'Neu', 'Entwurf', 'de'],
      ['it', 'Hello!', 'Hello', null],
    ] as const) {
      const email = own.address();
      must(await own.api.post('/suppressions', { email, reason: 'manual' }), 201);
      await own.api.post('/templates/newsletter/test', { to: email, locale });
      must(await own.api.delete(`/suppressions/${encodeURIComponent(email)}`), 200);
      const [failed] = await sendsTo(own, email);
      const { send_id } = must(await own.api.post(`/sends/${failed!.id}/retry`, {}), 200);
      const said = await saidTo(email);
      expect([said.subject, said.has(words)]).toEqual([subject, true]);
      expect([await localeOfSend(own, failed!.id), await localeOfSend(own, send_id)]).toEqual([known, known]);
    }
  });
});

describe('a draft of a language without a subject', () => {
  test('has the one that is published, and what it says is what publishing it says', async () => {
    const own = await languagesOf({ fr: 'FrPub' });
    const draft = { content: text('Brouillon'), locale: 'fr' };
    must(await own.api.put('/templates/newsletter/content', draft), 200);
    const shown = async () => must(await own.api.post('/templates/newsletter/preview', { locale: 'fr' }), 200).subject;
    const tested = async () => {
      const to = own.address();
      must(await own.api.post('/templates/newsletter/test', { to, locale: 'fr' }), 200);
      return (await saidTo(to)).subject;
    };
    expect([await shown(), await tested()]).toEqual(['FrPub!', 'FrPub!']);
    must(await own.api.put('/templates/newsletter/content', { ...draft, publish: true }), 200);
    expect((await saidTo(await sendTo(own, { locale: 'fr' }))).subject).toBe('FrPub!');
    must(await own.api.put('/templates/newsletter/content', { ...draft, subject: '' }), 200);
    expect([await shown(), await tested()]).toEqual(['Hello!', 'Hello!']);
  });

  test('of a language that ships has the one that ships, as long as emails say that', async () => {
    const own = await newProject();
    const key = 'confirm-subscription';
    await enableTemplates(own, key);
    const content = text('Oui {{ confirmUrl }}');
    const data = { confirmUrl: 'https://example.com/confirm' };
    const save = async (body: object) => must(await own.api.put(`/templates/${key}/content`, { content, locale: 'fr', ...body }), 200);
    const shown = async () => must(await own.api.post(`/templates/${key}/preview`, { data, locale: 'fr' }), 200).subject;
    const sent = async () => {
      const email = own.address();
      must(await own.api.post('/send', { template: key, to: email, data, locale: 'fr' }), 200);
      const { mail } = await readMail((await mailTo(email)).at(-1)!.raw);
      return mail.subject;
    };
    await save({});
    expect(await shown()).toMatch(/^Confirmez/);
    await save({ publish: true });
    expect([await shown(), await sent()]).toEqual([expect.stringMatching(/^Confirmez/), expect.stringMatching(/^Confirmez/)]);
    await save({ publish: true, subject: '' });
    expect(await sent()).toMatch(/^Confirm /);
    must(await own.api.delete(`/templates/${key}/languages/fr`), 200);
    must(await own.api.put(`/templates/${key}/content`, { content, subject: 'Own', publish: true }), 200);
    await save({});
    expect(await shown()).toBe('Own');
    await save({ publish: true });
    expect(await sent()).toBe('Own');
  });
});

test('a language that the body and the query name differently is refused, and one that both name is taken', async () => {
  const own = await languagesOf({ de: 'Hallo', fr: 'Salut' });
  const refusal = {
    code: 'invalid_request',
    issues: [{ path: 'locale', message: 'the body says de and the query fr: give one of them, or the same' }],
  };
  const calls = [
    own.api.put('/templates/newsletter/content?locale=fr', { content: text('Which'), locale: 'de', publish: true }),
    own.api.post('/templates/newsletter/preview?locale=fr', { locale: 'de' }),
    own.api.post('/templates/newsletter/test?locale=fr', { to: own.address(), locale: 'de' }),
  ];
  for (const { status, body } of await Promise.all(calls)) expect([status, body]).toEqual([422, expect.objectContaining(refusal)]);
  expect((await own.api.get('/templates/newsletter/content?locale=de')).body.published.content).toEqual(text('Hallo'));
  must(await own.api.put('/templates/newsletter/content?locale=DE', { content: text('Servus'), locale: 'de', publish: true }), 200);
  expect(must(await own.api.post('/templates/newsletter/preview?locale=de', {}), 200)).toMatchObject({ locale: 'de' });
});

describe('a campaign', () => {
  test('says to each what is nearest, as it was when it began, and counts by language', async () => {
    const own = await languagesOf({ de: 'Hallo', fr: 'Salut' });
    const { tag, emails } = await newAudience(own, 12);
    const locales = ['de', 'fr-CA', 'it', 'de-AT'];
    for (const [index, email] of emails.entries()) await newContact(own, email, { locale: locales[index % 4] });
    const id = await newCampaign(own, { audience: { mode: 'tag', tag }, ratePerSecond: 3 });
    await campaignBecomes(own, id, ({ sent_count }) => sent_count >= 1);
    await publish(own, 'Moin', 'de');
    must(await own.api.delete('/templates/newsletter/languages/fr'), 200);
    await campaignEnds(own, id);
    for (const [index, email] of emails.entries()) {
      const said = await saidTo(email);
      const words = ['Hallo', 'Salut', 'Hello', 'Hallo'][index % 4]!;
      expect([email, said.subject, said.has(words)]).toEqual([email, `${words}!`, true]);
      expect(await mailNow(email)).toHaveLength(1);
    }
    const { byLanguages } = must(await own.api.get(`/campaigns/${id}/results`), 200);
    const sent = byLanguages.map(({ locale, sent: count }: { locale: string | null; sent: number }) => [locale, count]);
    expect(sent).toEqual([
      ['de', 6],
      [null, 3],
      ['fr', 3],
    ]);
  });

  test('with a subject of its own has it in every language, and one without languages counts none', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    const { tag, emails } = await newAudience(own, 1);
    await newContact(own, emails[0]!, { locale: 'de' });
    const id = await newCampaign(own, { audience: { mode: 'tag', tag }, subject: 'Own' });
    await campaignEnds(own, id);
    const said = await saidTo(emails[0]!);
    expect([said.subject, said.has('Hallo')]).toEqual(['Own', true]);
    const plain = await languagesOf({});
    const audience = await newAudience(plain, 1);
    const other = await newCampaign(plain, { audience: { mode: 'tag', tag: audience.tag } });
    await campaignEnds(plain, other);
    expect((await campaignOf(plain, other)).sent_count).toBe(1);
    expect(must(await plain.api.get(`/campaigns/${other}/results`), 200).byLanguages).toEqual([]);
  });
});

describe('an email that is rendered again', () => {
  test('has the subject that it was sent with in its page, too, whatever its language and its data', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    const content = text('About {{ subject }}');
    const say = async (subject: string, locale?: string) =>
      must(await own.api.put('/templates/newsletter/content', { content, subject, publish: true, ...(locale ? { locale } : {}) }), 200);
    await say('Hello');
    await say('Hallo {{ who }}', 'de');
    const { tag, emails } = await newAudience(own, 1);
    await newContact(own, emails[0]!, { locale: 'de' });
    const id = await newCampaign(own, { audience: { mode: 'tag', tag }, data: { who: 'du' } });
    await campaignEnds(own, id);
    const call = await sendTo(own, { locale: 'de' }, { data: { who: '{{ brand.name }} {% if' } });
    for (const [email, subject] of [
      [emails[0]!, 'Hallo du'],
      [call, 'Hallo {{ brand.name }} {% if'],
    ] as const) {
      const [sent] = await sendsTo(own, email);
      const again = must(await own.api.get(`/sends/${sent!.id}/mail`), 200);
      expect(again).toMatchObject({ subject, isCurrent: true });
      expect(again.html).toContain(`<title>${subject}</title>`);
      expect(again.html).toContain(`aria-label="${subject}"`);
      expect(again.text).toContain(`About ${subject}`);
    }
  });

  test('in a language that ships is what emails say now, until a default is published', async () => {
    const own = await newProject();
    const key = 'confirm-subscription';
    await enableTemplates(own, key);
    const to = own.address();
    const data = { confirmUrl: 'https://example.com/confirm' };
    must(await own.api.post('/send', { template: key, to, data, locale: 'de' }), 200);
    const [sent] = await sendsTo(own, to);
    const again = async () => must(await own.api.get(`/sends/${sent!.id}/mail`), 200);
    expect(await again()).toMatchObject({ version: null, isCurrent: true });
    must(await own.api.put(`/templates/${key}/content`, { content: text('Own {{ confirmUrl }}'), publish: true }), 200);
    expect(await again()).toMatchObject({ version: 1, publication: 1, isCurrent: true });
  });
});

describe('the list of languages', () => {
  const listed = async (own: TestProject) => {
    const { languages } = must(await own.api.get('/templates/newsletter/languages'), 200);
    return languages.map(({ locale, published, draft, behind }: Listed) => [
      locale,
      published?.version ?? null,
      draft?.version ?? null,
      behind,
    ]);
  };

  interface Listed {
    readonly locale: string | null;
    readonly published: { readonly version: number } | null;
    readonly draft: { readonly version: number } | null;
    readonly behind: boolean;
  }

  test('says what each has, and which is behind the default until it is published again', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    must(await own.api.put('/templates/newsletter/content?locale=fr', { content: text('Salut') }), 200);
    expect(await listed(own)).toEqual([
      [null, 1, null, false],
      ['de', 2, null, false],
      ['fr', null, 3, true],
    ]);
    await publish(own, 'Good day');
    expect((await own.api.get('/templates/newsletter/content?locale=de')).body).toMatchObject({ behind: true, published: { version: 2 } });
    await publish(own, 'Guten Tag', 'de');
    expect(await listed(own)).toEqual([
      [null, 4, null, false],
      ['de', 5, null, false],
      ['fr', null, 3, true],
    ]);
    // A draft is nobody's language yet.
    expect((await saidTo(await sendTo(own, { locale: 'fr' }))).has('Good day')).toBe(true);
  });

  test('each language has versions, drafts and conflicts of its own', async () => {
    const own = await languagesOf({ de: 'Hallo' });
    const save = (locale: string | undefined, ifVersion: number) =>
      own.api.put(`/templates/newsletter/content?ifVersion=${ifVersion}`, { content: text('New'), ...(locale ? { locale } : {}) });
    must(await save('de', 2), 200);
    expect((await save('de', 2)).body).toMatchObject({ code: 'version_conflict' });
    must(await save(undefined, 1), 200);
    const versions = async (query: string) =>
      must(await own.api.get(`/templates/newsletter/versions${query}`), 200).versions.map(
        ({ version, state, subject }: { version: number; state: string; subject: string | null }) => [version, state, subject],
      );
    expect(await versions('?locale=de')).toEqual([
      [3, 'draft', null],
      [2, 'published', 'Hallo!'],
    ]);
    expect(await versions('')).toEqual([
      [4, 'draft', null],
      [1, 'published', 'Hello!'],
    ]);
    expect((await own.api.get('/templates/newsletter/versions/2?locale=de')).body.content).toEqual(text('Hallo'));
    expect((await own.api.get('/templates/newsletter/versions/2')).status).toBe(404);
  });

  test('a language that is taken away goes from what is sent, and may come back', async () => {
    const own = await languagesOf({ de: 'Hallo', 'de-AT': 'Servus' });
    expect(must(await own.api.delete('/templates/newsletter/languages/DE-at'), 200)).toMatchObject({ locale: 'de-AT', deleted: true });
    expect((await saidTo(await sendTo(own, { locale: 'de-AT' }))).has('Hallo')).toBe(true);
    expect((await own.api.delete('/templates/newsletter/languages/de-AT')).status).toBe(404);
    await publish(own, 'Griass di', 'de-AT');
    expect((await saidTo(await sendTo(own, { locale: 'de-AT' }))).subject).toBe('Griass di!');
    expect((await own.api.delete('/templates/newsletter/languages/no_tag')).status).toBe(404);
  });

  test('has 50 at most, and is of one brand and project', async () => {
    const own = await languagesOf({});
    const tags = Array.from({ length: 50 }, (_, n) => `de-x-n${n}`);
    for (const tag of tags) must(await own.api.put('/templates/newsletter/content', { content: text('x'), locale: tag }), 200);
    const refused = await own.api.put('/templates/newsletter/content', { content: text('x'), locale: 'fr' });
    expect(refused.body).toMatchObject({ code: 'too_many_languages' });
    must(await own.api.put('/templates/newsletter/content', { content: text('y'), locale: tags[0] }), 200);
    must(await own.api.put('/brands/other', { name: 'Other' }), 200);
    expect((await own.api.get('/templates/newsletter/languages?brand=other')).body.languages).toHaveLength(1);
    expect((await project.api.get('/templates/newsletter/languages')).body.languages).toHaveLength(1);
    const { api } = await own.newKey(['templates:read']);
    expect((await api.delete('/templates/newsletter/languages/de')).body).toMatchObject({ code: 'forbidden' });
  });
});

test.each([
  ['de', 'lang="de"', 'Abmelden', false],
  ['pt-BR', 'lang="pt-BR"', 'Cancelar inscrição', false],
  ['ar', 'lang="ar"', 'Unsubscribe', true],
  [undefined, 'lang="en"', 'Unsubscribe', false],
])(
  'a marketing email in %s names its language and its link to unsubscribe, and runs in its direction',
  async (locale, language, link, isRightToLeft) => {
    const own = await languagesOf(locale ? { [locale]: 'Words' } : {});
    const email = await sendTo(own, locale ? { locale } : {});
    const { sends } = must(await own.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
    const { html, text: plain } = must(await own.api.get(`/sends/${sends[0].id}/mail`), 200);
    expect(html.split(language).length - 1).toBe(2);
    expect(html).toContain(`>${link}</a>`);
    expect(plain).toContain(`\n${link}: http`);
    expect(html.includes('dir="rtl"')).toBe(isRightToLeft);
    const given = { content: text('Words'), ...(locale ? { locale } : {}) };
    expect(must(await own.api.post('/templates/newsletter/preview', given), 200).html).toContain(language);
  },
);

test('a preview shows the language that is asked for, its draft first, and else that of the contact', async () => {
  const own = await languagesOf({ de: 'Hallo' });
  const contactId = await newContact(own, own.address(), { locale: 'de-CH' });
  must(await own.api.put('/templates/newsletter/content', { content: text('Entwurf'), subject: 'Neu', locale: 'de' }), 200);
  const shown = async (body: object) => {
    const { locale, subject, html } = must(await own.api.post('/templates/newsletter/preview', body), 200);
    return [locale, subject, /Hello|Hallo|Entwurf/.exec(html)?.[0]];
  };
  expect(await shown({})).toEqual([null, 'Hello!', 'Hello']);
  expect(await shown({ locale: 'de' })).toEqual(['de', 'Neu', 'Entwurf']);
  expect(await shown({ locale: 'de', version: 'published' })).toEqual(['de', 'Hallo!', 'Hallo']);
  expect(await shown({ locale: 'de-CH' })).toEqual(['de', 'Hallo!', 'Hallo']);
  expect(await shown({ contactId })).toEqual(['de', 'Hallo!', 'Hallo']);
  expect(await shown({ contactId, locale: 'it' })).toEqual([null, 'Hello!', 'Hello']);
  expect((await own.api.post('/templates/newsletter/preview', { locale: 'no_tag' })).body).toMatchObject({ code: 'invalid_request' });
});

test('a template that ships in several languages says them until something is published', async () => {
  const own = await newProject();
  const key = 'confirm-subscription';
  await enableTemplates(own, key);
  const data = { confirmUrl: 'https://example.com/confirm' };
  const subjectFor = async (locale: string): Promise<[string, boolean]> => {
    const email = own.address();
    await newContact(own, email, { locale });
    must(await own.api.post('/send', { template: key, to: email, data }), 200);
    const { mail } = await readMail((await mailTo(email)).at(-1)!.raw);
    return [mail.subject!.split(' ')[0]!, mail.text!.includes('{{')];
  };
  expect(await Promise.all(['de-AT', 'fr', 'es-MX', 'it'].map(subjectFor))).toEqual([
    ['Bitte', false],
    ['Confirmez', false],
    ['Confirme', false],
    ['Confirm', false],
  ]);
  const ships = async () => {
    const { languages } = must(await own.api.get(`/templates/${key}/languages`), 200);
    return languages.map(({ locale, behind }: { locale: string | null; behind: boolean }) => [locale, behind]);
  };
  expect(await ships()).toEqual([
    [null, false],
    ['de', false],
    ['es', false],
    ['fr', false],
  ]);
  const shown = must(await own.api.post(`/templates/${key}/preview`, { data, locale: 'de-CH' }), 200);
  expect([shown.locale, shown.html.includes('Anmeldung bestätigen')]).toEqual(['de', true]);
  const german = must(await own.api.get(`/templates/${key}/content?locale=de`), 200);
  expect(german.defaultContent.blocks[0].text).toContain('bestätigen');
  expect(german.behind).toBe(false);
  const content = { blocks: [{ type: 'button', label: 'Yes', url: '{{ confirmUrl }}' }] };
  must(await own.api.put(`/templates/${key}/content`, { content, subject: 'Own', publish: true }), 200);
  expect((await subjectFor('de'))[0]).toBe('Own');
  expect(must(await own.api.get(`/templates/${key}/content?locale=de`), 200).behind).toBe(true);
  expect(await ships()).toEqual([
    [null, false],
    ['de', true],
    ['es', true],
    ['fr', true],
  ]);
});
