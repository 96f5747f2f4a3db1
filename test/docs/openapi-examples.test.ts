import { beforeAll, expect, test } from 'vitest';
import { BRAND, EMAILS, HOOK_URL, INBOUND_ID, NOW, PROVIDER_ID } from '../../api/examples/shown-records.ts';
import type { Route, RouteExample } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';
import { api, type Reply } from '../support/api.ts';
import { asking, confirmLinkOf } from '../support/confirmations.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { NEEDS, type Need } from '../support/example-needs.ts';
import { differences, idsShown } from '../support/example-shape.ts';
import { standardHeaders } from '../support/inbound.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { nameOf } from '../support/routes.ts';
import { sendMail } from '../support/sent-mail.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { type Document, type LoadedDocument, loadDocument, operationsOf } from './openapi-document.ts';

interface Shown {
  readonly name: string;
  readonly route: Route;
  readonly example: RouteExample;
}

const all: readonly Shown[] = routes.flatMap((route) =>
  route.examples.map((example) => ({
    name: route.examples.length === 1 ? nameOf(route) : `${nameOf(route)}#${example.title}`,
    route,
    example,
  })),
);

let document: Document;
let validatorOf: LoadedDocument['validatorOf'];
beforeAll(async () => {
  ({ document, validatorOf } = await loadDocument());
});

/** What the words of the examples really are in one project, as far as it is known. */
type World = Map<string, string>;

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of an example with the words of this world in it, and with its times moved from when the examples happen to now. */
function inWorld(value: unknown, world: World): unknown {
  if (typeof value === 'string') {
    if (INSTANT.test(value)) return new Date(Date.now() + Date.parse(value) - Date.parse(NOW)).toISOString();
    // The longer first, since one may be part of another.
    const words = [...world].sort(([left], [right]) => right.length - left.length);
    return words.reduce((text, [shown, real]) => (shown === BRAND ? (text === BRAND ? real : text) : text.replaceAll(shown, real)), value);
  }
  if (Array.isArray(value)) return value.map((each) => inWorld(each, world));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inWorld(each, world)]));
}

function newWorld(project: TestProject): World {
  return new Map<string, string>([
    [HOOK_URL, `${testEnvironment().receiverUrl}/${project.slug}`],
    ['@acme.example', `@${project.domain}`],
    [EMAILS.ada, project.address('ada')],
    [EMAILS.grace, project.address('grace')],
    [BRAND, project.slug],
    [INBOUND_ID, project.inboundId],
  ]);
}

/** Sends an example as it is shown and learns the ids of its answer. One that only reads is sent until what it shows has happened. */
async function send({ route, example }: Shown, project: TestProject, world: World): Promise<{ reply: Reply; differs: string[] }> {
  if (route.answersAs === 'text/html') await learnLink({ route, example }, project, world);
  const attempt = async () => {
    const reply = await call(route, example, project, world);
    const shown = route.answersAs ? example.answer : { ok: true, ...(example.answer as object) };
    return { reply, differs: differences(shown, reply.body), shown };
  };
  let last = await attempt();
  if (route.method === 'get' && last.differs.length > 0) {
    await eventually(async () => {
      last = await attempt();
      return last.differs.length === 0;
    }).catch(() => {});
  }
  for (const [shown, real] of idsShown(last.shown, last.reply.body)) world.set(shown, real);
  return last;
}

async function call(route: Route, example: RouteExample, project: TestProject, world: World): Promise<Reply> {
  const { params = {}, query = {}, body } = inWorld(example, world) as RouteExample;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] as string));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();
  const isText = body === undefined || route.bodyType !== undefined;
  const text = route.form ? formOf(body, example.answer) : isText ? (body as string | undefined) : JSON.stringify(body);
  const headers = route.hasSignedBody ? proofOf(route, text as string, project.inboundSecret) : {};
  const caller = route.scope === 'public' ? api() : route.path.endsWith('/approve') ? (await project.newKey(['*'])).api : project.api;
  return caller.call(route.method.toUpperCase(), search ? `${path}?${search}` : path, text, { headers });
}

function proofOf({ bodyType }: Route, body: string, secret: string): Readonly<Record<string, string>> {
  if (bodyType === undefined) return standardHeaders(body, { secret });
  return { 'content-type': bodyType, authorization: `Basic ${Buffer.from(`any:${secret}`).toString('base64')}` };
}

/** The file of a form under the name that its answer shows. */
function formOf(body: unknown, answer: RouteExample['answer']): FormData {
  const { import: imported, ...file } = answer as { readonly import?: Readonly<Record<string, string>> };
  const { filename, content_type: type = 'text/csv' } = (imported ?? file) as Readonly<Record<string, string>>;
  const { settings } = body as { settings?: object };
  const form = new FormData();
  if (settings) form.append('settings', JSON.stringify(settings));
  form.append('file', new Blob([(body as { file: string }).file], { type }), filename);
  return form;
}

