import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { templatesModule } from '@everpost/client/types';
import { publint } from 'publint';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiDocument } from '../../../local/console-types.ts';
import { generate } from '../../../sdk/generate.ts';
import { plainEnvironment, testEnvironment } from '../../support/environment.ts';
import { guideBlocks } from '../../support/guide-blocks.ts';
import { mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';
import { commandLine } from '../cli/support.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'sdk');
const MOST_GZIPPED = 12_000;
const run = promisify(execFile);

/** In a process of its own: under the conditions of Vitest its package has sources that Node does not load. */
const ATTW = `import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
const { types, problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(process.argv[1]))));
console.log(JSON.stringify({ types, problems }));`;

interface Block {
  readonly language: string;
  readonly title: string;
  readonly code: string;
}

let tarball: string;
/** Where the package is installed as the README says. */
let folder: string;
let blocks: readonly Block[];

beforeAll(async () => {
  const scratch = await mkdtemp(join(testEnvironment().scratchDir, 'sdk-'));
  // Of npm, which keeps what it has read there.
  const home = join(scratch, 'home');
  await mkdir(home);
  folder = join(scratch, 'app');
  await mkdir(folder);
  const readme = await readFile(join(SDK, 'README.md'), 'utf8');
  blocks = [...readme.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, title = '', code]) => ({
    language: language!,
    title,
    code: code!,
  }));
  // Packed as it is built: others use what a build would write anew.
  const settings = { npm_config_offline: 'true', npm_config_ignore_scripts: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  const env = { ...plainEnvironment(), HOME: home, ...settings };
  await run('sh', ['-ec', block('install').code.replaceAll('/path/to/everpost', ROOT)], { cwd: folder, env });
  const [packed] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  tarball = join(folder, packed!);
});

function block(title: string): Block {
  const found = blocks.find((one) => one.title === title);
  if (!found) throw new Error(`the README has no block ${title}`);
  return found;
}

/** What `tsc --strict` says of these files of the folder; empty where it says nothing. */
async function compiled(...files: string[]): Promise<string> {
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const kind = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const { stdout } = await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, ...kind, ...types, ...files], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

