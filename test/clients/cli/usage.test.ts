import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { newProject } from '../../support/project.ts';
import { BIN, commandLine } from './support.ts';

/** The address of a server that answers everything so. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('what cannot be a value of an option is refused with 2 and what can be, before any call', async () => {
  let calls = 0;
  const url = await answering((_, response) => {
    calls++;
    response.end('{}');
  });
  const cli = await commandLine('ep_live_x', url);
  await writeFile(join(cli.folder, 'one.json'), '{ "email": "ada@example.com" }');
  for (const [command, ...words] of [
    ['sends tail --last x', '--last x', 'a whole number of at least 0'],
    ['sends tail --last=-1', '--last -1', 'a whole number of at least 0'],
    ['sends tail --last -1', '--last -1', 'write --last=-1'],
    ['sends tail --status bogus', '--status bogus', 'sent, failed'],
    ['push --base ""', '--base is empty'],
    ['send --to ada@example.com --text-file one.json', '--subject <text>'],
    ['contacts list --limit 0', '--limit 0', 'a whole number of at least 1'],
    ['contacts list --status bogus', '--status bogus', 'pending, subscribed, unsubscribed, bounced'],
    ['contacts timeline ada@example.com --limit many', '--limit many', 'a whole number of at least 1'],
    ['contacts upsert ada@example.com --status bogus', '--status bogus', 'pending, subscribed, unsubscribed, bounced'],
    ['contacts upsert ada@example.com --set bogus=1', '--set bogus', 'timezone', '--attribute bogus='],
    ['contacts upsert ada@example.com --set email=eve@example.com', '--set email', 'timezone'],
    ['contacts upsert --file one.json --tag vip', '--tag is for one contact'],
    ['send --to ada@example.com --text-file one.json --type bogus', '--type bogus', 'transactional, marketing'],
  ]) {
    const { code, stdout, stderr } = await cli.run(command!);
    expect([command, code, stdout]).toEqual([command, 2, '']);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr.trimEnd()).not.toContain('\n');
  }
  expect(calls).toBe(0);
});

test('what the API refuses is told by the names of the options that were given', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  const wordsOf = async (command: string) => (await cli.run(command)).stderr;
  await cli.json('contacts upsert ada@example.com');
  expect(await wordsOf('contacts timeline ada@example.com --limit 100000')).toMatch(/^ {2}--limit: /m);
  expect(await wordsOf('contacts upsert ada@example.com --set timezone=Nowhere')).toMatch(/^ {2}--set timezone: /m);
  expect(await wordsOf(`contacts upsert ada@example.com --first-name ${'x'.repeat(3000)}`)).toMatch(/^ {2}--first-name: /m);
  await writeFile(join(cli.folder, 'mail.txt'), 'Hello');
  expect(await wordsOf('send --to ada@example.com --subject Hi --text-file mail.txt --at tomorrow')).toMatch(/^ {2}--at: /m);
  expect(await wordsOf('webhooks listen --forward http://127.0.0.1:9/hook --event nosuch')).toMatch(/^ {2}--event: /m);
  // A field of a file is told as the file has it.
  await writeFile(join(cli.folder, 'contacts.yaml'), '- { email: bob@example.com, timezone: Nowhere }\n');
  expect(await wordsOf('contacts upsert --file contacts.yaml')).toMatch(/^contacts\.yaml:1: \[0\]\.timezone: /m);
  await writeFile(join(cli.folder, 'contacts.yaml'), '- { email: bob@example.com, timeZone: Europe/Vienna }\n');
  expect(await wordsOf('contacts upsert --file contacts.yaml')).toContain('warning: contacts[0].timeZone: ignored');
});

test('an email at a time that is past is told to go at once', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  await writeFile(join(cli.folder, 'mail.txt'), 'Hello');
  const to = project.address();
  const { code, stderr } = await cli.run(`send --to ${to} --subject Hi --text-file mail.txt --at 2020-01-01T00:00:00Z`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '--at 2020-01-01T00:00:00Z is past, so it waits for nothing\n' });
  await eventually(async () => expect((await project.api.get('/sends')).body.sends).toMatchObject([{ to_email: to, status: 'sent' }]));
});

test('sends tail says once that the server is gone, and goes on when it is back', async () => {
  let isAway = false;
  let asked = 0;
  const url = await answering((request, response) => {
    asked++;
    if (isAway) return request.socket.destroy();
    response.setHeader('content-type', 'application/json').end('{ "ok": true, "sends": [], "nextCursor": null }');
  });
  const cli = await commandLine('ep_live_x', url);
  const tail = cli.start('sends tail --interval 0.1');
  const gone = `${url} does not answer any more; trying again\n`;
  const askedMore = async (times: number) => {
    const before = asked;
    await eventually(() => expect(asked).toBeGreaterThan(before + times));
  };
  await askedMore(1);
  isAway = true;
  await eventually(() => expect(tail.stderr()).toBe(gone));
  await askedMore(4);
  expect(tail.stderr()).toBe(gone);
  isAway = false;
  await askedMore(2);
  isAway = true;
  await eventually(() => expect(tail.stderr()).toBe(gone + gone));
  expect(await tail.interrupt()).toBe(0);
});

test('options of every command work before its name as they do after it, and others there are refused in words', async () => {
  const one = await newProject();
  const other = await newProject();
  const cli = await commandLine();
  expect(await cli.run('login --profile staging', { input: `${one.key}\n` })).toMatchObject({ code: 0 });
  expect(await cli.run('--profile live login', { input: `${other.key}\n` })).toMatchObject({ code: 0 });
  await one.api.post('/contacts', { email: 'ada@example.com' });
  for (const command of ['--profile staging contacts list', '--json --profile=staging contacts list', 'contacts list --profile staging'])
    expect(await cli.run(command)).toMatchObject({ code: 0, stdout: expect.stringContaining('ada@example.com'), stderr: '' });
  expect((await cli.run('--profile live --json contacts list')).stdout).toBe('[]\n');
  for (const [command, words] of [
    ['--tag vip contacts list', '--tag is not an option of every command'],
    ['-x', '-x is not an option of every command'],
    ['--profile staging', 'no command follows --profile staging'],
    ['--profile staging nonsense', 'there is no command nonsense'],
  ] as const) {
    const { code, stdout, stderr } = await cli.run(command);
    expect([command, code, stdout]).toEqual([command, 2, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('    at ');
  }
  expect((await cli.run('--json --help')).stdout).toContain('everpost contacts list');
  expect((await cli.run('--help contacts list')).stdout).toContain('--limit');
});

test('an answer that is not of Everpost is told in one line with its status and address, never as a page', async () => {
  const page = `<!doctype html><html><head><title>Gateway</title></head><body>${'<p>nothing here</p>'.repeat(20)}</body></html>`;
  for (const [status, words] of [
    [502, 'a proxy in front of it seems to have answered'],
    [404, 'is that the right address?'],
    [200, 'is that the right address?'],
    [301, 'it redirects'],
  ] as const) {
    const url = await answering((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html', location: '/elsewhere', 'retry-after': '0' }).end(page),
    );
    const cli = await commandLine('ep_live_x', url);
    const { code, stdout, stderr } = await cli.run('contacts list');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^everpost: [^\n]*\n$/);
    expect(stderr).toContain(`${url} answers with status ${status}, but not as Everpost does`);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('<');
    const { stdout: found } = await cli.run('doctor');
    expect(found).toContain(`${url} answers with status ${status}, but not as Everpost does`);
    expect(found).not.toContain('<');
  }
});

test('several logins at once keep every profile, and nobody else can read the file', async () => {
  const project = await newProject();
  const cli = await commandLine();
  const names = ['one', 'two', 'three', 'four'];
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all(names.map((name) => cli.run(`login --profile ${name}${round}`, { input: `${project.key}\n` })));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  }
  const file = join(cli.folder, 'config/everpost/profiles.json');
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).toHaveLength(12);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  // Who has died with the file of the next writer leaves the profiles as they were, and the words say what to do.
  await writeFile(`${file}.lock`, '');
  const refused = await cli.run('logout --profile one0');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`${file}.lock exists`);
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).toHaveLength(12);
});

test('Ctrl-C and SIGTERM end a command that waits for the server with 130 and 143, in one line, and one that goes on until then with 0', async () => {
  let asked = 0;
  const url = await answering(() => void asked++);
  const cli = await commandLine('ep_live_x', url);
  for (const command of ['pull', 'diff', 'push', 'types', 'doctor', 'contacts list'])
    for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
      const before = asked;
      const started = cli.start(command);
      const ended = new Promise((resolve) => started.process.once('close', resolve));
      await eventually(async () => expect(asked).toBeGreaterThan(before));
      started.process.kill(signal);
      expect([command, signal, await ended]).toEqual([command, signal, code]);
      expect([started.stdout(), started.stderr()]).toEqual(['', `everpost: stopped by ${signal}; what was done before stays done\n`]);
    }
  const before = asked;
  const tail = cli.start('sends tail');
  await eventually(async () => expect(asked).toBeGreaterThan(before));
  expect(await tail.interrupt()).toBe(0);
  expect(tail.stderr()).toBe('');
});

test('Ctrl-C and SIGTERM end a login that waits for the server with 130 and 143, and what is kept stays as it was', async () => {
  const project = await newProject();
  let asked = 0;
  const silent = await answering(() => void asked++);
  const cli = await commandLine();
  expect(await cli.run('login', { input: `${project.key}\n` })).toMatchObject({ code: 0 });
  const folder = join(cli.folder, 'config/everpost');
  const before = await readFile(join(folder, 'profiles.json'), 'utf8');
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    const wasAsked = asked;
    const started = cli.start('login', { env: { EVERPOST_URL: silent }, isInputOpen: true, input: 'ep_live_x\n' });
    const ended = new Promise((resolve) => started.process.once('close', resolve));
    await eventually(async () => expect(asked).toBeGreaterThan(wasAsked));
    started.process.kill(signal);
    expect([signal, await ended]).toEqual([signal, code]);
    expect(started.stderr()).toBe(`everpost: stopped by ${signal}; what was done before stays done\n`);
  }
  expect(await readdir(folder)).toEqual(['profiles.json']);
  expect(await readFile(join(folder, 'profiles.json'), 'utf8')).toBe(before);
});

/** Types Ctrl-C, or sends SIGTERM, where login asks for the key on a terminal. Prints the exit code. */
const AT_A_TERMINAL = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown = b''
while b'not shown' not in shown:
    shown += os.read(terminal, 1000)
