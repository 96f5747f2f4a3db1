import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { askingBrands } from '../../db/queries/contacts/confirmations.ts';
import { type ContactWrite, insertContacts, lockContacts, takenIds } from '../../db/queries/contacts/contacts.ts';
import { topicKeys } from '../../db/queries/contacts/topics.ts';
import { brandSlugs } from '../../db/queries/projects/brands.ts';
import type { AskingBrand } from '../../domain/contacts/confirmation.ts';
import { attributesProblem, byEmail, type ContactInput, changeContact, newContact, type Origin } from '../../domain/contacts/contact.ts';
import type { TopicChoices } from '../../domain/contacts/topic.ts';
import { type Issue, invalidRequest, noBrand, noSuchBrand, noSuchTopic } from '../../domain/errors.ts';
import { askToConfirm } from './ask-to-confirm.ts';
import { changeContacts } from './change-contacts.ts';
import { noteNewContacts } from './note-new-contacts.ts';

export interface ContactUpsert {
  readonly projectId: string;
  readonly defaultBrand: string | null;
  readonly inputs: readonly ContactInput[];
  /** Whether the caller sent an array: the paths of problems are then like `contacts[3].email`. */
  readonly isList: boolean;
  readonly origin: Origin;
  /** Who signs up by it may be asked to confirm, as the brand says; some brand of the project asks everybody, or none does. */
  readonly asks?: { readonly always: boolean } | undefined;
  readonly newId: () => string;
}

/**
 * Creates or updates contacts by email, all or nothing; the same email twice is applied in order. The answer has one row an input,
 * each the final contact. The rows stay locked until the transaction of `tx` ends, which serialises whatever else the caller does
 * with these contacts. Throws no_brand, and invalid_request for a brand or a topic that there is not, a taken id and too many attributes.
 */
export async function upsertContacts(tx: EntityManager, upsert: ContactUpsert): Promise<ContactRow[]> {
  const { projectId, inputs } = upsert;
  if (!upsert.defaultBrand) throw noBrand();
  await refuseUnknownBrands(tx, upsert);
  await refuseUnknownTopics(tx, upsert);
  // In the order of the addresses, so that two calls with the same ones cannot wait for each other.
  const emails = [...new Set(inputs.map(({ email }) => email))].sort();
  const brands = await brandsThatAsk(tx, upsert);
  const existing = await lockByEmail(tx, projectId, emails);
  const unknown = emails.filter((email) => !existing.has(email));
  const inserted = await insertUnknown(tx, upsert, unknown, brands);
  // Another call has inserted the row meanwhile; what is left of the input is a change to it.
  const raced = unknown.filter((email) => !inserted.has(email));
  if (raced.length > 0) for (const [email, contact] of await lockByEmail(tx, projectId, raced)) existing.set(email, contact);
  await noteNewContacts(tx, projectId, [...inserted.values()], upsert.origin);
  const changed = await changeExisting(tx, upsert, existing);
  const rowOf = (email: string) => (inserted.get(email) ?? changed.get(email)) as ContactRow;
  const signedUp = inputs.map((input) => ({ input, contact: rowOf(input.email), isNew: inserted.has(input.email) }));
  if (brands.size > 0) await askToConfirm(tx, signedUp, { projectId, brands, now: upsert.origin.now, newId: upsert.newId });
  return signedUp.map(({ contact }) => contact);
}

/** Not looked for where nobody can be asked. */
async function brandsThatAsk(tx: EntityManager, { projectId, asks, inputs }: ContactUpsert): Promise<ReadonlyMap<string, AskingBrand>> {
  const mayAsk = asks && (asks.always || inputs.some(({ status }) => status === 'pending'));
  return mayAsk ? askingBrands(tx, projectId) : new Map();
}

async function refuseUnknownBrands(tx: EntityManager, upsert: ContactUpsert): Promise<void> {
  const { projectId, inputs } = upsert;
  const wanted = [...new Set(inputs.flatMap(({ brand }) => brand ?? []))];
  if (wanted.length === 0) return;
  const slugs = new Set(await brandSlugs(tx, projectId));
  refuse(inputs.flatMap(({ brand }, index) => (brand && !slugs.has(brand) ? [noSuchBrand(pathAt(upsert, index, 'brand'))] : [])));
}

