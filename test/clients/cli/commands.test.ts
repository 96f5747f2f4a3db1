import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../cli/src/commands.ts';
import { row } from '../../../db/rows.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';
import { commandLine } from './support.ts';

const RESET = 'send --template password-reset --data resetUrl=https://example.com/reset';

describe('every command', () => {
  test('says what it takes, and ends with 2 where it is written wrong', async () => {
    const cli = await commandLine();
    const overview = await cli.run('--help');
    expect(overview.code).toBe(0);
    for (const { name } of COMMANDS) expect(overview.stdout).toContain(`everpost ${name}`);
    const helps = await Promise.all(COMMANDS.map(async ({ name }) => ({ name, ...(await cli.run(`${name} --help`)) })));
    for (const { name, code, stdout } of helps) {
      expect(code).toBe(0);
      expect(stdout).toContain(`everpost ${name}`);
    }
    for (const wrong of [
      'nonsense',
      'templates nonsense',
      'templates',
      'contacts get',
      'send --nonsense',
      'send --to',
      'pull --format docx',
    ]) {
      const { code, stderr, stdout } = await cli.run(wrong, { env: { EVERPOST_API_KEY: 'ep_live_x' } });
      expect([wrong, code]).toEqual([wrong, 2]);
      expect(`${stderr}${stdout}`).not.toContain('    at ');
    }
  });

  test('without a key, with a wrong one, or at a wrong address says what to do', async () => {
    const cli = await commandLine();
    const none = await cli.run('contacts list');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('everpost login');
    const wrong = await cli.run('contacts list', { env: { EVERPOST_API_KEY: 'ep_live_wrong' } });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('is not valid');
    const away = await cli.run('contacts list', { env: { EVERPOST_API_KEY: 'x', EVERPOST_URL: 'http://127.0.0.1:1' } });
    expect(away.code).toBe(1);
    expect(away.stderr).toContain('http://127.0.0.1:1 does not answer');
  });
});

describe('login', () => {
  test('keeps a key that works where nobody else can read it, by profile, and the environment goes first', async () => {
    const one = await newProject();
    const other = await newProject();
    const cli = await commandLine();
    expect(await cli.run('login', { input: 'ep_live_wrong\n' })).toMatchObject({ code: 1 });
    const logged = await cli.run('login', { input: `${one.key}\n` });
    expect(logged, logged.stderr).toMatchObject({ code: 0 });
    expect(logged.stdout).not.toContain(one.key);
    expect(await cli.run('login --profile staging', { input: `${other.key}\n` })).toMatchObject({ code: 0 });
    const file = join(cli.folder, 'config/everpost/profiles.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(cli.folder, 'config/everpost'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(cli.folder, 'config/everpost'))).toEqual(['profiles.json']);

    const projectOf = async (words: string, env: Record<string, string> = {}): Promise<string> => {
      const { stdout } = await cli.run(`doctor ${words}`, { env });
      return /of the project (\S+);/.exec(stdout)?.[1] ?? stdout;
    };
    expect(await projectOf('')).toBe(one.slug);
    expect(await projectOf('--profile staging')).toBe(other.slug);
    expect(await projectOf('', { EVERPOST_API_KEY: other.key })).toBe(other.slug);
    expect(await projectOf('', { EVERPOST_PROFILE: 'staging' })).toBe(other.slug);
    // A key is for the address that it was given for.
    const elsewhere = await cli.run('contacts list --url http://127.0.0.1:1');
    expect(elsewhere.stderr).toContain('there is no key for http://127.0.0.1:1');
    expect(await cli.run('logout')).toMatchObject({ code: 0 });
    expect(await cli.run('contacts list')).toMatchObject({ code: 1 });
    expect(await cli.run('contacts list --profile nobody')).toMatchObject({ code: 1 });
  });
});

describe('send', () => {
  test('sends one email, once for a key, and says what the API refuses', async () => {
    const project = await newProject();
    await enableTemplates(project, 'password-reset');
    const cli = await commandLine(project.key);
    const to = project.address();
    const first = await cli.json(`${RESET} --to ${to} --idempotency-key one`);
    expect((await cli.json(`${RESET} --to ${to} --idempotency-key one`)).id).toBe(first.id);
    const { sends } = (await project.api.get('/sends')).body;
    expect(sends).toMatchObject([{ to_email: to, status: 'sent', provider_id: first.id }]);
    await writeFile(join(cli.folder, 'mail.txt'), 'Hi {{ name }}');
    await writeFile(join(cli.folder, 'data.yaml'), 'name: Ada\n');
    expect(await cli.run(`send --to ${to} --subject Hello --text-file mail.txt --data-file data.yaml`)).toMatchObject({ code: 0 });
    const refused = await cli.run(`send --to ${to} --template welcom`);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^everpost: .*\(unknown_template\)\n$/);
  });
});

