import { resolve } from 'node:path';
import { type Answered, createApi, notEverpost } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { workFolder } from '../files/folder.ts';
import { readSequence, sequenceKeys, sequenceWarnings } from '../files/sequence-files.ts';
import { readTemplate, templateKeys, templateWarnings } from '../files/template-files.ts';
import { counted, plain } from '../output.ts';
import { version } from '../version.ts';
import { readWarnings, warningWords } from './content-work.ts';

interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly about: string;
  readonly words: string;
}

/** What a push of templates and sequences asks for. */
const PUSH_SCOPES = ['templates:write', 'sequences:write'];

/** Signatures and keys of idempotency stand that much. */
const CLOCK_SECONDS = 60;

async function run(given: Given): Promise<number | undefined> {
  const { out, profile } = given;
  const found: Finding[] = [];
  const note = (level: Finding['level'], about: string, words: string): void => void found.push({ level, about, words });
  const isReachable = await checkServer(given, note);
  if (isReachable) await checkKey(given, note);
  await checkFiles(given, note);
  // What was given up would seem wrong.
  given.ending.throwIfAborted();
  out.data({ url: profile.url, version, found }, () => {
    for (const { level, about, words } of found) {
      const sign = level === 'ok' ? out.paint('green', '✓') : level === 'warning' ? out.paint('yellow', '!') : out.paint('red', '✕');
      out.line(`${sign} ${about}: ${plain(words)}`);
    }
  });
  return found.some(({ level }) => level === 'problem') ? EXIT.refused : undefined;
}

type Note = (level: Finding['level'], about: string, words: string) => void;

/** Whether anything answers at the address. */
async function checkServer({ profile, ending }: Given, note: Note): Promise<boolean> {
  const before = Date.now();
  let answer: Response;
  try {
    // Clients follow no redirect either.
    answer = await fetch(`${profile.url}/api/v1/health`, {
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(10_000), ending]),
    });
  } catch {
    note('problem', 'address', `${profile.url} does not answer; EVERPOST_URL, --url or everpost login sets the address`);
    return false;
  }
  const body: Answered = await answer.json().catch(() => undefined);
  if (typeof body?.version !== 'string') {
    note('problem', 'address', notEverpost(profile.url, answer.status));
    return false;
  }
  const server: string = body.version;
  note('ok', 'address', `${profile.url} answers, version ${server}`);
  if (server.split('.')[0] !== version.split('.')[0] || (server.startsWith('0.') && server.split('.')[1] !== version.split('.')[1]))
    note('warning', 'version', `this is ${version} and the server ${server}: take the same of both`);
  const ready = await createApi({ url: profile.url, apiKey: undefined })
    .call('service.ready')
    .catch((error: unknown) => error);
  if (ready instanceof Failure) note('problem', 'server', `it is not ready, ${ready.message}`);
  else note('ok', 'server', 'PostgreSQL and Temporal answer');
  const told = Date.parse(answer.headers.get('date') ?? '');
  const between = (before + Date.now()) / 2;
  const seconds = Math.round(Math.abs(told - between) / 1000);
  if (Number.isNaN(seconds)) note('warning', 'clock', 'the server does not tell its time');
  else if (seconds > CLOCK_SECONDS)
    note(
      'problem',
      'clock',
      `this machine is ${seconds} s ${told > between ? 'behind' : 'ahead of'} the server: signatures of webhooks will seem wrong; set the clock`,
    );
  else note('ok', 'clock', `within ${Math.max(1, seconds)} s of the server's`);
  return true;
}

