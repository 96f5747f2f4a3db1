import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kindNamed } from '../../domain/sequences/kinds/node-kinds.ts';
import { type Demo, demoProject } from '../../local/demo-project.ts';
import { type RunningMailbox, startMailbox } from '../../local/mailbox.ts';
import { freePort } from '../../local/ports.ts';
import { readConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { txtStrings } from '../../platform/mail/dkim-key.ts';
import { type Api, api, type Reply } from '../support/api.ts';
import { plainEnvironment, testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { comparable, type GuideBlock, guideBlocks, RUN_ELSEWHERE, RUN_PAGES } from '../support/guide-blocks.ts';
import {
  FILE_OF_CALL,
  inNode,
  inShell,
  must,
  type Ran,
  run,
  type Session,
  startReceiver,
  took,
  type Variables,
} from '../support/guide-session.ts';
import { postInbound, standardHeaders } from '../support/inbound.ts';
import { type NameServerDouble, nameServer, type ZoneRecords, zones } from '../support/name-server.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let mailbox: RunningMailbox;
let mailboxUrl: string;
let everpost: Everpost;
/** What DNS has, by name. */
const names: Record<string, ZoneRecords> = {};
let dns: NameServerDouble;
let demo: Demo;
let demoApi: Api;
let folder: string;
let given: Variables;
const sessions = new Map<string, Session>();
const servers: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(testEnvironment().scratchDir, 'guides-'));
  const templatesDir = join(folder, 'templates');
  await mkdir(templatesDir);
  for (const { title, code } of guideBlocks('templates-dir')) {
    const [, name] = /^file (\S+)$/.exec(title) ?? [];
    if (name) await writeFile(join(templatesDir, name), code);
  }
  const pagePort = await freePort();
  mailboxUrl = `http://127.0.0.1:${pagePort}`;
  mailbox = await startMailbox({ dataDir: folder, pagePort, progress: () => {} });
  dns = await nameServer(zones(names));
  everpost = await startEverpost({ smtpUrl: mailbox.smtpUrl.href, env: { TEMPLATES_DIR: templatesDir, DNS_SERVERS: dns.address } });
  const settings = {
    DATABASE_URL: everpost.databaseUrl,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: everpost.namespace,
    SECRET_KEY: testEnvironment().secretKey,
    EMAIL_PROVIDER_URL: mailbox.smtpUrl.href,
    TEMPLATES_DIR: templatesDir,
    DATA_DIR: folder,
  };
  demo = await demoProject(requireReady(readConfig(settings)), createLogger('warn', { process: 'start' }), 'SECRET_KEY');
  demoApi = api(demo.key, everpost.url);
  given = {
    ...(plainEnvironment() as Variables),
    ...settings,
    HOME: process.env.HOME ?? folder,
    EVERPOST_URL: `${everpost.url}/api/v1`,
    EVERPOST_API_KEY: demo.key,
    MAILBOX_URL: mailboxUrl,
    RECEIVER_URL: `http://127.0.0.1:${await freePort()}/everpost`,
    INBOUND_URL: `${everpost.url}/api/v1/inbound/generic/${demo.inboundId}`,
    INBOUND_SECRET: demo.inboundSecret,
    SIGNING_SECRET: demo.inboundSecret,
  };
});

afterAll(async () => {
  for (const server of servers) server.kill();
  await everpost?.stop();
  await mailbox?.process.stop();
  dns?.close();
});

/** Runs one block, or compares it with what came before. Throws for a block that nothing is known to do with. */
async function check(block: GuideBlock, next: GuideBlock | undefined, session: Session): Promise<void> {
  const { language, title, code, place } = block;
  const [, method, path] = /^(POST|PUT|PATCH) (\/\S*)$/.exec(title) ?? [];
  if (language === 'sh') {
    took(session, await inShell(block, session), block, next);
    return setRecords(session.answer);
  }
  if (language === 'js' && title === 'receiver.mjs') {
    servers.push(await startReceiver(process.execPath, ['--input-type=module', '--eval', code], session.env));
    return;
  }
  if (language === 'js') return took(session, await must(inNode(code, session.env), place), block, next);
  if (language === 'text' && title === 'output') return expect(session.output.trim()).toBe(code);
  if (language !== 'json') throw new Error(`${place} is neither run nor named as not run`);
  const shown: unknown = JSON.parse(code);
  if (method) {
    const [, file] = next?.language === 'sh' ? (FILE_OF_CALL.exec(next.code) ?? []) : [];
    // The page has the call that sends it, from a file.
    if (file) return writeFile(join(session.folder, file), code);
    const { status, body } = await demoApi.call(method, path!, shown);
    if (status >= 300) throw new Error(`${place} was answered ${status}: ${JSON.stringify(body)}`);
    return took(session, JSON.stringify(body), block, next);
  }
  if (title === 'answer') return expectShown(place, shown, session);
  if (title === 'node') return expectNode(place, shown as SomeNode);
  if (title === 'condition') return expectNode(place, { id: 'asks', kind: 'branch', config: { when: shown } });
  const [, kind, type] = /^(event|data of) (\S+)$/.exec(title) ?? [];
  if (type) {
    const event = await eventOf(type);
    return expectShown(place, shown, { ...session, answer: kind === 'event' ? event : event.data });
  }
  if (title.startsWith('file ')) return expectTemplate((shown as { key: string }).key);
  throw new Error(`${place} is neither run nor named as not run`);
}

