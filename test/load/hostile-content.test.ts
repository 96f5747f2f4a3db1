import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { type ApiHere, startApiHere } from '../support/api-here.ts';
import { newProject, type TestProject } from '../support/project.ts';

/** docs/contract/limits.md 8. */
const MAX_DELAY_MS = 50;
/** A collection of garbage may fall into one of them, or another process have the core. */
const TRIES = 8;

let running: ApiHere;
let project: TestProject;
let key: string;
beforeAll(async () => {
  running = await startApiHere();
  project = await newProject({ everpost: running });
  key = project.key;
  // What is loaded and compiled once is not what is measured here.
  await answered('post', '/templates/receipt/preview', JSON.stringify({ content: { blocks: [] } }));
});
afterAll(() => running?.stop());

const answered = async (method: string, path: string, body: string | undefined) => {
  const { status, body: answer } = await api(key, running.url).call(method.toUpperCase(), path, body);
  return { status, code: answer.code as string | undefined };
};

/**
 * The longest time for which this process, which is the API, did nothing else, and what it answered. A busy machine delays a loop too, so what
 * counts is the time that its thread was running between two turns.
 */
async function measured(method: string, path: string, body: string | undefined) {
  let delayMs = 0;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    delayMs = Math.max(delayMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(turn, 1);
  const answer = await answered(method, path, body);
  turn();
  clearInterval(timer);
  return { ...answer, delayMs };
}

const text = (source: string) => ({ blocks: [{ type: 'text', text: source }] });
const preview = (source: string, data: object = {}) => ['post', '/templates/receipt/preview', { content: text(source), data }] as const;
const save = (content: unknown) => ['put', '/templates/receipt/content', { content, publish: true }] as const;
const mail = (subject: string) => ['post', '/send', { template: 'magic-link', to: 'hostile@to.example', subject }] as const;
const page = (html: string) => ['post', '/send', { html, to: 'hostile@to.example', subject: 'x', type: 'transactional' }] as const;
const numbers = Array.from({ length: 60_000 }, (_, index) => index % 10);

const REFUSED = [422, 'invalid_content'] as const;
const NOT_SENT = [422, 'send_failed'] as const;
const FINE = [200, undefined] as const;
/** As deep as the stack of a thread happens to be. */
const EITHER = undefined;

type Expected = readonly [number, string | undefined] | undefined;
const CASES: readonly (readonly [string, readonly [string, string, unknown], Expected])[] = [
  ['250 KB of filters in one output', preview(`{{a${'|append:a'.repeat(28_000)}}}`), REFUSED],
  [
    'a condition of three thousand operands over an array',
    preview(`{% if a ${'contains 99 or a '.repeat(3000)} %}{% endif %}`, { a: numbers }),
    REFUSED,
  ],
  ['forty thousand openings of nothing', preview('{d'.repeat(40_000)), FINE],
  ['the same saved', save(text('{d'.repeat(40_000))), FINE],
  ['dates of megabytes', preview(`{{ "2026-01-01" | date: "${'%A %B %c '.repeat(6000)}" }}`), REFUSED],
  ['a loop in a loop', preview('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'), REFUSED],
  [
    'text that doubles with each round',
    preview('{% assign a = "xxxxxxxxxx" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}'),
    REFUSED,
  ],
  ['conditions within each other', preview(`${'{% if a %}'.repeat(2400)}${'{% endif %}'.repeat(2400)}`), EITHER],
  ['arrays compared over and over', preview(`{% if a ${'== b and a '.repeat(3000)} %}{% endif %}`, { a: numbers, b: numbers }), REFUSED],
  [
    'tags to strip that never close',
    preview('{% for i in (1..50) %}{{ a | strip_html | size }}{% endfor %}', { a: '<script'.repeat(30_000) }),
    REFUSED,
  ],
  ['bold text that never ends', save(text('**a '.repeat(60_000))), FINE],
  ['links that never end', save(text('[a]('.repeat(60_000))), FINE],
  ['quotes that never end', save(text('{{ "'.repeat(4_900))), REFUSED],
  ['five thousand tags', save(text('{{x}}'.repeat(5000))), FINE],
  ['a hundred thousand items that are none', save({ blocks: [{ type: 'list', items: Array(100_000).fill(5) }] }), REFUSED],
  ['ninety thousand columns that are none', save({ blocks: [{ type: 'table', rows: 'a', columns: Array(90_000).fill({}) }] }), REFUSED],
  ['content of two megabytes', save(text('x'.repeat(2_000_000))), REFUSED],
  ['a schema of five thousand variables', ['get', '/templates/receipt/schema', undefined], FINE],
  ['a subject of tags', ['put', '/templates/receipt', { defaultSubject: '{%if a%}'.repeat(120) }], REFUSED],
  ['a mail whose subject is a loop in a loop', mail('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'), NOT_SENT],
  [
    'a mail whose subject doubles with each round',
    mail('{% assign a = "xxxxxxxxxx" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}'),
    NOT_SENT,
  ],
  ['a page of half a megabyte', page('x'.repeat(500_000)), FINE],
  ['a page of tags that never end', page('<a "'.repeat(120_000)), REFUSED],
  ['a page of brackets', page('<'.repeat(500_000)), FINE],
  ['a page of links', page('<a href=https://a.example/>'.repeat(15_000)), REFUSED],
  ['a page of attributes', page(`<a ${'b = " '.repeat(80_000)}">`), REFUSED],
  ['a page of nested elements', page('<div style="display:none"><b>'.repeat(15_000)), FINE],
  ['a page of conditions within each other', page(`${'{% if a %}<a href="{{ a }}">'.repeat(1600)}${'{% endif %}'.repeat(1600)}`), EITHER],
  ['a page that is a loop in a loop', page('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}'), NOT_SENT],
  [
    'a graph whose texts are Liquid',
    [
      'put',
      '/sequences/hostile',
      {
        nodes: Array.from({ length: 20 }, (_, index) => ({
          id: `n${index}`,
          kind: 'webhook',
          config: { url: 'https://hooks.example/', body: { text: `{{a${'|append:a'.repeat(1100)}}}` } },
        })),
        edges: [],
      },
    ],
    [422, 'invalid_graph'],
  ],
];

describe('the API answers others while it reads what an author wrote', () => {
  beforeAll(async () => {
    await answered('put', '/templates/receipt/content', JSON.stringify({ content: text('x') }));
    await answered('put', '/templates/magic-link', JSON.stringify({ enabled: true }));
    const steps = [{ template: 'receipt', delayMinutes: 1 }];
    expect(await answered('post', '/sequences', JSON.stringify({ key: 'hostile', name: 'Hostile', steps }))).toMatchObject({ status: 201 });
  });

  test.each(CASES)('%s', async (_, [method, path, body], expected) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const delays: number[] = [];
    for (let attempt = 0; attempt < TRIES && !delays.some((delay) => delay <= MAX_DELAY_MS); attempt++) {
      const { status, code, delayMs } = await measured(method, path, json);
      if (expected) expect([status, code]).toEqual(expected);
      delays.push(delayMs);
    }
    expect(Math.min(...delays)).toBeLessThanOrEqual(MAX_DELAY_MS);
  });

  test('while one request takes all its time, another is answered at once', async () => {
    const [method, path, body] = preview('{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}');
    const overtakes = async (): Promise<boolean> => {
      const done: string[] = [];
      const slow = answered(method, path, JSON.stringify(body)).then(() => done.push('slow'));
      expect(await answered('get', '/templates', undefined)).toMatchObject({ status: 200 });
      done.push('other');
      await slow;
      return done[0] === 'other';
    };
    let isOvertaken = false;
    for (let attempt = 0; attempt < TRIES && !isOvertaken; attempt++) isOvertaken = await overtakes();
    expect(isOvertaken).toBe(true);
  });
});