async function provide(need: Need, project: TestProject, world: World): Promise<void> {
  if (typeof need === 'function') return need((shown) => world.get(shown) as string);
  if (typeof need !== 'string') {
    const [method, path, body] = need;
    const reply = await project.api.call(method.toUpperCase(), path, inWorld(body, world));
    if (reply.status >= 300) throw new Error(`${method} ${path} was answered with ${reply.status}: ${JSON.stringify(reply.body)}`);
    return;
  }
  const shown = all.find(({ name }) => name === need);
  if (!shown) throw new Error(`there is no example ${need}`);
  for (const before of NEEDS[need] ?? []) await provide(before, project, world);
  must((await send(shown, project, world)).reply, statusOf(shown));
}

const statusOf = ({ route, example }: Shown): number => example.status ?? route.status;

/** The link that only a mail tells. */
async function learnLink(
  { route, example: { query = {} } }: Pick<Shown, 'route' | 'example'>,
  project: TestProject,
  world: World,
): Promise<void> {
  if (world.has(String(query.t))) return;
  const link = route.path === '/confirm' ? await linkToConfirm(project) : await linkToLeave(project, world);
  const real = new URL(link).searchParams;
  for (const [name, shown] of Object.entries(query)) if (real.has(name)) world.set(String(shown), real.get(name) as string);
}

async function linkToLeave(project: TestProject, world: World): Promise<string> {
  return (await sendMail(project, { to: world.get(EMAILS.ada) as string })).unsubscribe as string;
}

async function linkToConfirm(project: TestProject): Promise<string> {
  await enableTemplates(project, 'confirm-subscription');
  const { email } = await asking(project).signUp({ status: 'pending' });
  return confirmLinkOf(email);
}

test('every need is one of an example', () => {
  const names = all.map(({ name }) => name);
  expect(Object.keys(NEEDS).filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test.each(all)('the example of $name works and is answered as it shows', async (shown) => {
  const { name, route } = shown;
  const project = await newProject();
  const world = newWorld(project);
  for (const need of NEEDS[name] ?? []) await provide(need, project, world);
  const { reply, differs } = await send(shown, project, world);
  expect({ status: reply.status, differs, body: reply.body }).toEqual({ status: statusOf(shown), differs: [], body: reply.body });
  if (route.answersAs && route.answersAs !== 'application/json') return;
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  const validate = validatorOf('paths', path, route.method, 'responses', String(statusOf(shown)), 'content', 'application/json', 'schema');
  expect(validate(reply.body) || validate.errors).toBe(true);
});

test('a provider id is shown as the same in every example', () => {
  expect(JSON.stringify(routes.map(({ examples }) => examples)).match(/[^"]+@acme\.example/g)).toEqual(
    expect.arrayContaining([PROVIDER_ID]),
  );
});

test('every example of a schema is as the schema says', () => {
  const wrong: unknown[] = [];
  let count = 0;
  const visit = (value: Document, place: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value.examples) && place.at(-1) !== 'properties') {
      const validate = validatorOf(...place);
      count += value.examples.length;
      for (const example of value.examples) if (!validate(example)) wrong.push([place, validate.errors]);
    }
    for (const [name, member] of Object.entries(value)) {
      if (name !== 'examples') visit(member, [...place, name]);
    }
  };
  visit(document, []);
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(10);
});

test('every operation has an example of its request and of its answer', () => {
  const without: string[] = [];
  const demand = (isThere: unknown, what: string): void => {
    if (!isThere) without.push(what);
  };
  for (const { name, operation } of operationsOf(document)) {
    for (const { in: place, name: parameter, example } of operation.parameters) {
      if (place === 'path') demand(example, `${name} {${parameter}}`);
    }
    const bodies = operation.requestBody?.content ?? {};
    const answers = operation.responses[200]?.content ?? operation.responses[201].content;
    for (const media of [...Object.values<Document>(bodies), ...Object.values<Document>(answers)]) {
      demand(Object.keys(media.examples ?? {}).length > 0, `${name} ${JSON.stringify(media.schema).slice(0, 60)}`);
    }
  }
  expect(without).toEqual([]);
});

test('what an operation shows as an example of its request or of its answer is one by its schema', () => {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [path, methods] of Object.entries<Document>(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries<Document>(methods)) {
      const status = responses[200] ? '200' : '201';
      for (const [place, { content = {} }] of [
        [['requestBody'], requestBody ?? {}],
        [['responses', status], responses[status]],
      ] as const) {
        for (const [type, { examples = {} }] of Object.entries<Document>(content)) {
          const validate = validatorOf('paths', path, method, ...place, 'content', type, 'schema');
          for (const [name, { value }] of Object.entries<Document>(examples)) {
            count++;
            if (!validate(value)) wrong.push([method, path, place[0], name, validate.errors]);
          }
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(operationsOf(document).length);
});