async function refuseUnknownTopics(tx: EntityManager, upsert: ContactUpsert): Promise<void> {
  const { projectId, inputs } = upsert;
  if (!inputs.some(({ topics }) => topics && Object.keys(topics).length > 0)) return;
  const keys = await topicKeys(tx, projectId);
  const unknown = (topics: TopicChoices): string[] => Object.keys(topics).filter((key) => !keys.has(key));
  refuse(inputs.flatMap(({ topics = {} }, index) => unknown(topics).map((key) => noSuchTopic(pathAt(upsert, index, `topics.${key}`)))));
}

async function lockByEmail(tx: EntityManager, projectId: string, emails: readonly string[]): Promise<Map<string, ContactRow>> {
  return byEmail(await lockContacts(tx, projectId, { emails }));
}

async function insertUnknown(
  tx: EntityManager,
  upsert: ContactUpsert,
  emails: readonly string[],
  brands: ReadonlyMap<string, AskingBrand>,
): Promise<Map<string, ContactRow>> {
  if (emails.length === 0) return new Map();
  const { projectId, inputs, origin, newId } = upsert;
  const wanted = new Map<string, ContactWrite>();
  const missing = new Set(emails);
  inputs.forEach((input, index) => {
    const { email } = input;
    if (!missing.has(email)) return;
    const before = wanted.get(email);
    const brand = input.brand ?? (upsert.defaultBrand as string);
    const after: ContactWrite = before
      ? { ...before, ...changeContact(before, input, origin.now) }
      : { ...newContact(ofNew(input, brands.get(brand)), origin), id: input.id ?? newId(), email, brand_id: brand };
    refuseAttributes(upsert, index, after);
    wanted.set(email, after);
  });
  const writes = emails.map((email) => wanted.get(email) as ContactWrite);
  await refuseTakenIds(tx, upsert, writes);
  const inserted = await insertContacts(tx, projectId, writes, origin.now);
  // Taken since the look before, by a call that had not committed then.
  if (inserted.state === 'id_taken') throw invalidRequest([issueAt(upsert, 0, 'id', 'an id is already taken')]);
  return byEmail(inserted.contacts);
}

/** A sign-up that says no status is pending where its brand asks. */
function ofNew(input: ContactInput, brand: AskingBrand | undefined): ContactInput {
  return input.status === undefined && brand?.double_opt_in ? { ...input, status: 'pending' } : input;
}

/** Looked for before the insert, which the first taken one would end together with the transaction. */
async function refuseTakenIds(tx: EntityManager, upsert: ContactUpsert, writes: readonly ContactWrite[]): Promise<void> {
  if (!upsert.inputs.some(({ id }) => id)) return;
  const ids = writes.map(({ id }) => id);
  const taken = await takenIds(tx, upsert.projectId, ids);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  const unusable = new Set([...taken, ...repeated]);
  refuse(
    upsert.inputs.flatMap(({ id }, index) => (id && unusable.has(id) ? [issueAt(upsert, index, 'id', 'this id is already taken')] : [])),
  );
}

async function changeExisting(
  tx: EntityManager,
  upsert: ContactUpsert,
  existing: ReadonlyMap<string, ContactRow>,
): Promise<Map<string, ContactRow>> {
  if (existing.size === 0) return new Map();
  const { inputs, origin } = upsert;
  const wanted = new Map<string, ContactWrite>();
  inputs.forEach((input, index) => {
    const stored = existing.get(input.email);
    if (!stored) return;
    const before = wanted.get(input.email) ?? stored;
    const after = { ...pickIdentity(stored), ...changeContact(before, input, origin.now) };
    if (input.attributes) refuseAttributes(upsert, index, after);
    wanted.set(input.email, after);
  });
  const by = { cause: 'api_call', id: origin.keyId ?? null } as const;
  return byEmail(await changeContacts(tx, [...existing.values()], [...wanted.values()], { by, now: origin.now }));
}

function pickIdentity({ id, email, brand_id }: ContactRow): Pick<ContactWrite, 'id' | 'email' | 'brand_id'> {
  return { id, email, brand_id };
}

function refuseAttributes(upsert: ContactUpsert, index: number, write: ContactWrite): void {
  const problem = attributesProblem(write.attributes);
  if (problem) refuse([issueAt(upsert, index, 'attributes', problem)]);
}

function issueAt({ isList }: ContactUpsert, index: number, field: string, message: string): Issue {
  return { path: pathAt({ isList }, index, field), message };
}

function pathAt({ isList }: Pick<ContactUpsert, 'isList'>, index: number, field: string): string {
  return isList ? `contacts[${index}].${field}` : field;
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidRequest(issues);
}