describe('sends tail', () => {
  test('shows each email once, in the order of its outcome, those that ended late too, until Ctrl-C', async () => {
    const project = await newProject();
    await enableTemplates(project, 'password-reset');
    const cli = await commandLine(project.key);
    const send = async (n: number) => {
      const data = { resetUrl: 'https://example.com/reset' };
      const { status } = await project.api.post('/send', { template: 'password-reset', to: `p${n}-${project.address()}`, data });
      expect(status).toBe(200);
    };
    for (const n of [1, 2, 3]) await send(n);
    const tail = cli.start('sends tail --last 2 --interval 0.2 --json');
    const shown = () =>
      tail
        .stdout()
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const numbers = () => shown().map(({ to_email }) => to_email.split('-')[0]);
    await eventually(() => expect(numbers()).toEqual(['p2', 'p3']));
    await Promise.all(Array.from({ length: 130 }, (_, n) => send(100 + n)));
    await send(4);
    await eventually(() => expect(numbers()).toContain('p4'));
    expect(numbers().length).toBe(133);
    expect(new Set(shown().map(({ id }) => id)).size).toBe(133);
    // One that was begun before all of these and has its outcome only now stands behind them in the list.
    const em = await database();
    const late = await row(
      em,
      sql<{ id: string }>`
        insert into sends select (jsonb_populate_record(s, jsonb_build_object('id', uuid_v7(), 'created_at', s.created_at - interval '1 minute', 'provider_id', 'late'))).*
        from sends s where s.project_id = ${project.id} order by s.created_at limit 1 returning id`,
    );
    await eventually(() => expect(shown().at(-1)?.id).toBe(late?.id));
    expect(new Set(shown().map(({ id }) => id)).size).toBe(134);
    expect(await tail.interrupt()).toBe(0);
    expect(tail.stderr()).toBe('');
    const failed = cli.start('sends tail --status failed --interval 0.2');
    await project.api.post('/send', {
      template: 'password-reset',
      to: 'suppressed@everpost.test',
      data: { resetUrl: 'https://example.com' },
    });
    await eventually(() => expect(failed.stdout()).toMatch(/suppressed@everpost\.test .* failed suppressed/));
    expect(await failed.interrupt()).toBe(0);
  });
});

describe('contacts', () => {
  test('are made, found by id and address, listed past a page, unsubscribed and erased', async () => {
    const project = await newProject();
    const cli = await commandLine(project.key);
    const [ada] = await cli.json(
      'contacts upsert ada@example.com --first-name Ada --tag vip --attribute plan=team --attribute seats=3 --set timezone=Europe/Vienna',
    );
    expect(ada).toMatchObject({ first_name: 'Ada', tags: ['vip'], attributes: { plan: 'team', seats: 3 }, timezone: 'Europe/Vienna' });
    expect(await cli.json('contacts get ada@example.com')).toMatchObject({ id: ada.id });
    expect(await cli.json(`contacts get ${ada.id}`)).toMatchObject({ email: 'ada@example.com' });
    const many = Array.from({ length: 120 }, (_, n) => ({ email: `p${n}@example.com` }));
    expect((await cli.json('contacts upsert --file -', { input: JSON.stringify(many) })).length).toBe(120);
    expect((await cli.json('contacts list --all')).length).toBe(121);
    expect((await cli.json('contacts list --tag vip')).map(({ email }: { email: string }) => email)).toEqual(['ada@example.com']);
    await cli.json('contacts unsubscribe ada@example.com');
    expect(await cli.json('contacts get ada@example.com')).toMatchObject({ status: 'unsubscribed' });
    expect((await cli.json('contacts timeline ada@example.com')).length).toBeGreaterThan(1);
    expect(await cli.run('contacts delete ada@example.com')).toMatchObject({ code: 1 });
    expect(await cli.run('contacts delete ada@example.com --yes')).toMatchObject({ code: 0 });
    expect((await cli.run('contacts get ada@example.com')).stderr).toContain('the project has no contact ada@example.com');
  });
});

