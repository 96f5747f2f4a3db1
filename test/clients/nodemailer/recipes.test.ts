import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { guideBlocks } from '../../support/guide-blocks.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';

// What docs/recipes.md shows is what runs here, from a file beside this one, so that it finds its packages.
const HERE = fileURLToPath(new URL('../../../.cache', import.meta.url));
const SECRET = `v1,whsec_${randomBytes(32).toString('base64')}`;
const VARIABLES = ['EVERPOST_API_KEY', 'EVERPOST_URL', 'SEND_EMAIL_HOOK_SECRET', 'SUPABASE_URL'] as const;
const before = VARIABLES.map((name) => [name, process.env[name]] as const);

let project: TestProject;
let folder: string;

beforeAll(async () => {
  project = await newProject();
  await mkdir(HERE, { recursive: true });
  folder = await mkdtemp(join(HERE, 'recipes-'));
  Object.assign(process.env, {
    EVERPOST_API_KEY: project.key,
    EVERPOST_URL: testEnvironment().apiUrl,
    SEND_EMAIL_HOOK_SECRET: SECRET,
    SUPABASE_URL: 'https://abc.supabase.co',
  });
});
afterAll(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await rm(folder, { recursive: true });
});

/** The module that the page shows under this name, with other words in places. */
async function recipe(name: string, changes: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  let { code } = guideBlocks('recipes').find(({ title }) => title === name)!;
  for (const [from, to] of Object.entries(changes)) {
    expect(code).toContain(from);
    code = code.replaceAll(from, to);
  }
  const file = join(folder, name);
  await writeFile(file, code);
  return import(pathToFileURL(file).href);
}

const linkIn = (html: string): string => /href="([^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');