/** As a reader sets the records of a domain that an answer shows. */
function setRecords(answer: unknown): void {
  const { domain } = (answer ?? {}) as {
    readonly domain?: { readonly records?: readonly { readonly name: string; readonly value: string }[] };
  };
  for (const { name, value } of domain?.records ?? []) names[name] = { TXT: [txtStrings(value)] };
}

function expectShown(place: string, shown: unknown, { answer, env }: Session): void {
  const text = JSON.stringify(answer ?? null).replaceAll(env.RECEIVER_URL!, 'https://app.example.com/everpost');
  const both = comparable(shown, JSON.parse(text));
  expect({ place, answer: both.came }).toEqual({ place, answer: both.shown });
}

interface SomeNode {
  readonly id: string;
  readonly kind: string;
  readonly config?: unknown;
}

/** A node of a page stands in the smallest graph around it, with an edge for each of its outcomes. */
async function expectNode(place: string, node: SomeNode): Promise<void> {
  const keys = kindNamed(node.kind)?.branchKeys(node.config) ?? [];
  const out = keys.length > 0 ? keys.map((branchKey) => ({ from: node.id, to: 'end', branchKey })) : [{ from: node.id, to: 'end' }];
  const nodes = [{ id: 'start', kind: 'trigger' }, node, { id: 'end', kind: 'exit' }];
  const { body } = await demoApi.put('/sequences/one-node', { nodes, edges: [{ from: 'start', to: node.id }, ...out] });
  expect({ place, ...body }).toMatchObject({ place, ok: true, nodes: 3 });
}

const sendReceipt = async (to: string): Promise<string> =>
  made(await demoApi.post('/send', { template: 'receipt', to, data: { orderNumber: '7' } })).id;

interface Happening {
  /** Stands in its event, and in no other of its type that comes of another page. */
  readonly about: string;
  happen(): Promise<unknown>;
}

/** What makes each event that a page shows happen. */
const HAPPENINGS: Readonly<Record<string, Happening>> = {
  'email.sent': { about: 'otto@example.com', happen: () => sendReceipt('otto@example.com') },
  'email.bounced': {
    about: 'bo@example.com',
    async happen() {
      const providerId = await sendReceipt('bo@example.com');
      const body = JSON.stringify({
        type: 'bounced',
        providerId,
        timestamp: new Date().toISOString(),
        bounce: { kind: 'hard', code: '5.1.1' },
      });
      const { matched } = (await postInbound(demo, 'generic', body, standardHeaders(body, { secret: demo.inboundSecret }), everpost.url))
        .body;
      expect(matched).toBe(1);
    },
  },
  'contact.unsubscribed': {
    about: 'una@example.com',
    async happen() {
      const { contacts } = made(await demoApi.post('/contacts', { email: 'una@example.com', firstName: 'Una', tags: ['beta'] }));
      made(await demoApi.post(`/contacts/${contacts[0].id}/unsubscribe`));
    },
  },
  'campaign.completed': {
    about: 'Spring news',
    async happen() {
      made(await demoApi.post('/contacts', { email: 'sol@example.com', tags: ['spring'] }));
      const audience = { mode: 'tag', tag: 'spring' };
      made(await demoApi.post('/campaigns', { template: 'announcement', name: 'Spring news', subject: 'Spring is here', audience }));
    },
  },
};