describe('sequences', () => {
  const SEQUENCE = `
name: Trial
status: active
triggers:
  - { kind: event, config: { type: trial_started } }
nodes:
  - { id: start, kind: trigger }
  - { id: hello, kind: send_email, config: { template: welcome } }
  - { id: days, kind: wait_delay, config: { minutes: 2880 } }
  - { id: is_team, kind: branch, config: { when: { field: attributes.seats, op: gte, value: 10 } } }
  - { id: more, kind: send_email, config: { template: announcement, data: { headline: More } } }
  - { id: end, kind: exit }
edges:
  - { from: start, to: hello }
  - { from: hello, to: days }
  - { from: days, to: is_team }
  - { from: is_team, to: more, branchKey: "true" }
  - { from: is_team, to: end, branchKey: "false" }
  - { from: more, to: end }
`;

  test('a file is simulated before the sequence is there, drawn with its times and branches, and nothing is written', async () => {
    const project = await newProject();
    await enableTemplates(project, 'welcome', 'announcement');
    const cli = await commandLine(project.key);
    await writeFile(join(cli.folder, 'trial.yaml'), SEQUENCE);
    await writeFile(join(cli.folder, 'team.yaml'), 'attributes: { seats: 25 }\n');
    const team = await cli.run('sequences simulate trial.yaml --contact-file team.yaml');
    expect(team, team.stderr).toMatchObject({ code: 0 });
    const at = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(
      team.stdout
        .replace(/ +/g, ' ')
        .replace(/\d\d:\d\d(?= )/g, 'hh:mm')
        .replace(/until \S+/, 'until …'),
    ).toBe(`trial, the contact of team.yaml
● start entered the sequence
│
✉ hello would send welcome
│
◷ days would wait for delay until …
│
◆ is_team ${at} hh:mm the condition holds
│ true
✉ more ${at} hh:mm would send announcement
│
■ end ${at} hh:mm the end
└ ended by exit; 2 emails: welcome, announcement
`);
    await cli.json('contacts upsert ada@example.com --status subscribed');
    expect((await cli.json('sequences simulate trial.yaml --contact ada@example.com')).sends).toEqual(['welcome']);
    expect((await project.api.get('/sequences')).body.sequences).toEqual([]);
    await cli.json('contacts unsubscribe ada@example.com');
    const refused = await cli.run('sequences simulate trial.yaml --contact ada@example.com');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stdout).toContain('✕ refused');
    expect((await project.api.post('/sequences/trial/simulate', { contact: {} })).status).toBe(404);
  });

  test('a push says who is under way and at which step, and moves them where it is told to', async () => {
    const project = await newProject();
    await enableTemplates(project, 'welcome', 'announcement');
    const cli = await commandLine(project.key);
    await mkdir(join(cli.folder, 'everpost/sequences'), { recursive: true });
    const file = join(cli.folder, 'everpost/sequences/trial.yaml');
    await writeFile(file, SEQUENCE);
    expect(await cli.run('sequences push')).toMatchObject({ code: 0 });
    for (const email of ['a@example.com', 'b@example.com'])
      expect((await project.api.post('/events', { type: 'trial_started', email })).body).toMatchObject({ enrolled: 1 });
    const standing = async () =>
      (await project.api.get('/sequences/trial/enrollments')).body.enrollments.map(
        ({ current_node_id }: { current_node_id: string }) => current_node_id,
      );
    await eventually(async () => expect(await standing()).toEqual(['days', 'days']));
    await writeFile(file, SEQUENCE.replaceAll('days', 'fortnight').replace('2880', '20160'));
    const dry = await cli.run('sequences push --dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('2 runs under way (2 on version 1)');
    expect(dry.stdout).toContain('2 runs at days, which is removed; --migrate days=<node> moves them');
    expect((await project.api.get('/sequences/trial')).body.version).toBe(1);
    expect(await cli.run('sequences push --migrate days=fortnight')).toMatchObject({ code: 0 });
    await eventually(async () => expect(await standing()).toEqual(['fortnight', 'fortnight']));
  });
});