/** Of 5 MB, or as large as its names allow. */
const BODIES: readonly (readonly [string, string, Expected])[] = [
  ['400,000 names in one object', `{${named(400_000)}}`, [422, 'invalid_request']],
  ['as many names in one object as are allowed', `{${named(29_990)}}`, [422, 'invalid_request']],
  ['few names in very many objects', `[${'{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0},'.repeat(99_000)}0]`, [422, 'invalid_request']],
  ['a million and a half arrays of nothing', `[${'[],'.repeat(1_600_000)}0]`, [422, 'invalid_request']],
  [
    'as many texts as have room, no two the same',
    `[${Array.from({ length: 440_000 }, (_, index) => `"t${index}",`).join('')}0]`,
    [422, 'invalid_request'],
  ],
  ['half of a character in each of very many objects', `[${'{"a":"\\ud83d","b":"x"},'.repeat(99_000)}0]`, [422, 'invalid_request']],
  ['a name that comes again at the end of the text', `{${named(29_000)},"x":[${'0,'.repeat(2_300_000)}0],"n7":0}`, [400, 'invalid_json']],
  ['a million times the same name', `{${'"":0,'.repeat(1_000_000)}"":0}`, [400, 'invalid_json']],
  ['a colon after each of a million texts', `[${'"":'.repeat(1_000_000)}0]`, [400, 'invalid_json']],
];

function named(count: number): string {
  return Array.from({ length: count }, (_, index) => `"n${index}":0`).join(',');
}

describe('the API answers others while it reads a body', () => {
  test.each(BODIES)('%s', async (_, body, expected) => {
    const delays: number[] = [];
    for (let attempt = 0; attempt < TRIES && !delays.some((delay) => delay <= MAX_DELAY_MS); attempt++) {
      const { status, code, delayMs } = await measured('post', '/contacts', body);
      expect([status, code]).toEqual(expected);
      delays.push(delayMs);
    }
    expect(Math.min(...delays)).toBeLessThanOrEqual(MAX_DELAY_MS);
  });
});

describe('previews', () => {
  const content = text('Hello {{ contact.first_name }}');

  test('of given content need templates:write, of a contact contacts:read, of what is stored any key', async () => {
    const contactId = (await project.api.post('/contacts', { email: project.address() })).body.contacts[0].id;
    const path = '/templates/receipt/preview';
    for (const [scopes, body, status] of [
      [['send'], {}, 200],
      [['send', 'contacts:read'], { content }, 403],
      [['templates:write'], { content }, 200],
      [['templates:write'], { content, contactId }, 403],
      [['send'], { contactId }, 403],
      [['contacts:read'], { contactId }, 200],
      [['templates:write', 'contacts:read'], { content, contactId }, 200],
    ] as const) {
      const answer = await (await project.newKey(scopes)).api.post(path, body);
      expect([scopes, answer.status, answer.body.code]).toEqual([scopes, status, status === 403 ? 'forbidden' : undefined]);
    }
  });

  test('take data of 256 KB and no more', async () => {
    const { status, body } = await project.api.post('/templates/receipt/preview', { data: { a: 'x'.repeat(257 * 1024) } });
    expect([status, body.code, body.error]).toEqual([422, 'invalid_request', 'data: at most 256 KB']);
  });
});