if sys.argv[1] == 'SIGINT':
    os.write(terminal, b'\\x03')
else:
    os.kill(pid, signal.SIGTERM)
try:
    while os.read(terminal, 1000):
        pass
except OSError:
    pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

test.skipIf(spawnSync('python3', ['-c', 'import pty']).status !== 0)(
  'Ctrl-C and SIGTERM end a login that asks for the key on a terminal with 130 and 143',
  async () => {
    const env = { PATH: process.env.PATH, HOME: (await commandLine()).folder };
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const program = ['-c', AT_A_TERMINAL, signal, process.execPath, BIN, 'login'];
      expect((await promisify(execFile)('python3', program, { env })).stdout).toBe(`${code}\n`);
    }
  },
);

test('Ctrl-C and SIGTERM end mcp with 0, while it waits for its input and while a call is under way', async () => {
  let asked = 0;
  const url = await answering(() => void asked++);
  const cli = await commandLine('ep_live_x', url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    for (const input of ['no message\n', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n']) {
      const wasAsked = asked;
      const started = cli.start('mcp', { isInputOpen: true, input });
      const ended = new Promise((resolve) => started.process.once('close', resolve));
      await eventually(async () => expect(asked > wasAsked || started.stdout() !== '').toBe(true));
      started.process.kill(signal);
      expect([signal, input, await ended, started.stderr()]).toEqual([signal, input, 0, '']);
    }
});

test('an address that is none, and a file that cannot be written, are told with what to do', async () => {
  const cli = await commandLine((await newProject()).key);
  for (const command of ['contacts list --url foo', '--url foo doctor', 'login --url ftp://x'])
    expect(await cli.run(command)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^everpost: --url: \S+ is no address; give one like http/),
    });
  const set = await cli.run('contacts list', { env: { EVERPOST_URL: 'foo' } });
  expect(set).toMatchObject({ code: 1, stderr: expect.stringContaining('EVERPOST_URL: foo is no address') });
  const given = await cli.run(`contacts list --url ${testEnvironment().apiUrl}`, { env: { EVERPOST_URL: 'foo' } });
  expect(given, given.stderr).toMatchObject({ code: 0 });

  const away = join(cli.folder, 'nowhere');
  expect((await cli.run(`types --out ${away}/x.ts`)).stderr).toBe(
    `everpost: ${away}/x.ts cannot be written: there is no folder ${away}; make it, or say another file with --out\n`,
  );
  expect((await cli.run(`types --out ${cli.folder}`)).stderr).toBe(
    `everpost: ${cli.folder} cannot be written: it is a folder; name a file in it, or say another file with --out\n`,
  );
});