describe('types', () => {
  test('are those that the templates declare, of the server and of files alike, and --check tells when they are old', async () => {
    const project = await newProject();
    const content = { blocks: [{ type: 'text', text: 'Hi' }] };
    const dataSchema = [
      { path: 'order.total', kind: 'number', required: true },
      { path: 'note', kind: 'string' },
    ];
    await project.api.post('/templates', {
      key: 'order-shipped',
      type: 'transactional',
      name: 'Shipped',
      subject: 'S',
      dataSchema,
      content,
    });
    const cli = await commandLine(project.key);
    expect(await cli.run('types --check')).toMatchObject({ code: 1 });
    await cli.json('types');
    const written = await readFile(join(cli.folder, 'everpost.d.ts'), 'utf8');
    expect(written).toMatch(/"order-shipped": \{[\s\S]*total: /);
    expect(await cli.run('types --check')).toMatchObject({ code: 0 });
    await cli.json('pull --all');
    expect((await cli.run('types --from-files --out -')).stdout).toBe(written);
  });

  test('demand every variable that a template uses with --demand used, declared or not, and the file keeps that until it is told otherwise', async () => {
    const project = await newProject();
    const made = await project.api.post('/templates', {
      key: 'order-shipped',
      type: 'transactional',
      name: 'Shipped',
      subject: 'Order {{ number }}',
      dataSchema: [
        { path: 'total', kind: 'number' },
        { path: 'note', kind: 'string' },
      ],
      content: { blocks: [{ type: 'text', text: '{{ total }} for {{ contact.first_name }}' }] },
    });
    expect(made.status).toBe(201);
    const cli = await commandLine(project.key);
    const orderOf = (module: string): string => /"order-shipped": \{([^}]*)\}/.exec(module)![1]!.replace(/\s+/g, ' ').trim();
    const used = 'readonly total: number; readonly note?: string | null; readonly number: string;';
    const required = 'readonly total?: number | null; readonly note?: string | null;';
    expect(orderOf((await cli.run('types --demand used --out -')).stdout)).toBe(used);
    expect(orderOf((await cli.run('types --demand required --out -')).stdout)).toBe(required);
    expect(orderOf((await cli.run('types --out -')).stdout)).toBe(required);

    await cli.json('types --demand used');
    expect(await cli.run('types --check --demand used')).toMatchObject({ code: 0 });
    expect(await cli.run('types --check')).toMatchObject({ code: 0 });
    await cli.json('types');
    expect(orderOf(await readFile(join(cli.folder, 'everpost.d.ts'), 'utf8'))).toBe(used);
    const old = await cli.run('types --check --demand required');
    expect(old).toMatchObject({ code: 1, stdout: expect.stringContaining('the same command without --check') });
    await cli.json('types --demand required');
    expect(await cli.run('types --check')).toMatchObject({ code: 0 });
  });

  test('refuse a demand that there is none of, and what files cannot tell', async () => {
    const cli = await commandLine('ep_test_none');
    expect(await cli.run('types --demand all')).toMatchObject({ code: 2, stderr: expect.stringContaining('one of required, used') });
    const ofFiles = await cli.run('types --from-files --demand used');
    expect(ofFiles).toMatchObject({ code: 2, stderr: expect.stringContaining('only the server knows what templates use') });
  });
});

