import * as z from 'zod';
import { invalidRequest } from '../../../domain/errors.ts';
import { sandboxProviderId } from '../../../domain/sends/sandbox.ts';
import { countThatFits, fits } from '../marked-data.ts';
import { pathOf } from '../own-calls.ts';
import { RouteRefused, type ToolContext } from '../tool.ts';

/** An id as the answers have it. */
export const Id = z.uuid();

/** Most tools list few: an agent that wants more pages on. */
export const pageFields = {
  limit: z.int().min(1).max(100).default(20).meta({ description: 'How many; 20 when omitted' }),
  cursor: z.string().max(1000).optional().meta({ description: '`nextCursor` of the answer before' }),
};

/** Who is meant: one of the two. */
export const personFields = {
  contactId: Id.optional().meta({ description: "The person's contact id" }),
  email: z.string().max(254).optional().meta({ description: "The person's whole address; either this or contactId" }),
};

export interface Contact {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly suppressed: string | null;
  readonly topics: Readonly<Record<string, boolean>>;
  readonly confirmation?: { readonly state?: string } | null;
}

/** What a route answers for something that may not be there: undefined for its 404. */
export async function ifThere<T>(asking: Promise<T>): Promise<T | undefined> {
  return asking.catch((error: unknown) => {
    if (error instanceof RouteRefused && error.answer.status === 404) return undefined;
    throw error;
  });
}

/** The contact with its consent; undefined when there is none. Throws invalid_request when nobody is named. */
export async function findContact(
  { ask }: Pick<ToolContext, 'ask'>,
  { contactId, email }: { readonly contactId?: string | undefined; readonly email?: string | undefined },
): Promise<Contact | undefined> {
  const id = contactId ?? (await idOf(ask, email));
  if (id === undefined) return undefined;
  return (await ifThere(ask<{ contact: Contact }>({ method: 'GET', path: pathOf`/contacts/${id}` })))?.contact;
}

async function idOf(ask: ToolContext['ask'], email: string | undefined): Promise<string | undefined> {
  if (email === undefined) throw invalidRequest([{ path: 'email', message: 'either email or contactId is required' }]);
  const found = await ask<{ contacts: readonly Contact[] }>({ method: 'GET', path: '/contacts', query: { email, limit: 1 } });
  return found.contacts[0]?.id;
}

/** `1 person`, `3 people`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * A page as long as an answer can hold: its cursor goes on behind what is shown, so that nobody is passed over. Of what is too long the rows that fit are
 * counted, and as many are read again: the cursor is the route's own, signed for its list and filter, and no row tells the place that it is of.
 */
export async function fittingPage<Page extends object>(limit: number, read: (limit: number) => Promise<Page>): Promise<Page> {
  const page = await read(limit);
  if (limit === 1 || fits(page)) return page;
  const [name, rows] = Object.entries(page).find(([, value]) => Array.isArray(value)) as [string, readonly unknown[]];
  // A newer row may be longer than those that it takes the place of.
  return fittingPage(
    countThatFits(rows, (some) => ({ ...page, [name]: some })),
    read,
  );
}

/** Whether there is a further page, in words. */
export function pageWords(nextCursor: string | null | undefined): string[] {
  return nextCursor ? ['There are more: ask again with `cursor` set to nextCursor of data.'] : [];
}

/** Whether the id that a send answered is of an email that no provider has. */
export function isNotSent(id: string | undefined): boolean {
  return id?.startsWith(sandboxProviderId('')) ?? false;
}
