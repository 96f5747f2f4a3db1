import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { row } from '../../../db/rows.ts';
import { mailNow } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

/** A transactional mail unless told. */
const send = (body: object, on = project) => on.api.post('/send', { subject: 'Own', type: 'transactional', ...body });

async function rowsOf(to: string): Promise<number> {
  const counted = await row(await database(), sql<{ count: number }>`select count(*)::int as count from sends where to_email = ${to}`);
  return counted?.count ?? 0;
}

describe('a call that brings its content', () => {
  const blocks = { blocks: [] };
  const NOT_SEVERAL = 'either template, or html and text, or content: not several';
  const REQUIRED = 'required where there is no template';

  test.each([
    ['with no content', { template: undefined }, [['template', 'required, or html, text or content in its place']]],
    ['with nulls for it', { template: null, html: null, content: null }, [['template', 'required, or html, text or content in its place']]],
    [
      'with a template and a page',
      { template: 'receipt', html: 'x' },
      [
        ['template', NOT_SEVERAL],
        ['html', NOT_SEVERAL],
      ],
    ],
    [
      'with text and blocks',
      { text: 'x', content: blocks },
      [
        ['text', NOT_SEVERAL],
        ['content', NOT_SEVERAL],
      ],
    ],
    [
      'with all',
      { template: 'receipt', html: 'x', text: 'x', content: blocks },
      ['template', 'html', 'text', 'content'].map((path) => [path, NOT_SEVERAL]),
    ],
    [
      'without type and subject',
      { html: 'x', type: null, subject: undefined },
      [
        ['type', REQUIRED],
        ['subject', REQUIRED],
      ],
    ],
    ['with a blank subject', { content: blocks, subject: ' ' }, [['subject', REQUIRED]]],
    ['with an empty page', { html: '' }, [['html', 'should not be empty']]],
    ['with a text that is too long', { text: 'x'.repeat(500_001) }, [['text', 'at most 500000 characters']]],
    ['with control characters', { html: 'a\u0001b' }, [['html', 'control characters are not possible']]],
  ] as const)('%s is refused by its paths', async (_, body, issues) => {
    const to = project.address('refused');
    const refused = await send({ to, ...body });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_request']);
    expect(refused.body.issues.map(({ path, message }: { path: string; message: string }) => [path, message]).sort()).toEqual(
      [...issues].map(([path, message]) => [path, message]).sort(),
    );
    expect(await rowsOf(to)).toBe(0);
  });

  test.each([
    ['an unknown tag', { html: 'a\n{% foo %}' }, 'html', /line 2, \{% foo %\}: tag "foo" not found/],
    ['a tag of ours', { html: '{% link %}x{% endlink %}' }, 'html', /tag "link" not found/],
    ['an unknown filter', { html: 'fine', text: '{{ a | shout }}' }, 'text', /undefined filter: shout/],
    ['a tag that is not closed', { text: '{% if a %}' }, 'text', /not closed/],
    ['too many tags', { html: '{{ a }}'.repeat(5001) }, 'html', /at most 5000 Liquid tags/],
    ['too many links', { html: '<a href="https://a.example">a</a>'.repeat(1001) }, 'html', /at most 1000 links/],
    ['a comment that never ends', { html: 'x <!-- y' }, 'html', /never ends: <!-- y/],
    ['a tag that never ends', { html: 'x <a href="' }, 'html', /never ends: <a href="/],
    ['a script that never ends', { html: '<script>x' }, 'html', /never ends: x/],
    ['a block of no kind', { content: { blocks: [{ type: 'marquee' }] } }, 'content.blocks[0].type', /should be one of/],
    ['no blocks', { content: 7 }, 'content', /./],
  ] as const)('with %s is invalid_content, and has no row', async (_, body, path, message) => {
    const to = project.address('faulty');
    const refused = await send({ to, ...body });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_content']);
    expect(refused.body.issues).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect(await rowsOf(to)).toBe(0);
  });

  test('whose page runs too long, or whose subject does not parse, is a mail that cannot be rendered', async () => {
    const loop = '{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}';
    for (const body of [{ html: loop }, { html: 'x', subject: '{{ a | shout }}' }]) {
      const to = project.address('slow');
      const refused = await send({ to, ...body });
      expect([refused.status, refused.body.code, refused.body.reason]).toEqual([422, 'send_failed', 'render_failed']);
      expect(must(await project.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends).toMatchObject([
        { template: null, status: 'failed' },
      ]);
      expect(await mailNow(to)).toEqual([]);
    }
  });

  test('needs a brand with a sender on a domain of the project, as with a template', async () => {
    const from = await send({ html: 'x', to: project.address(), from: { email: 'a@elsewhere.example' } });
    expect([from.status, from.body.code]).toEqual([422, 'invalid_from']);
    await setBrand(await database(), project.id, 'mute', { name: 'Mute' }, false);
    const mute = await send({ html: 'x', to: project.address(), brand: 'mute' });
    expect([mute.status, mute.body.code, mute.body.error]).toEqual([422, 'invalid_from', expect.stringContaining('give `from`')]);
    const bare = await newProject({ noBrand: true });
    expect((await send({ html: 'x', to: bare.address() }, bare)).body.code).toBe('no_brand');
    expect((await send({ html: 'x', contactId: randomUUID() })).body.code).toBe('not_found');
  });
});
