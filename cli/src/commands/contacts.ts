import type { Schema } from '@everpost/client';
import { type Answered, type Api, ApiFailure, type Issue } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { type Placed, pathParts, placed } from '../files/places.ts';
import { parseYaml, yamlSpots } from '../files/yaml-text.ts';
import { counted, plain, table } from '../output.ts';
import { dataOf, textOf } from './send.ts';

const PAGE = 100;

const CONTACT_STATUSES = ['pending', 'subscribed', 'unsubscribed', 'bounced'] as const satisfies readonly Schema<'ContactStatus'>[];

/** What a contact has beside its address: what --set takes. */
const SETTABLE = Object.keys({
  ...{ id: 0, status: 0, resubscribe: 0, brand: 0, source: 0, firstName: 0, lastName: 0, displayName: 0 },
  ...{ tags: 0, timezone: 0, locale: 0, attributes: 0, topics: 0, consent: 0 },
} satisfies Record<Exclude<keyof Schema<'ContactInput'>, 'email'>, 0>);
/** What is for one contact, and not for a file. */
const OF_ONE = ['first-name', 'last-name', 'status', 'tag', 'attribute', 'set'];

/** The contact with this id or address. Throws a Failure where there is none. */
export async function findContact(api: Api, idOrEmail: string): Promise<Answered> {
  if (idOrEmail.includes('@')) {
    const { contacts } = await api.call('contacts.list', { query: { email: idOrEmail, limit: 1 } });
    if (contacts.length > 0) return contacts[0];
  } else {
    try {
      return (await api.call('contacts.get', { path: [idOrEmail] })).contact;
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 404) throw error;
    }
  }
  throw new Failure(`the project has no contact ${idOrEmail}`, { code: 'not_found' });
}

function shownRow({ id, email, first_name, last_name, status, tags }: Answered): string[] {
  return [id, plain(email), plain([first_name, last_name].filter(Boolean).join(' ')), status, plain(tags.join(', '))];
}

async function list({ text, flag, choice, number, out, api }: Given): Promise<undefined> {
  const limit = number('limit', 1) ?? 20;
  const most = flag('all') ? Number.POSITIVE_INFINITY : limit;
  const status = choice('status', CONTACT_STATUSES);
  const found: Answered[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.call('contacts.list', {
      query: { status, tag: text('tag'), q: text('q'), limit: Math.min(PAGE, most - found.length), cursor, counts: 'kept' },
    });
    found.push(...page.contacts);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < most);
  out.data(found, () => {
    for (const line of table(found.map(shownRow))) out.line(line);
    if (cursor !== undefined) out.note(`the latest ${found.length}; --limit or --all shows more`);
    if (found.length === 0) out.note('nobody');
  });
  return undefined;
}

async function get({ positionals: [who = ''], out, api }: Given): Promise<undefined> {
  const { id } = await findContact(api, who);
  const { contact } = await api.call('contacts.get', { path: [id] });
  out.data(contact, () => {
    const shown = Object.entries(contact).filter(([, value]) => value !== null && value !== '');
    for (const line of table(shown.map(([name, value]) => [name, plain(typeof value === 'string' ? value : JSON.stringify(value))])))
      out.line(line);
  });
  return undefined;
}

async function upsert(given: Given): Promise<undefined> {
  const { positionals, text, texts, out } = given;
  const file = text('file');
  const [email] = positionals;
  if ((email === undefined) === (file === undefined)) throw new UsageFailure('name one address, or a --file with contacts');
  const alone = file === undefined ? undefined : OF_ONE.find((name) => texts(name).length > 0);
  if (alone !== undefined) throw new UsageFailure(`--${alone} is for one contact, and not for a --file`);
  const one = { email, ...fieldsOf(given) };
  const written = file === undefined ? '' : await textOf(given, file);
  const read = file === undefined ? one : parseYaml(written, file);
  const contacts = Array.isArray(read) ? read : [read];
  const { api } = given;
  const saved: Answered[] = [];
  const warnings: Issue[] = [];
  // An array of the API is all or nothing; what a portion before it did stays.
  for (let at = 0; at < contacts.length; at += 1000) {
    const portion = contacts.slice(at, at + 1000);
    try {
      const answer = await api.call('contacts.upsert', { body: Array.isArray(read) ? portion : read });
      saved.push(...answer.contacts);
      warnings.push(...(answer.warnings ?? []));
    } catch (error) {
      const isOfFile = error instanceof ApiFailure && file !== undefined;
      const told = isOfFile ? error.at(error.issues.map((issue) => placedInContacts(issue, { file, written, at }))) : error;
      if (at > 0) out.note(`the first ${at} are saved`);
      throw told;
    }
  }
  out.data(saved, () => {
    if (saved.length === 1) out.line(table(saved.map(shownRow))[0]);
    else out.line(`${counted(saved.length, 'contact')} saved`);
  });
  for (const { path, message } of warnings) out.note(`warning: ${path}: ${message}`);
  return undefined;
}