describe('doctor', () => {
  test('is content with what works, and names what does not', async () => {
    const project = await newProject();
    const cli = await commandLine(project.key);
    const well = await cli.run('doctor');
    expect(well, well.stdout).toMatchObject({ code: 0 });
    for (const about of ['address', 'clock', 'key', 'sender', 'webhooks']) expect(well.stdout).toContain(`✓ ${about}:`);
    await mkdir(join(cli.folder, 'everpost/sequences'), { recursive: true });
    await writeFile(join(cli.folder, 'everpost/sequences/broken.yaml'), 'nodes: [');
    const broken = await cli.run('doctor');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('✕ files: everpost/sequences/broken.yaml:1: ');
    expect(well.stdout).not.toContain('push:');
    for (const [scopes, isTest, words] of [
      [['templates:write', 'sends:read'], false, 'it lacks sequences:write'],
      [['templates:read'], false, 'it lacks templates:write and sequences:write'],
      [['*'], true, 'a test key changes no content'],
    ] as const) {
      const { key } = await project.newKey(scopes, isTest);
      const { stdout } = await cli.run('doctor', { env: { EVERPOST_API_KEY: key } });
      expect(stdout).toMatch(new RegExp(`^! push: .*${words}`, 'm'));
    }
    const other = await newProject({ noBrand: true });
    expect((await cli.run('doctor', { env: { EVERPOST_API_KEY: other.key } })).stdout).toContain('✕ sender');
    const away = await cli.run('doctor', { env: { EVERPOST_URL: `${testEnvironment().receiverUrl}/nothing` } });
    expect(away).toMatchObject({ code: 1 });
    expect(away.stdout).toContain('✕ address');
  });
});

describe('webhooks listen', () => {
  test('hands events to a local port, each once and in order, with signatures that verify, whatever the port answers', async () => {
    const project = await newProject();
    const cli = await commandLine(project.key);
    const got: { readonly headers: Record<string, string>; readonly body: string }[] = [];
    const receiver = createServer((request, response) => {
      text(request).then((body) => {
        got.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(got.length === 2 ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    try {
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      const listening = cli.start(`webhooks listen --forward http://127.0.0.1:${port}/hook --event contact.subscribed`, {
        env: { EVERPOST_WEBHOOK_SECRET: secret },
      });
      await eventually(() => expect(listening.stderr()).toContain('signed with'));
      const emails = ['a@example.com', 'b@example.com', 'c@example.com'];
      for (const email of emails) await project.api.post('/contacts', { email, status: 'subscribed' });
      await eventually(() => expect(got.length).toBe(3));
      const bodies = got.map(({ headers, body }) => new Webhook(secret).verify(body, headers) as { data: { email: string } });
      expect(bodies.map(({ data }) => data.email)).toEqual(emails);
      await eventually(() => expect(listening.stdout().match(/ {2}contact\.subscribed {2}(204|500) /g)?.length).toBe(3));
      expect(listening.stdout()).toContain('  500  ');
      // They are kept with the deliveries, as those of an endpoint are.
      const [, listener] = /as listener (\S+),/.exec(listening.stderr()) ?? [];
      const answered = async () => {
        const { deliveries } = (await project.api.get(`/webhooks/listeners/${listener}/deliveries`)).body;
        return deliveries.flatMap((one: { attempt_log: { status: number }[] }) => one.attempt_log.map(({ status }) => status)).toSorted();
      };
      await expect.poll(answered).toEqual([204, 204, 500]);
      // A machine that slept finds its listener gone, and listens anew with the same secret.
      const em = await database();
      await row(em, sql`delete from webhook_listeners where project_id = ${project.id}`);
      await eventually(() => expect(listening.stderr()).toContain('listening anew'));
      await project.api.post('/contacts', { email: 'd@example.com', status: 'subscribed' });
      await eventually(() => expect(got.length).toBe(4));
      new Webhook(secret).verify(got[3]!.body, got[3]!.headers);
      expect(await listening.interrupt()).toBe(0);
      expect(listening.stderr()).not.toContain(secret);
      // It has left nothing behind.
      expect(await row(em, sql`select 1 from webhook_listeners where project_id = ${project.id}`)).toBeUndefined();
      expect(got.length).toBe(4);
    } finally {
      receiver.close();
    }
  });
});