describe('the package', () => {
  test('has nothing that publint or attw finds wrong, for any way to import it', async () => {
    const { messages } = await publint({ pkgDir: join(folder, 'node_modules/@everpost/client'), pack: false, strict: true });
    expect(messages).toEqual([]);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', ATTW, tarball], { cwd: ROOT });
    const { types, problems } = JSON.parse(stdout) as { types: unknown; problems: unknown };
    expect(types).toEqual({ kind: 'included' });
    expect(problems).toEqual([]);
  });

  test('is at most 12 kB compressed, and needs no package and nothing of Node', async () => {
    const installed = join(folder, 'node_modules/@everpost/client');
    const loaded = new Map<string, string>();
    const load = async (name: string): Promise<void> => {
      if (loaded.has(name)) return;
      const code = await readFile(join(installed, 'dist/esm', name), 'utf8');
      loaded.set(name, code);
      for (const [, specifier] of code.matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)) {
        expect([name, specifier]).toEqual([name, expect.stringMatching(/^\.{1,2}\//)]);
        await load(join(name, '..', specifier!));
      }
    };
    await load('index.js');
    expect(loaded.size).toBeGreaterThan(5);
    expect(loaded).not.toHaveProperty('types.js');
    expect(gzipSync([...loaded.values()].join('')).length).toBeLessThanOrEqual(MOST_GZIPPED);
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect(await readdir(join(folder, 'node_modules'))).toEqual(expect.not.arrayContaining(['node-fetch']));
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  test('is imported, and required, with the same exports', async () => {
    const shows =
      "console.log([client, types, nodemailer].map((one) => Object.keys(one).sort().join()).join(' '), typeof new client.Everpost({ apiKey: 'x' }).contacts.list)";
    const entries = { client: '@everpost/client', types: '@everpost/client/types', nodemailer: '@everpost/client/nodemailer' };
    const lines = (line: (name: string, from: string) => string) =>
      [...Object.entries(entries).map(([name, from]) => line(name, from)), shows].join('\n');
    await writeFile(
      join(folder, 'as-module.mjs'),
      lines((name, from) => `import * as ${name} from '${from}';`),
    );
    await writeFile(
      join(folder, 'as-commonjs.cjs'),
      lines((name, from) => `const ${name} = require('${from}');`),
    );
    const outputs = await Promise.all(['as-module.mjs', 'as-commonjs.cjs'].map((file) => run(process.execPath, [file], { cwd: folder })));
    for (const { stdout } of outputs)
      expect(stdout).toBe(
        'Everpost,WebhookVerificationError,isEverpostError,verifyWebhook dataType,templatesModule everpostTransport function\n',
      );
  });
});

test('the README lists every option of a client and of a call', async () => {
  const [readme, options] = await Promise.all(['README.md', 'src/options.ts'].map((path) => readFile(join(SDK, path), 'utf8')));
  const optionsOf = (name: string) => {
    const [, members] = new RegExp(`interface ${name} [^{]*\\{([^}]*)\\}`).exec(options!)!;
    return [...members!.matchAll(/readonly (\w+)\?:/g)].map(([, option]) => option!);
  };
  const listed = [...readme!.matchAll(/^\| `(\w+)` \|/gm)].map(([, option]) => option!);
  const ofClient = optionsOf('ClientOptions');
  const ofCall = [...optionsOf('CallOptions'), ...optionsOf('KeyedCallOptions')];
  expect(ofClient.length).toBeGreaterThan(5);
  expect(listed.sort()).toEqual([...new Set([...ofClient, ...ofCall])].sort());
});

test('the first email of the README arrives, by what it says alone', async () => {
  const project = await newProject();
  await enableTemplates(project, 'receipt');
  const { title, code } = block('first-mail.mjs');
  const to = project.address('grace');
  await writeFile(join(folder, title), code.replace('grace@example.com', to));
  const env = { ...plainEnvironment(), EVERPOST_API_KEY: project.key, EVERPOST_URL: testEnvironment().apiUrl };
  const { stdout } = await run('sh', ['-ec', block('run').code], { cwd: folder, env });
  const [mail] = await mailTo(to);
  const [, id] = /^sent (\S+)\n$/.exec(stdout) ?? [];
  expect(id).toBeDefined();
  expect(mail!.raw).toContain(id);
});

test('the example of an error in the README is of an email that is refused, for the reason that it names', async () => {
  const project = await newProject();
  await enableTemplates(project, 'password-reset');
  const { title, code } = block('refused.mjs');
  await writeFile(join(folder, title), code);
  const env = { ...plainEnvironment(), EVERPOST_API_KEY: project.key, EVERPOST_URL: testEnvironment().apiUrl };
  expect((await run(process.execPath, [title], { cwd: folder, env })).stdout).toBe('render_failed\n');
});

/** The examples of the README and of the guide as modules, each with a client where it makes none, beside the types that `types` writes. */
async function writeExamples(): Promise<string[]> {
  const project = await newProject();
  expect(await (await commandLine(project.key)).run('types', { cwd: folder })).toMatchObject({ code: 0 });
  const examples = [...blocks, ...guideBlocks('clients')].filter(({ language }) => language === 'ts');
  return await Promise.all(
    examples.map(async ({ code }, at) => {
      const given = code.includes('new Everpost(')
        ? ''
        : "import { Everpost as Client } from '@everpost/client';\ndeclare const everpost: Client;\nvoid everpost;\n";
      const name = `example-${at}.mts`;
      await writeFile(join(folder, name), `${given}${code}`);
      return name;
    }),
  );
}

test('every example of the README and of docs/clients.md compiles under tsc --strict, and one that lacks a field does not', async () => {
  const examples = await writeExamples();
  expect(examples.length).toBeGreaterThan(10);
  expect(await compiled(...examples)).toBe('');
  const wrong = [
    "import { Everpost, isEverpostError } from '@everpost/client';",
    'const everpost = new Everpost();',
    "await everpost.send({ template: 'receipt' });",
    "await everpost.contacts.list({ tags: 'beta' });",
    'await everpost.contacts.get();',
    "await everpost.contacts.upsert({ email: 'ada@example.com', topics: { news: 'yes' } });",
    'const error: unknown = null;',
    "if (isEverpostError(error) && error.code === 'not_found') error.reason;",
    "if (isEverpostError(error) && error.code === 'no_such_code') error;",
    "await everpost.send({ template: 'receipt', to: 'ada@example.com' }, { idempotencyKey: 'receipt-7' });",
    "await everpost.templates.sendTest('receipt', { to: 'ada@example.com' }, {}, { idempotencyKey: 'receipt-7' });",
  ];
  await writeFile(join(folder, 'wrong.mts'), wrong.join('\n'));
  const lines = [...(await compiled('wrong.mts')).matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([3, 4, 5, 6, 8, 9, 11]);
});

test("the recipe for Nodemailer compiles as an ES module and as CommonJS, and a field of `everpost` that there is not doesn't", async () => {
  await symlink(join(ROOT, 'node_modules/nodemailer'), join(folder, 'node_modules/nodemailer'));
  const { code } = guideBlocks('recipes').find(({ title }) => title === 'tagged.mts')!;
  // CommonJS awaits in functions alone.
  const inFunction = `${code.replace('const { messageId } = await', 'async function send() {\n$&')}\n}\nvoid send();`;
  await writeFile(join(folder, 'tagged.mts'), code);
  await writeFile(join(folder, 'tagged.cts'), inFunction);
  expect(await compiled('tagged.mts', 'tagged.cts')).toBe('');
  await writeFile(join(folder, 'mistagged.mts'), code.replace('tags:', 'tag:'));
  expect(await compiled('mistagged.mts')).toMatch(/^mistagged\.mts\(\d+,.*'tag' does not exist/);
});

test('the types of templates are made of their schemas, and a variable that is missing does not compile', async () => {
  const project: TestProject = await newProject();
  await enableTemplates(project, 'receipt', 'password-reset');
  const described = await Promise.all(
    ['receipt', 'password-reset'].map(async (key) => (await project.api.get(`/templates/${key}/schema`)).body),
  );
  await writeFile(join(folder, 'templates.d.mts'), templatesModule(described));
  const program = [
    "import { Everpost } from '@everpost/client';",
    "import type { Templates } from './templates.mjs';",
    'const mails = new Everpost().templates.typed<Templates>();',
    "const to = 'ada@example.com';",
    "await mails.send({ template: 'receipt', to });",
    "await mails.send({ template: 'receipt', to, data: { orderNumber: '1', items: [{ name: 'Beans', price: '€3' }] } }, { idempotencyKey: 'a' });",
    "await mails.send({ template: 'password-reset', to, data: { resetUrl: 'https://example.com' } });",
    "await mails.send({ template: 'password-reset', to, data: {} });",
    "await mails.send({ template: 'password-reset', to });",
    "await mails.send({ template: 'receipt', to, data: { ordernumber: '1' } });",
    "await mails.send({ template: 'reciept', to });",
    "await mails.send({ template: 'receipt' });",
    "const reset = { template: 'password-reset', to, data: { resetUrl: 'https://example.com' } } as const;",
    "const { error } = await mails.safe.send(reset, { idempotencyKey: 'a' });",
    "if (error?.code === 'send_failed') error.reason.trim();",
    "const { results } = await mails.sendBatch({ mails: [reset, { template: 'receipt', to, data: { orderNumber: '1' } }], idempotencyKey: 'a' });",
    'await mails.safe.sendBatch({ mails: results.map(() => ({ ...reset, to })) });',
    "await mails.sendBatch({ mails: [...['a@b.example'].map((to) => ({ template: 'receipt' as const, to }))] });",
    "await mails.safe.send({ template: 'password-reset', to });",
    "await mails.sendBatch({ mails: [reset, { template: 'password-reset', to }] });",
    "await mails.sendBatch({ mails: [reset, { template: 'receipt', to, data: { ordernumber: '1' } }] });",
    "await mails.safe.sendBatch({ mails: [{ template: 'reciept', to }] });",
  ];
  await writeFile(join(folder, 'typed.mts'), program.join('\n'));
  const lines = [...(await compiled('typed.mts')).matchAll(/^typed\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([8, 9, 10, 11, 12, 19, 20, 21, 22]);
});

test('what is sent as it should be compiles: a Date wherever an instant is asked for, readonly lists and interfaces; and an answer is narrowed by what it has', async () => {
  const program = [
    "import { type BodyOf, Everpost } from '@everpost/client';",
    'interface Order { readonly number: string; readonly items: readonly { readonly name: string }[]; readonly on?: Date }',
    'declare const order: Order;',
    'const everpost = new Everpost();',
    "const [template, to] = ['receipt', 'ada@example.com'];",
    "const tags: readonly string[] = ['orders'];",
    'const body: BodyOf<"send"> = { template, to, tags, data: order, sendAt: new Date() };',
    'const answer = await everpost.send({ ...body, data: { order, paid: new Date() } });',
    "if ('sendAt' in answer) [answer.id, answer.sendAt, answer.status].join();",
    'else answer.missing?.join();',
    'await everpost.sendBatch({ mails: [body] as const });',
    "await everpost.sends.reschedule('0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e04', { sendAt: new Date() });",
    'await everpost.contacts.upsert({ email: to, tags, attributes: { since: new Date() } });',
    'await everpost.sends.list({ from: new Date(), to: "2026-06-02T12:00:00Z" });',
    "await everpost.webhooks.retryFailed('0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e04', { from: new Date(), to: new Date() });",
    "await everpost.sequences.simulate('welcome', { contact: {}, events: [{ type: 'paid', at: new Date() }] });",
    "declare const campaign: BodyOf<'recurringCampaigns.create'>;",
    'const [from, until] = [new Date(), new Date()];',
    'await everpost.recurringCampaigns.create({ ...campaign, recurrence: { ...campaign.recurrence, from, until } });',
    'await everpost.send({ template, to, sendAt: 7 });',
    "await everpost.send({ template, to, data: 'text' });",
    'await everpost.send({ template, to, tags: [7] as const });',
    'await everpost.send({ template, to, metadata: { on: new Date() } });',
    'await everpost.send({ template, to, from });',
    'await everpost.stats.sends({ period: new Date() });',
    'answer.sendAt;',
  ];
  await writeFile(join(folder, 'given.mts'), program.join('\n'));
  const lines = [...(await compiled('given.mts')).matchAll(/^given\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([20, 21, 22, 23, 24, 25, 26]);
});

test('a body without somebody whom it is for, or without what it says, does not compile, and each way to say them does', async () => {
  const program = [
    "import { type BodyOf, Everpost } from '@everpost/client';",
    'const everpost = new Everpost();',
    'const mails = everpost.templates.typed<{ readonly receipt: { readonly total?: string } }>();',
    "const to = 'ada@example.com';",
    'declare const maybe: string | undefined;',
    'declare const none: string | null;',
    "declare const content: NonNullable<BodyOf<'send'>['content']>;",
    'declare const person: { readonly email: string } | { readonly contactId: string };',
    "await everpost.send({ template: 'receipt', to });",
    "await everpost.send({ template: 'receipt', contactId: '1', to: none, subject: none, html: null });",
    "await everpost.send({ to, subject: 'S', text: 'T', type: 'transactional' });",
    "await everpost.send({ to, subject: 'S', html: '<p>T</p>', text: 'T', type: 'transactional' });",
    "await everpost.send({ to, subject: 'S', content, type: 'marketing' });",
    "await everpost.sendBatch({ mails: [to].map((each) => ({ template: 'receipt', to: each })) });",
    "await everpost.sequences.enroll('welcome', person);",
    "await everpost.sequences.enrollMany('welcome', { emails: [to] });",
    "await everpost.sequences.simulate('welcome', { contact: {} });",
    "await everpost.events.track({ type: 'paid', ...person });",
    "await mails.send({ template: 'receipt', contactId: '1' });",
    "await everpost.send({ template: 'receipt', to: maybe });",
    "await everpost.send({ template: 'receipt', to: none });",
    "await everpost.send({ template: 'receipt', to: undefined });",
    'await everpost.send({ template: maybe, to });',
    "await everpost.send({ to, subject: maybe, text: maybe, type: 'transactional' });",
    "await everpost.send({ to, subject: 'S', text: 'T' });",
    "await everpost.send({ to, template: 'receipt', html: '<p>T</p>' });",
    "await everpost.safe.send({ template: 'receipt', to: maybe });",
    "await everpost.sendBatch({ mails: [{ template: 'receipt', to: maybe }] });",
    "await everpost.sequences.enroll('welcome', { email: maybe });",
    "await everpost.sequences.enroll('welcome', { contactId: none });",
    "await everpost.sequences.enrollMany('welcome', { emails: undefined });",
    "await everpost.sequences.simulate('welcome', { contactId: maybe });",
    "await everpost.events.track({ type: 'paid', email: maybe });",
    "await mails.send({ template: 'receipt', to: maybe });",
    "await mails.sendBatch({ mails: [{ template: 'receipt', to: none }] });",
  ];
  await writeFile(join(folder, 'together.mts'), program.join('\n'));
  const lines = [...(await compiled('together.mts')).matchAll(/^together\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  const right = program.findIndex((line) => line.includes('to: maybe'));
  expect([...new Set(lines)]).toEqual(program.flatMap((_, at) => (at < right ? [] : [at + 1])));
});

test('an email whose template is one of several has the data of all of them, or does not compile', async () => {
  const program = [
    "import { Everpost, type TypedMail } from '@everpost/client';",
    'interface Templates { readonly reset: { readonly url: string }; readonly welcome: { readonly name?: string }; readonly plain: object }',
    'const mails = new Everpost().templates.typed<Templates>();',
    "const to = 'ada@example.com';",
    "declare const either: 'reset' | 'welcome';",
    'declare const any: keyof Templates;',
    "declare const optional: 'welcome' | 'plain';",
    "declare const ofBoth: TypedMail<Templates, 'reset' | 'welcome'>;",
    "declare const ofOne: TypedMail<Templates, 'reset'> | TypedMail<Templates, 'welcome'>;",
    "await mails.send({ template: either, to, data: { url: 'https://example.com' } });",
    "await mails.send({ template: any, to, data: { url: 'https://example.com' } });",
    'await mails.send({ template: optional, to });',
    'await mails.send(ofBoth);',
    'await mails.send(ofOne);',
    'await mails.send({ template: either, to });',
    "await mails.send({ template: either, to, data: { name: 'Ada' } });",
    'await mails.send({ template: any, to });',
    'await mails.send({ template: any, to, data: {} });',
  ];
  await writeFile(join(folder, 'several.mts'), program.join('\n'));
  const lines = [...(await compiled('several.mts')).matchAll(/^several\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([15, 16, 17, 18]);
});

test('data of a kind that is not declared does not compile, nor does what the server refuses since required data is missing', async () => {
  const project: TestProject = await newProject();
  const dataSchema = [
    { path: 'name', kind: 'string', required: true },
    { path: 'order.url', kind: 'url', required: true },
    { path: 'order.total', kind: 'number' },
    { path: 'isGift', kind: 'boolean' },
    { path: 'on', kind: 'date', sample: '2026-06-02' },
    {
      path: 'items',
      kind: 'array',
      sample: [
        { name: 'Beans', counts: [[1]] },
        { name: 'Tea', price: '€3' },
      ],
    },
    { path: 'notes', kind: 'array', sample: ['one', 2] },
    { path: 'address', kind: 'object', sample: { city: 'Bern' } },
    { path: 'more', kind: 'object' },
  ];
  const content = { blocks: [{ type: 'text', text: 'Hi' }] };
  const own = { key: 'order', type: 'transactional', name: 'Order', subject: 'S', dataSchema, content };
  expect((await project.api.post('/templates', own)).status).toBe(201);
  await enableTemplates(project, 'order');
  const { key, declared } = (await project.api.get('/templates/order/schema')).body;
  await writeFile(join(folder, 'own-templates.d.mts'), templatesModule([{ key, dataSchema: declared }]));
  const url = 'https://example.com/1';
  const whole = { name: 'Ada', order: { url } };
  const cases: readonly { readonly data: object; readonly compiles: boolean; readonly status: number }[] = [
    { data: whole, compiles: true, status: 200 },
    {
      data: {
        name: 'Ada',
        order: { url, total: 12.5 },
        isGift: false,
        on: '2026-06-02',
        items: [{ name: 'Beans', price: null, counts: [[1, 2], []], weight: 1 }],
        notes: ['one', 2],
        address: { city: 'Bern', zip: 3000 },
        more: { any: [1] },
      },
      compiles: true,
      status: 200,
    },
    { data: { ...whole, order: { url, total: null }, on: null, items: null, address: null }, compiles: true, status: 200 },
    { data: {}, compiles: false, status: 422 },
    { data: { name: 'Ada' }, compiles: false, status: 422 },
    { data: { name: 'Ada', order: { total: 12 } }, compiles: false, status: 422 },
    { data: { name: null, order: { url } }, compiles: false, status: 422 },
    { data: { name: 'Ada', order: { url: null } }, compiles: false, status: 422 },
    { data: { ...whole, name: 7 }, compiles: false, status: 200 },
    { data: { name: 'Ada', order: { url: 7 } }, compiles: false, status: 200 },
    { data: { name: 'Ada', order: { url, total: '12' } }, compiles: false, status: 200 },
    { data: { ...whole, isGift: 'yes' }, compiles: false, status: 200 },
    { data: { ...whole, on: 7 }, compiles: false, status: 200 },
    { data: { ...whole, items: { name: 'Beans' } }, compiles: false, status: 200 },
    { data: { ...whole, items: [{ name: 7 }] }, compiles: false, status: 200 },
    { data: { ...whole, items: [{ counts: [1] }] }, compiles: false, status: 200 },
    { data: { ...whole, notes: [true] }, compiles: false, status: 200 },
    { data: { ...whole, address: 'Bern' }, compiles: false, status: 200 },
    { data: { ...whole, nam: 'Ada' }, compiles: false, status: 200 },
  ];
  const head = "import type { Templates } from './own-templates.mjs';";
  const lines = cases.map(({ data }, at) => `export const data${at}: Templates['order'] = ${JSON.stringify(data)};`);
  const dated = `export const dated: Templates['order'] = { ...data0, on: new Date() };`;
  await writeFile(join(folder, 'kinds.mts'), [head, ...lines, dated].join('\n'));
  const refused = [...(await compiled('kinds.mts')).matchAll(/^kinds\.mts\((\d+),/gm)].map(([, line]) => Number(line) - 2);
  expect([...new Set(refused)]).toEqual(cases.flatMap(({ compiles }, at) => (compiles ? [] : [at])));
  const answers = await Promise.all(cases.map(({ data }) => project.api.post('/send', { template: 'order', to: project.address(), data })));
  expect(answers.map(({ status }) => status)).toEqual(cases.map(({ status }) => status));
});

test('a route that demands another field makes the first example fail to compile', async () => {
  const document = JSON.parse(apiDocument());
  document.components.schemas.SendInput.allOf.push({ type: 'object', required: ['purpose'], properties: { purpose: { type: 'string' } } });
  const sources = join(folder, 'changed');
  await generate(JSON.stringify(document), '0.0.0', join(sources, 'generated'));
  for (const name of await readdir(join(SDK, 'src'))) {
    if (name.endsWith('.ts')) await writeFile(join(sources, name), await readFile(join(SDK, 'src', name)));
  }
  const { code } = block('first-mail.mjs');
  await writeFile(join(folder, 'changed-mail.mts'), code.replace("'@everpost/client'", "'./changed/index.js'"));
  expect(await compiled('changed-mail.mts')).toContain('changed-mail.mts(5,');
});