/** `at`: how many contacts of the file were sent before. */
function placedInContacts(issue: Issue, { file, written, at }: { file: string; written: string; at: number }): Placed {
  const path = pathParts(issue.path ?? '');
  const [first, index, ...inside] = path;
  const isOfMany = first === 'contacts' && typeof index === 'number';
  return placed(issue, { file, spotOf: yamlSpots(written) }, isOfMany ? [at + index, ...inside] : path);
}

function fieldsOf({ text, texts, choice }: Given): Record<string, unknown> {
  const set = dataOf(texts('set'), 'set');
  for (const field of Object.keys(set))
    if (!SETTABLE.includes(field))
      throw new UsageFailure(
        `--set ${field}: not a field that can be set; use one of ${SETTABLE.join(', ')}, or for an attribute of your own --attribute ${field}=…`,
      );
  const status = choice('status', CONTACT_STATUSES);
  const attributes = dataOf(texts('attribute'), 'attribute');
  const tags = texts('tag');
  return {
    ...set,
    ...(text('first-name') === undefined ? {} : { firstName: text('first-name') }),
    ...(text('last-name') === undefined ? {} : { lastName: text('last-name') }),
    ...(status === undefined ? {} : { status }),
    ...(tags.length > 0 ? { tags } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  };
}

async function unsubscribe({ positionals: [who = ''], out, api }: Given): Promise<undefined> {
  const { id, email } = await findContact(api, who);
  const answer = await api.call('contacts.unsubscribe', { path: [id] });
  out.data(answer, () => out.line(`${plain(email)} gets no marketing email any more`));
  return undefined;
}

async function erase({ positionals: [who = ''], flag, out, api }: Given): Promise<undefined> {
  const { id, email } = await findContact(api, who);
  if (!flag('yes')) throw new Failure(`this erases ${plain(email)} and what tells of the person, for good; --yes does it`);
  const answer = await api.call('contacts.delete', { path: [id] });
  out.data(answer, () => out.line(`${id} is erased`));
  return undefined;
}

async function timeline(given: Given): Promise<undefined> {
  const {
    positionals: [who = ''],
    out,
    number,
  } = given;
  const limit = number('limit', 1) ?? 20;
  const { api } = given;
  const { id } = await findContact(api, who);
  const { timeline: entries } = await api.call('contacts.timeline', { path: [id], query: { limit: String(limit) } });
  out.data(entries, () => {
    for (const { at, kind, details } of entries) out.line(`${at}  ${kind}  ${plain(shownDetails(details))}`);
  });
  return undefined;
}

function shownDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

const ONE = { usage: '<id or address>', takes: [1, 1] as const };

export const contactsCommands: readonly Command[] = [
  {
    name: 'contacts list',
    summary: 'List contacts, newest first',
    options: {
      status: { type: 'string', value: '<status>', description: CONTACT_STATUSES.join(', ') },
      tag: { type: 'string', value: '<tag>', description: 'one that they carry' },
      q: { type: 'string', value: '<text>', description: 'part of the address or of a name' },
      limit: { type: 'string', value: '<number>', description: 'how many (20)' },
      all: { type: 'boolean', description: 'all of them' },
    },
    run: list,
  },
  { name: 'contacts get', summary: 'Show one contact', ...ONE, run: get },
  {
    name: 'contacts upsert',
    summary: 'Create or change contacts',
    usage: '[<address>]',
    takes: [0, 1],
    options: {
      'first-name': { type: 'string', value: '<name>', description: 'what the person is called' },
      'last-name': { type: 'string', value: '<name>', description: 'the other name' },
      status: { type: 'string', value: '<status>', description: CONTACT_STATUSES.join(', ') },
      tag: { type: 'string', value: '<tag>', multiple: true, description: 'one that it is to carry' },
      attribute: { type: 'string', value: '<name>=<value>', multiple: true, description: 'an attribute; JSON, or a text' },
      set: {
        type: 'string',
        value: '<field>=<value>',
        multiple: true,
        description: 'any other field of a contact in the API, like timezone=Europe/Vienna',
      },
      file: { type: 'string', value: '<file>', description: 'one or many, as YAML or JSON with the fields of the API; - is stdin' },
    },
    fields: { tags: 'tag', attributes: 'attribute' },
    run: upsert,
  },
  { name: 'contacts unsubscribe', summary: 'Unsubscribe a contact from marketing email', ...ONE, run: unsubscribe },
  {
    name: 'contacts timeline',
    summary: 'Show what happened to a contact, newest first',
    ...ONE,
    options: { limit: { type: 'string', value: '<number>', description: 'how many entries (20)' } },
    run: timeline,
  },
  {
    name: 'contacts delete',
    summary: 'Erase a contact and what tells of the person, for good',
    ...ONE,
    options: { yes: { type: 'boolean', description: 'do it' } },
    run: erase,
  },
];