async function checkKey(given: Given, note: Note): Promise<void> {
  const { profile } = given;
  if (profile.apiKey === undefined) {
    note('problem', 'key', `there is none for ${profile.url}: set EVERPOST_API_KEY, or run everpost login`);
    return;
  }
  const from = profile.source === 'environment' ? 'EVERPOST_API_KEY' : `the profile ${profile.name}`;
  let me: Answered;
  try {
    me = await given.api.call('me');
  } catch (error) {
    note('problem', 'key', error instanceof Failure ? `that of ${from}: ${error.message}` : String(error));
    return;
  }
  const grants: string[] = me.grants;
  const isTest = profile.apiKey.startsWith('ep_test_');
  note(
    'ok',
    'key',
    `that of ${from}, of the project ${me.project.slug}; ${isTest ? 'a test key: no email leaves; ' : ''}it may ${grants.join(', ')}`,
  );
  const lacks = PUSH_SCOPES.filter((scope) => !grants.includes(scope));
  if (isTest && me.project.sandbox !== true)
    note('warning', 'push', 'a test key changes no content of a live project, so it cannot push: take a live one');
  else if (lacks.length > 0)
    note(
      'warning',
      'push',
      `this key cannot push, since it lacks ${lacks.join(' and ')}: npm run -s admin -- key create makes one that can`,
    );
  if (me.project.sandbox === true) note('warning', 'project', 'it is a sandbox: no email leaves');
  for (const brand of me.brands) {
    if (brand.from_email === null) note('problem', 'sender', `the brand ${brand.slug} has none and cannot send`);
    else if (!brand.is_verified)
      note('problem', 'sender', `the domain of ${brand.from_email} (brand ${brand.slug}) is not verified: see docs/domains`);
    else note('ok', 'sender', `${brand.from_email} (brand ${brand.slug}) is on a verified domain`);
  }
  if (me.brands.length === 0) note('problem', 'sender', 'the project has no brand and cannot send');
  if (grants.includes('webhooks:read')) await checkWebhooks(given, note);
}

async function checkWebhooks({ api }: Given, note: Note): Promise<void> {
  const { webhooks } = await api.call('webhooks.list');
  const disabled = webhooks.filter(({ enabled }: Answered) => !enabled);
  const failing: string[] = [];
  for (const { id, url } of webhooks) {
    const { deliveries } = await api.call('webhooks.deliveries', { path: [id], query: { limit: 5 } });
    const [latest] = deliveries.filter(({ attempts }: Answered) => attempts > 0);
    if (latest && latest.status !== 'delivered') failing.push(`${url} (${latest.response_status ?? 'no answer'})`);
  }
  for (const one of failing)
    note('problem', 'webhooks', `the latest delivery to ${one} did not come through; GET /webhooks/:id/deliveries says why`);
  if (disabled.length > 0) note('warning', 'webhooks', `${counted(disabled.length, 'endpoint')} switched off`);
  if (failing.length === 0)
    note('ok', 'webhooks', webhooks.length === 0 ? 'there are none' : `${counted(webhooks.length, 'endpoint')}, none failing`);
}

async function checkFiles({ cwd, text }: Given, note: Note): Promise<void> {
  const folder = workFolder(resolve(cwd, text('dir') ?? 'everpost'), cwd);
  let right = 0;
  const check = async (read: () => Promise<unknown>): Promise<void> => {
    try {
      await read();
      right++;
    } catch (error) {
      note('problem', 'files', error instanceof Failure ? error.message : String(error));
    }
  };
  for (const key of await templateKeys(folder)) await check(() => readTemplate(folder, key));
  for (const key of await sequenceKeys(folder)) await check(() => readSequence(folder, key));
  for (const warning of [...(await readWarnings(templateWarnings(folder))), ...(await readWarnings(sequenceWarnings(folder)))])
    note('warning', 'files', warningWords({ ...warning, path: folder.named(warning.path) }));
  if (right > 0) note('ok', 'files', `${counted(right, 'file')} in ${folder.root} can be read; push --dry-run has the server judge them`);
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look for what is wrong: address, key, sender, webhooks, clock, files',
  options: { dir: { type: 'string', value: '<folder>', description: 'where the files are (everpost)' } },
  details: 'Exit code 1: there is a problem.',
  run,
};