function made({ status, body }: Reply): Reply['body'] {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** What an endpoint is sent when it happens. */
async function eventOf(type: string): Promise<{ readonly data: unknown }> {
  const { endpoint } = made(await demoApi.post('/webhooks', { url: given.RECEIVER_URL, events: [type] }));
  const { about, happen } = HAPPENINGS[type]!;
  await happen();
  const path = `/webhooks/${endpoint.id}`;
  const delivery = await eventually(async () => {
    const { deliveries } = (await demoApi.get(`${path}/deliveries`)).body as { deliveries: { payload: { data: unknown } }[] };
    return deliveries.find(({ payload }) => JSON.stringify(payload).includes(about));
  });
  await demoApi.delete(path);
  return delivery.payload;
}

/** A file of TEMPLATES_DIR is there for the project that it names, which going-live makes, and for no other. */
async function expectTemplate(key: string): Promise<void> {
  const named = sessions.get('going-live')?.env.EVERPOST_API_KEY;
  expect((await api(named, everpost.url).get(`/templates/${key}/schema`)).status).toBe(200);
  expect((await demoApi.get(`/templates/${key}/schema`)).status).toBe(404);
}

/** Of the Node or Python blocks of a page the first is a function; each later one is a program below it, in one project. */
async function expectPrograms(page: string, way: 'Node' | 'Python', start: (code: string, env: Variables) => Promise<Ran>): Promise<void> {
  const project = await newProject({ everpost });
  await enableTemplates(project, 'receipt', 'welcome', 'announcement');
  const [first, ...later] = guideBlocks(page).filter(({ title }) => title === way);
  for (const { code, place } of later) await must(start(`${first!.code}\n\n${code}`, { ...given, EVERPOST_API_KEY: project.key }), place);
  await eventually(async () => {
    const mails = (await (await fetch(`${mailboxUrl}/email`)).json()) as { from: { address: string }[]; to: { address: string }[] }[];
    const own = mails.filter(({ from }) => from[0]?.address === `hello@${project.domain}`).map(({ to }) => to[0]?.address);
    return own.includes('grace@example.com') && own.includes('ada@example.com');
  });
}

/** What has a test of its own below. */
const isRunApart = ({ title }: GuideBlock): boolean => ['Node', 'Python', 'receiver.py'].includes(title);
const withBlocks = (wanted: string): string[] => RUN_PAGES.filter((page) => guideBlocks(page).some(({ title }) => title === wanted));

describe('what a page shows is what happens', () => {
  test.each(RUN_PAGES)('docs/%s.md', async (page) => {
    const session: Session = { folder, env: { ...given }, answer: undefined, output: '' };
    sessions.set(page, session);
    const blocks = guideBlocks(page).filter((block) => block.notRun === undefined && !isRunApart(block));
    for (const [index, block] of blocks.entries()) await check(block, blocks[index + 1], session);
    for (const server of servers.splice(0)) server.kill();
  });

  test('and a block that nothing is known to do with is found', async () => {
    const block = { page: 'any', place: 'docs/any.md, block 1', title: '', code: 'puts 1', notRun: undefined };
    const session: Session = { folder, env: { ...given }, answer: undefined, output: '' };
    for (const language of ['ruby', 'python', 'text', ''])
      await expect(check({ ...block, language }, undefined, session)).rejects.toThrow('is neither run nor named as not run');
    await expect(check({ ...block, language: 'json', code: '{}' }, undefined, session)).rejects.toThrow(
      'is neither run nor named as not run',
    );
  });

  test.each(withBlocks('Node'))('docs/%s.md: the programs in Node, each by itself', (page) => expectPrograms(page, 'Node', inNode));

  // Where there is no Python, nothing checks its blocks: not even their syntax.
  const withPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0 ? test : test.skip;

  withPython.each(withBlocks('Python'))('docs/%s.md: the programs in Python, each by itself', (page) =>
    expectPrograms(page, 'Python', (code, env) => run('python3', ['-c', code], env)),
  );

  withPython('docs/webhooks.md: the receiver in Python takes what is signed, and nothing else', async () => {
    const code = guideBlocks('webhooks').find(({ title }) => title === 'receiver.py')!.code;
    const { endpoint, secret } = (await demoApi.post('/webhooks', { url: given.RECEIVER_URL, events: ['contact.subscribed'] })).body;
    servers.push(await startReceiver('python3', ['-c', code], { ...given, WEBHOOK_SECRET: secret }));
    expect((await demoApi.post(`/webhooks/${endpoint.id}/ping`)).body).toEqual({ ok: true, delivered: true, responseStatus: 204 });
    const rotated = (await demoApi.post(`/webhooks/${endpoint.id}/rotate`)).body.endpoint;
    expect((await demoApi.post(`/webhooks/${rotated.id}/ping`)).body).toEqual({ ok: true, delivered: false, responseStatus: 400 });
  });

  test.each(Object.entries(RUN_ELSEWHERE))('docs/%s.md is run by %s', async (page, file) => {
    expect(await readFile(join(ROOT, file), 'utf8')).toContain(`docs/${page}.md`);
  });
});
