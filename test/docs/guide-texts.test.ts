import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { PAGE_NAMES } from '../../api/documentation/contents.ts';
import { routes } from '../../api/routes/index.ts';
import { STATUS_OF } from '../../domain/errors.ts';
import { SCOPES } from '../../domain/projects/scopes.ts';
import { NODE_KINDS } from '../../domain/sequences/kinds/node-kinds.ts';
import { api } from '../support/api.ts';
import { guideBlocks, guideTable, guideText, RUN_PAGES } from '../support/guide-blocks.ts';
import { FILE_OF_CALL } from '../support/guide-session.ts';
import { newProject } from '../support/project.ts';

/** Of `npm start`; not those of a link to the reference, which leads to it wherever a page is read. */
const DEFAULT_PORT = /(?<!\]\(http:\/\/127\.0\.0\.1:)\b(3000|1080|8233)\b/;

describe('what a reader of one page need not find out by a mistake', () => {
  const keysIn = (text: string): string[] =>
    [...text.matchAll(/(?:Idempotency-Key: |["']?idempotencyKey["']?:\s?["'])([\x21-\x7e]+?)["'`]/g)].map(([, key]) => key!);

  test('no page and no example of the API has an idempotency key of another one', async () => {
    const document = (await api().get('/openapi.json')).body;
    const ofParameter = /`([^`]+)`/.exec(document.components.parameters['Idempotency-Key'].description)![1]!;
    const ofExamples = routes.flatMap(({ examples }) => examples.flatMap((example) => keysIn(JSON.stringify(example))));
    const all = [...PAGE_NAMES.map((page) => keysIn(guideText(page))), [ofParameter], ...ofExamples.map((key) => [key])];
    const keys = all.flatMap((of) => [...new Set(of)]);
    expect(keys.length).toBeGreaterThan(3);
    expect(new Set(keys).size).toBe(keys.length);
    // The reference page sends an example of a parameter with whatever body is tried.
    expect(document.components.parameters['Idempotency-Key']).not.toHaveProperty('example');
  });

  test.each([
    ['docs/idempotency.md', '## Where it works', '## What can come back'],
    ['docs/contract/idempotency.md', '1. ', '2. '],
  ])('%s names the calls that take a key, and no others', (path, from, to) => {
    const text = readFileSync(path, 'utf8');
    const section = text.slice(text.indexOf(from), text.indexOf(to)).split('The other calls need none')[0]!;
    const named = new Set(Array.from(section.matchAll(/\bPOST (\/[\w:/-]+)/g), ([, route]) => route));
    const taking = routes.filter(({ idempotency }) => idempotency !== undefined).map((route) => route.path);
    expect([...named].sort()).toEqual(taking.sort());
  });

  test('a name that a contact may not have stands with a default in every page and example', () => {
    const texts = [...PAGE_NAMES.map(guideText), JSON.stringify(routes.map(({ examples }) => examples))];
    expect(texts.join('\n')).toContain('{{ contact.first_name | default');
    expect(texts.flatMap((text) => text.match(/\{\{ contact\.\w*name \}\}/g) ?? [])).toEqual([]);
  });

  test.each(RUN_PAGES.filter((page) => DEFAULT_PORT.test(guideText(page))))(
    'docs/%s.md says of its first port that it is the default',
    (page) => {
      const text = guideText(page);
      const around =
        text.slice(0, text.search(DEFAULT_PORT)).split('\n\n').at(-1)! +
        text.slice(text.search(DEFAULT_PORT), text.search(DEFAULT_PORT) + 200);
      expect(around).toContain('default');
      expect(around).toContain('npm start');
    },
  );

  test.each(['templates', 'sequences'])('docs/%s.md says once how a body under its request is sent', (page) => {
    const [first, next] = guideBlocks(page).flatMap((block, index, all) =>
      /^(POST|PUT) /.test(block.title) ? [block, all[index + 1]!] : [],
    );
    const [method, path] = first!.title.split(' ');
    expect(next!.code).toMatch(FILE_OF_CALL);
    expect(next!.code).toContain(`-X ${method} $EVERPOST_URL${path}`);
    expect(guideBlocks(page).filter(({ code }) => FILE_OF_CALL.test(code))).toHaveLength(1);
  });

  test('docs/webhooks.md says how a receiver of the own machine is allowed, before it is asked for', () => {
    const text = guideText('webhooks');
    expect(text.indexOf('WEBHOOK_ALLOW_PRIVATE=1')).toBeLessThan(text.indexOf('$EVERPOST_URL/webhooks '));
    expect(text.indexOf('npm install standardwebhooks')).toBeLessThan(text.indexOf('```js receiver.mjs'));
    expect(text).toContain('WEBHOOK_ALLOW_PRIVATE=1');
    expect(text).toContain('pip install standardwebhooks');
  });
});

describe('what a page lists is all that there is', () => {
  const words = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

  test('errors: every code with its status', () => {
    const rows = guideTable('errors', 'status').flatMap(([status, codes]) => words(codes!).map((code) => [code, status!] as const));
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(STATUS_OF).sort());
    for (const [code, status] of rows)
      expect([code, status.split(', ')]).toEqual([code, expect.arrayContaining([String(STATUS_OF[code as keyof typeof STATUS_OF])])]);
  });

  test('going live: every setting that docker compose asks for', async () => {
    const asked = [...(await readFile('docker-compose.yml', 'utf8')).matchAll(/\$\{(\w+):?\?/g)].map(([, name]) => name!);
    const listed = guideTable('going-live', 'setting').flatMap(([setting]) => words(setting!));
    expect(listed.sort()).toEqual([...new Set(asked)].sort());
  });

  test.each(['going-live', 'contract/http'])('%s: every scope', (page) => {
    const scopes = guideTable(page, 'scope').flatMap(([scope]) => words(scope!));
    expect(scopes.sort()).toEqual([...SCOPES, '*'].sort());
  });

  test('sequences: every kind of node', () => {
    const kinds = guideTable('sequences', 'kind').flatMap(([kind]) => words(kind!));
    expect(kinds.sort()).toEqual(NODE_KINDS.map(({ name }) => name).sort());
  });

  test('sequences: each message of the list is one that comes', async () => {
    const [trigger, exit] = [
      { id: 't', kind: 'trigger' },
      { id: 'e', kind: 'exit' },
    ];
    const branch = { id: 'b', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'exists' } } };
    const wait = (config: object) => ({ id: 'w', kind: 'wait_until', config });
    const graphs = [
      {
        nodes: [trigger, branch, exit],
        edges: [
          { from: 't', to: 'b' },
          { from: 'b', to: 'e' },
        ],
      },
      {
        nodes: [trigger, exit, { id: 'f', kind: 'exit', config: { a: 1 } }],
        edges: [
          { from: 't', to: 'e' },
          { from: 't', to: 'f' },
          { from: 'e', to: 't' },
        ],
      },
      { nodes: [exit], edges: [] },
      { nodes: [trigger, wait({ event: { type: 'x' } })], edges: [{ from: 't', to: 'w' }] },
      {
        nodes: [trigger, wait({ event: { type: 'x' }, time: { at: '09:00' } }), { id: 'd', kind: 'wait_delay', config: { minutes: '5' } }],
        edges: [{ from: 't', to: 'w' }],
      },
    ];
    const project = await newProject();
    const answers = await Promise.all(graphs.map((graph) => project.api.put('/sequences/mistakes', graph)));
    const came = answers.map(({ body }) => body.error).join('; ');
    const listed = guideTable('sequences', 'message').flatMap(([cell]) => (cell!.includes('of an enroll') ? [] : words(cell!)));
    expect(listed.length).toBeGreaterThan(6);
    expect(listed.filter((message) => !came.includes(message))).toEqual([]);
  });

  test('sequences: the picture has the nodes and the branch keys of the graph', async () => {
    const graph = JSON.parse(guideBlocks('sequences').find(({ title }) => title === 'PUT /sequences/trial')!.code) as {
      nodes: { id: string }[];
      edges: { branchKey?: string }[];
    };
    const picture = await readFile('docs/trial-sequence.svg', 'utf8');
    const drawn = (kind: string): string[] =>
      [...picture.matchAll(new RegExp(`class="${kind}"[^>]*>([^<]+)<`, 'g'))].map(([, text]) => text!).sort();
    expect(drawn('id')).toEqual(graph.nodes.map(({ id }) => id).sort());
    expect(drawn('key')).toEqual(graph.edges.flatMap(({ branchKey }) => branchKey ?? []).sort());
    expect(guideText('sequences')).toContain('(trial-sequence.svg)');
  });
});