test('the page installs every package that its programs import, and the Nodemailer that they run with here', async () => {
  const blocks = guideBlocks('recipes');
  const installed = blocks.find(({ language }) => language === 'sh')!.code;
  const imported = blocks.flatMap(({ code }) => [...code.matchAll(/from '([^']+)'/g)].map(([, from]) => from!));
  expect(new Set(imported)).toEqual(new Set(['@everpost/client', '@everpost/client/nodemailer', 'nodemailer', 'standardwebhooks']));
  const { version } = JSON.parse(await readFile(join(HERE, '../node_modules/nodemailer/package.json'), 'utf8'));
  for (const name of ['everpost-client-*.tgz', `nodemailer@${version.split('.')[0]}`, 'standardwebhooks'])
    expect(installed.split(/\s|\.\//)).toContain(name);
});

test('Nodemailer: the program of the page sends', async () => {
  const [ada, grace] = [project.address('ada'), project.address('grace')];
  await recipe('nodemailer.mjs', {
    'hello@demo.example': `hello@${project.domain}`,
    'ada@example.com': ada,
    'grace@example.com': grace,
    'invoice-2207@shop.example': `invoice-${ada}`,
  });
  const raw = (await mailTo(ada))[0]!.raw;
  const { mail } = await readMail(raw);
  expect([mail.subject, mail.attachments.map(({ filename }) => filename)]).toEqual([
    'Your invoice {{ 2207 }}',
    ['logo.gif', 'invoice.txt'],
  ]);
  await mailTo(grace);
});

test('Nodemailer: the program in TypeScript sends with the fields that it adds', async () => {
  const to = project.address();
  await recipe('tagged.mts', { 'ada@example.com': to });
  await mailTo(to);
  const { sends } = (await project.api.get(`/sends?q=${encodeURIComponent(to)}&tag=invoice`)).body;
  expect(sends).toMatchObject([{ subject: 'Your invoice', metadata: { invoice: '2207' } }]);
});

test('Auth.js: the provider sends the link to sign in, whatever is in it', async () => {
  const { everpostProvider } = (await recipe('everpost-provider.mjs')) as {
    // biome-ignore lint/suspicious/noExplicitAny: as Auth.js has it
    everpostProvider: any;
  };
  const to = project.address();
  const url = `https://app.example.com/api/auth/callback/everpost?callbackUrl=${encodeURIComponent('https://app.example.com/?a={{b}}')}&token=x&email=${to}`;
  const expires = new Date('2026-06-02T12:00:00Z');
  const request = new Request('https://app.example.com/api/auth/signin/everpost');
  await everpostProvider.sendVerificationRequest({
    identifier: to,
    url,
    expires,
    token: 'x',
    provider: everpostProvider,
    theme: {},
    request,
  });
  const raw = (await mailTo(to))[0]!.raw;
  const { mail, html } = await readMail(raw);
  expect(mail.subject).toBe('Sign in to app.example.com');
  expect(linkIn(html)).toBe(url);
  expect(mail.text).toContain(url);
  expect(everpostProvider).toMatchObject({ type: 'email', id: 'everpost' });
  await expect(everpostProvider.sendVerificationRequest({ identifier: 'nobody', url, expires })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

describe('Supabase: the hook', () => {
  let hook: (request: Request) => Promise<Response>;
  beforeAll(async () => {
    hook = (await recipe('send-email-hook.mjs')).sendEmailHook as never;
  });

  let calls = 0;
  /** As Supabase calls: signed, unless it is changed afterwards. */
  function called(user: object, data: object, changed = (body: string): string => body): Request {
    const id = `msg_${project.slug}_${calls++}`;
    const now = new Date();
    const body = JSON.stringify({
      user: { id: '8484b834-f29e-4af2-bf42-80644d154f76', aud: 'authenticated', ...user },
      email_data: {
        token: '305805',
        token_new: '',
        token_hash_new: '',
        site_url: 'http://x',
        redirect_to: 'https://app.example.com/in?a=1',
        ...data,
      },
    });
    const signature = new Webhook(SECRET.replace('v1,whsec_', '')).sign(id, now, body);
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)), 'webhook-signature': signature };
    return new Request('https://app.example.com/hook', { method: 'POST', headers, body: changed(body) });
  }
  const link = (hash: string, type: string): string =>
    `https://abc.supabase.co/auth/v1/verify?token=${hash}&type=${type}&redirect_to=https%3A%2F%2Fapp.example.com%2Fin%3Fa%3D1`;

  test('sends what is signed, once however often it is called', async () => {
    const to = project.address();
    const request = called({ email: to }, { token_hash: 'pkce_7d5b', email_action_type: 'signup' });
    const answers = [await hook(request.clone()), await hook(request.clone()), await hook(request)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await answers[0]!.json()).toEqual({});
    const raw = (await mailTo(to))[0]!.raw;
    const { mail, html } = await readMail(raw);
    expect([mail.subject, linkIn(html)]).toEqual(['Confirm your address', link('pkce_7d5b', 'signup')]);
    expect(await mailCount(to)).toBe(1);
  });

  test('asks both addresses where the address is changed, each by its own hash', async () => {
    const [present, wanted] = [project.address('present'), project.address('wanted')];
    const data = { email_action_type: 'email_change', token_hash: 'of-the-new', token_new: '2', token_hash_new: 'of-the-present' };
    expect((await hook(called({ email: present, new_email: wanted }, data))).status).toBe(200);
    const [[first], [second]] = await Promise.all([mailTo(present), mailTo(wanted)]);
    expect(linkIn((await readMail(first!.raw)).html)).toBe(link('of-the-present', 'email_change'));
    expect(linkIn((await readMail(second!.raw)).html)).toBe(link('of-the-new', 'email_change'));
    const other = project.address('other');
    expect((await hook(called({ email: present, new_email: other }, { email_action_type: 'email_change', token_hash: 'h' }))).status).toBe(
      200,
    );
    await mailTo(other);
    expect(await mailCount(present)).toBe(1);
  });

  test('sends a code where there is no link', async () => {
    const to = project.address();
    await hook(called({ email: to }, { email_action_type: 'reauthentication', token_hash: '' }));
    const raw = (await mailTo(to))[0]!.raw;
    expect((await readMail(raw)).mail.subject).toBe('Your code is 305805');
  });

  test('refuses what is not signed, and tells what it has no email for', async () => {
    const to = project.address();
    const forged = called({ email: to }, { email_action_type: 'recovery', token_hash: 'h' }, (body) => body.replace('recovery', 'signup'));
    expect((await hook(forged)).status).toBe(401);
    const unknown = await hook(called({ email: to }, { email_action_type: 'teleport', token_hash: 'h' }));
    expect([unknown.status, await unknown.json()]).toMatchObject([500, { error: { message: 'there is no email for teleport' } }]);
    expect(await mailCount(to)).toBe(0);
  });
});
