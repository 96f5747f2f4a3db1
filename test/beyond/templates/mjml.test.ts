import { beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { type ReadMail, readMail } from '../../support/sent-mail.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

const path = '/templates/newsletter/content';
const MJML = `<mjml>
  <mj-body>
    {% if sale %}
    <mj-section>
      <mj-column>
        <mj-text>{{ sale }} off, {{ contact.first_name }}</mj-text>
      </mj-column>
    </mj-section>
    {% endif %}
    <mj-section>
      <mj-column>
        <mj-text>News &amp; more</mj-text>
        <mj-button href="https://shop.example/{{ item }}?a=1&amp;b=2" css-class="{{ style }}">Look</mj-button>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
const page = (words: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${words}</mj-text></mj-column></mj-section></mj-body></mjml>`;

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

const put = (body: object, on = project) => on.api.put(path, body);

async function sent(data: object, contact: object = {}, on = project): Promise<ReadMail> {
  const to = on.address();
  await newContact(on, to, { firstName: 'Ada', ...contact });
  must(await on.api.post('/send', { template: 'newsletter', to, data }), 200);
  const [message, ...more] = await mailTo(to);
  expect(more).toEqual([]);
  return readMail(message!.raw);
}

describe('a template in MJML', () => {
  test('makes the email that it describes: Liquid in attributes and around sections, links that are counted, a text part, the footer of marketing', async () => {
    expect(must(await put({ content: { mjml: MJML }, publish: true }), 200)).toMatchObject({ published: true });
    expect(must(await project.api.get(path), 200).published.content).toEqual({ mjml: MJML });
    const { html, mail, links, unsubscribe, pixel } = await sent({ sale: '<5%>', item: 'tea pot', style: 'a" onload="x' });
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain('&lt;5%&gt; off, Ada');
    expect(html).toContain('News &amp; more');
    expect(html).toContain('class="a&quot; onload=&quot;x"');
    expect(html).not.toMatch(/\{[{%]|<mj-/);
    expect(pixel).toBeDefined();
    expect(unsubscribe).toBeDefined();
    expect(links).toContain(unsubscribe);
    expect(html.indexOf('>Unsubscribe</a>')).toBeLessThan(html.indexOf('</body>'));
    const counted = links.filter((link) => link.includes('/t/c/'));
    expect(counted).toHaveLength(1);
    const led = await fetch(testEnvironment().apiUrl + new URL(counted[0]!).pathname, { redirect: 'manual' });
    expect(led.headers.get('location')).toBe('https://shop.example/tea%20pot?a=1&b=2');
    expect(mail.text).toContain('<5%> off, Ada');
    expect(mail.text).toContain('Look (https://shop.example/tea%20pot?a=1&b=2)');
    expect(mail.text).toContain(`Unsubscribe: ${unsubscribe}`);
    const without = await sent({ item: 'x', style: 'y' });
    expect(without.html).not.toContain('off, Ada');
    expect(without.mail.text).not.toContain('off, Ada');
  });

  test('is refused with the line of what is wrong, and nothing is stored of it', async () => {
    const own = await newProject();
    const refusals: [object, string][] = [
      [{ mjml: '<mjml>\n<mj-body>\n<mj-include path="/etc/passwd" />\n</mj-body></mjml>' }, 'line 3: mj-include is not possible'],
      [{ mjml: '<mjml>\n<mj-body>\n<mj-section>\n</mj-body></mjml>' }, 'line 3: <mj-section> is not closed before </mj-body> in line 4'],
      [{ mjml: page('{% if a %}') }, 'line 1, {% if a %}: tag {% if a %} not closed'],
      [{ mjml: page('x'.repeat(256 * 1024)) }, 'at most 256 KB'],
    ];
    for (const [content, message] of refusals) {
      for (const answer of [await put({ content }, own), await own.api.post('/templates/newsletter/preview', { content })]) {
        expect([answer.status, answer.body.code]).toEqual([422, 'invalid_content']);
        expect(answer.body.issues[0]).toEqual({ path: 'content.mjml', message: expect.stringContaining(message) });
      }
    }
    const both = await put({ content: { mjml: page('x'), blocks: [] } }, own);
    expect(both.body.issues).toEqual([{ path: 'content.blocks', message: expect.any(String) }]);
    expect(must(await own.api.get(path), 200).draft).toBeUndefined();
  });

  test('says which variables it reads, warns of those that there are not, and is not sent without what is required', async () => {
    const made = {
      ...{ key: 'own', type: 'transactional', name: 'Own', subject: 'For {{ name }}' },
      dataSchema: [{ path: 'order.total', kind: 'string', required: true }],
      content: { mjml: page('{{ order.total }} {{ order.lines }} {{ contact.firstName }} {{ extra }}') },
    };
    const { warnings } = must(await project.api.post('/templates', made), 201);
    must(await project.api.put('/templates/own', { enabled: true }), 200);
    const schema = must(await project.api.get('/templates/own/schema'), 200);
    expect(schema.dataSchema.map(({ path: of }: { path: string }) => of)).toEqual(['order.total', 'name', 'order.lines', 'extra']);
    const saved = must(await project.api.put('/templates/own/content', { content: made.content }), 200);
    expect(saved.warnings).toEqual([{ path: 'content', message: expect.stringContaining('did you mean contact.first_name?') }]);
    expect(warnings).toEqual(saved.warnings);
    const refused = await project.api.post('/send', { template: 'own', to: project.address(), data: { name: 'x' } });
    expect(refused.body).toMatchObject({ code: 'send_failed', reason: 'render_failed' });
  });

  test('is shown by previews, as a draft and as it is given, and by test emails; what it said before can be restored', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    const preview = async (body: object) => must(await own.api.post('/templates/newsletter/preview', body), 200);
    must(await put({ content: { mjml: page('First {{ a }}') }, subject: 'One', publish: true }, own), 200);
    const { version } = must(await put({ content: { blocks: [{ type: 'text', text: 'Second' }] }, publish: true }, own), 200);
    must(await put({ content: { mjml: page('Third') } }, own), 200);
    const draft = await preview({});
    expect([draft.html.includes('Third'), draft.text.trim().startsWith('Third')]).toEqual([true, true]);
    expect((await preview({ version: 'published' })).text).toContain('Second');
    const given = await preview({ content: { mjml: page('Fourth {{ b }}') }, marks: true });
    expect([given.missing, given.html.includes('Fourth'), given.html.includes('<!--block')]).toEqual([['b'], true, false]);
    const to = own.address();
    must(await own.api.post('/templates/newsletter/test', { to }), 200);
    expect((await readMail((await mailTo(to))[0]!.raw)).html).toContain('Third');
    const first = must(await own.api.get(`/templates/newsletter/versions/${version - 1}`), 200);
    expect(first.content).toEqual({ mjml: page('First {{ a }}') });
    must(await put({ content: first.content, publish: true }, own), 200);
    expect((await sent({ a: 'again' }, {}, own)).html).toContain('First again');
  });

  test('may be one language beside a default of blocks', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    must(await put({ content: { blocks: [{ type: 'text', text: 'Hello' }] }, subject: 'Hello', publish: true }, own), 200);
    must(await put({ content: { mjml: page('Hallo {{ contact.first_name }}') }, subject: 'Hallo', locale: 'de', publish: true }, own), 200);
    const german = await sent({}, { locale: 'de-AT' }, own);
    expect([german.mail.subject, german.html.includes('Hallo Ada'), german.html.includes('lang="de"')]).toEqual(['Hallo', true, true]);
    expect(german.html).toContain('>Abmelden</a>');
    expect((await sent({}, { locale: 'fr' }, own)).mail.subject).toBe('Hello');
  });
});
