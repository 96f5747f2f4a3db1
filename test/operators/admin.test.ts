import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminProgram, type Ended, admin as runAdmin } from '../support/admin.ts';
import { api } from '../support/api.ts';
import { createDatabase } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';

let env: Record<string, string>;
let slug: string;

beforeAll(async () => {
  const { databaseUrl, secretKey, scratchDir } = testEnvironment();
  env = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, DATA_DIR: await mkdtemp(join(scratchDir, 'admin-')) };
  slug = `cli-${Date.now().toString(36)}`;
});

function admin(args: readonly string[], overrides: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runAdmin(args, { ...env, ...overrides });
}

/** The same as a process of its own. */
function program(...args: readonly string[]): Promise<Ended> {
  return adminProgram(args, env);
}

// biome-ignore lint/suspicious/noExplicitAny: each command has its own record
async function json(...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await admin([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('the admin command', () => {
  test('makes a project whose key works, and suspending it works on the next request', async () => {
    const created = await json('project', 'create', slug, '--name', 'The Project', '--from', `Hello@${slug}.example`, '--owner-unverified');
    expect(Object.keys(created)).toEqual(['id', 'slug', 'inboundId', 'inboundSecret', 'webhookSecret', 'brand']);
    expect(created).toMatchObject({ slug, brand: slug, inboundSecret: expect.stringMatching(/^whsec_/) });
    const key = await json('key', 'create', slug, '--scopes', '*', '--name', 'all');
    expect(key).toEqual({ id: expect.any(String), key: expect.stringMatching(/^ep_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/), scopes: ['*'] });
    const by = api(key.key);
    expect((await by.get('/contacts')).status).toBe(200);
    expect((await by.post('/send', {})).body.code).toBe('email_unverified');
    expect(await json('project', 'verify-owner', slug)).toMatchObject({ id: created.id, owner_email_verified: true });
    expect((await by.post('/send', {})).body.code).toBe('invalid_request');
    expect(await json('project', 'suspend', slug)).toMatchObject({ status: 'suspended' });
    expect((await by.get('/contacts')).body.code).toBe('project_suspended');
    await json('project', 'resume', slug);
    expect((await by.get('/contacts')).status).toBe(200);
    const listed = (await json('project', 'list')).find((project: { slug: string }) => project.slug === slug);
    expect(listed).toMatchObject({ id: created.id, name: 'The Project', status: 'active' });
    expect(Object.keys(listed).filter((name) => /secret|sealed/.test(name))).toEqual([]);
    const keys = await json('key', 'list', slug);
    expect(keys).toMatchObject([{ id: key.id, name: 'all', scopes: ['*'], revoked_at: null }]);
    expect(keys[0]).not.toHaveProperty('hash');
    expect(await json('key', 'revoke', key.id)).toMatchObject({ id: key.id, revoked_at: expect.any(String) });
    expect((await by.get('/contacts')).status).toBe(401);
  });

  test('makes test keys, and a project a sandbox and none again; lets it mail programs or not', async () => {
    await json('project', 'create', `${slug}-box`);
    const key = await json('key', 'create', `${slug}-box`, '--scopes', 'send', '--test');
    expect(key.key).toMatch(/^ep_test_/);
    expect(await json('key', 'list', `${slug}-box`)).toMatchObject([{ id: key.id, is_test: true }]);
    for (const [sandbox, told] of [
      ['on', true],
      ['off', false],
    ] as const) {
      expect(await json('project', 'set', `${slug}-box`, '--sandbox', sandbox)).toMatchObject({ sandbox: told });
      expect((await api(key.key).get('/me')).body.project.sandbox).toBe(told);
    }
    for (const [executables, told] of [
      ['off', false],
      ['on', true],
    ] as const)
      expect(await json('project', 'set', `${slug}-box`, '--executables', executables)).toMatchObject({
        executables: told,
        sandbox: false,
      });
    expect(await json('project', 'set', `${slug}-box`, '--campaign-approval', 'on')).toMatchObject({ campaign_approval: true });
    expect((await api(key.key).get('/me')).body.project.campaign_approval).toBe(true);
    expect(await admin(['project', 'set', `${slug}-box`, '--sandbox', 'yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--sandbox should be on or off'),
    });
    expect((await admin(['project', 'set', `${slug}-box`])).code).toBe(2);
  });

  test('tells a person who makes a project or a key what is shown once', async () => {
    const project = await admin(['project', 'create', `${slug}-2`]);
    expect(project.stderr).toContain('inboundSecret and webhookSecret are shown once; `project secrets <slug>` reads them again');
    const { slug: of, ...secrets } = await json('project', 'secrets', `${slug}-2`);
    expect(of).toBe(`${slug}-2`);
    for (const secret of Object.values<string>(secrets)) expect(project.stdout).toContain(secret);
    const key = await admin(['key', 'create', `${slug}-2`, '--scopes', 'send']);
    expect(key.stderr).toContain('the key is shown once');
  });

  test('sets brands and domains', async () => {
    const colour = await json(
      'brand',
      'set',
      slug,
      'second',
      '--color',
      '#ABCDEF',
      '--reply-to',
      `r@${slug}.example`,
      '--address',
      'Street 1',
      '--default',
    );
    expect(colour).toMatchObject({ slug: 'second', name: 'second', color: '#abcdef', address: 'Street 1', is_default: true });
    expect(await json('brand', 'set', slug, 'second', '--name', 'Second', '--track-transactional')).toMatchObject({
      ...{ name: 'Second', color: '#abcdef', track_transactional: true, is_default: true },
    });
    expect((await json('brand', 'list', slug)).map(({ slug: name }: { slug: string }) => name)).toEqual(['second', slug]);
    expect(await json('domain', 'add', slug, 'Mail.Example.')).toMatchObject({ domain: 'mail.example', verified: false });
    expect(await json('domain', 'verify', slug, 'mail.example')).toMatchObject({ verified: true });
    expect(await json('domain', 'add', slug, 'mail.example')).toMatchObject({ verified: true });
    expect(await json('domain', 'list', slug)).toMatchObject([{ domain: 'mail.example', verified: true }]);
  });

  test('prints for people without --json', async () => {
    const { stdout } = await admin(['domain', 'list', slug]);
    expect(stdout).toMatch(/^id +project_id +domain +verified +created_at +vouched +standing\n[^\n]+ mail\.example {2}true .* pending\n$/);
    expect((await admin(['--help'])).stdout).toContain('project create <slug>');
    expect((await admin(['project', 'list', '--help'])).stdout).toContain('project list\n');
  });

  test('is a program whose streams and exit code are those of the command, for each kind of command', async () => {
    const of = `${slug}-3`;
    const told = async (...args: string[]) => {
      const { code, stdout, stderr } = await program(...args, '--json');
      return { code, answer: stdout && JSON.parse(stdout), stderr };
    };
    const ok = { code: 0, stderr: '' };
    expect(await told('project', 'create', of)).toMatchObject({ ...ok, answer: { slug: of } });
    expect(await told('key', 'create', of, '--scopes', 'send')).toMatchObject({ ...ok, answer: { scopes: ['send'] } });
    expect(await told('brand', 'list', of)).toMatchObject({ ...ok, answer: [{ slug: of }] });
    expect(await told('domain', 'add', of, 'of.example')).toMatchObject({ ...ok, answer: { domain: 'of.example' } });
    expect(await program('--help')).toMatchObject({ ...ok, stdout: expect.stringContaining('project create <slug>') });
    expect(await program('domain', 'list', of)).toMatchObject({ ...ok, stdout: expect.stringMatching(/^id +project_id +domain /) });
    const refused = { code: 1, stdout: '', stderr: 'everpost: no project has the slug "no-such-project"\n' };
    expect(await program('project', 'suspend', 'no-such-project')).toEqual(refused);
    expect(await program('project', 'create')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('npm run -s admin') });
  });

  test.each([
    [['project', 'create', 'Not A Slug'], /slug/],
    [['project', 'suspend', 'no-such-project'], /no project has the slug "no-such-project"/],
    [['key', 'create', 'no-such-project', '--scopes', 'contacts:write,nope'], /unknown scope "nope"; the scopes are contacts:read/],
    [['key', 'revoke', '01990000-0000-7000-8000-000000000000'], /no key has the id/],
    [['brand', 'set', 'p', 'b', '--color', 'red'], /--color "red"/],
    [['brand', 'set', 'p', 'b', '--logo', 'javascript:alert(1)'], /--logo/],
    [['domain', 'add', 'p', 'localhost'], /not a domain/],
  ])('%j ends with 1 and says what is wrong on standard error', async (args, message) => {
    const { code, stdout, stderr } = await admin(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  const HELP = 'npm run -s admin -- <command> [--json]\n\n';
  test.each([
    [['project', 'create'], 'project create takes 1 argument(s), not 0', /^ {2}project create <slug> .*\n$/],
    [['project', 'create', 'a', 'b'], 'project create takes 1 argument(s), not 2', /^ {2}project create <slug> .*\n$/],
    [['key', 'create', 'p'], 'key create needs --scopes', /^ {2}key create <.*\n$/],
    [['workflow', 'retry', 'x'], '"x" is neither an id nor the id of a workflow, such as campaign/<id>', /^ {2}workflow retry <.*\n$/],
    [['project', 'list', '--nope'], 'unknown option --nope; known: --json', /^ {2}project list\n$/],
    [['prune', '--dryrun'], 'unknown option --dryrun; did you mean --dry-run?', /^ {2}prune .*\n$/],
    [['workflow', 'stuck', '--projekt', 'acme'], 'unknown option --projekt; did you mean --project?', /^ {2}workflow stuck .*\n$/],
    [['workflow', 'stuck', '--project'], "Option '--project <value>' argument missing", /^ {2}workflow stuck .*\n$/],
    [['project', 'nope'], 'unknown command "project nope"', /^( {2}project .*\n){2,}$/],
    [[], 'which command?', /^( {2}.*\n){10,}$/],
  ])('%j is wrong usage: 2, with what is wrong first and the usage of no more than it concerns', async (args, wrong, shown) => {
    const { code, stdout, stderr } = await admin(args);
    expect([code, stdout]).toEqual([2, '']);
    const [message, help] = stderr.split(`\n\n${HELP}`);
    expect(message).toContain(`everpost: ${wrong}`);
    expect(help).toMatch(shown);
  });

  test('an unknown word is answered with the words there are, in a few lines', async () => {
    const { code, stderr } = await admin(['nope']);
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 3]);
    expect(stderr).toMatch(
      /^everpost: unknown command "nope"\n\nThe commands begin with project, .*; npm run -s admin -- --help lists them all\n$/,
    );
  });

  test('migrates a new database, and says so when that was forgotten or nothing is configured', async () => {
    const fresh = { DATABASE_URL: await createDatabase(testEnvironment().databaseUrl) };
    expect(await admin(['project', 'list'], fresh)).toMatchObject({ code: 1, stderr: expect.stringContaining('migrate up') });
    const before = JSON.parse((await admin(['migrate', 'status', '--json'], fresh)).stdout);
    expect(before.applied).toEqual([]);
    const table = (state: string) => before.pending.map((name: string) => expect.stringMatching(new RegExp(`^${name} +${state}$`)));
    const shown = async (command: string) => (await admin(['migrate', command], fresh)).stdout.trimEnd().split('\n');
    expect(await shown('status')).toEqual([expect.stringMatching(/^migration +state$/), ...table('pending')]);
    expect(JSON.parse((await adminProgram(['migrate', 'up', '--json'], { ...env, ...fresh })).stdout)).toEqual({ applied: before.pending });
    expect(await shown('status')).toEqual([expect.stringMatching(/^migration +state$/), ...table('applied')]);
    expect(await shown('up')).toEqual(['none']);
    expect(JSON.parse((await admin(['migrate', 'up', '--json'], fresh)).stdout)).toEqual({ applied: [] });
    expect(await admin(['project', 'list'], { DATABASE_URL: '' })).toMatchObject({ code: 1, stderr: expect.stringContaining('DATA_DIR') });
    const nowhere = { DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' };
    expect(await admin(['project', 'list'], nowhere)).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
  });
});
