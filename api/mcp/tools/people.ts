import * as z from 'zod';
import { pathOf } from '../own-calls.ts';
import { defineTool } from '../tool.ts';
import { type Contact, counted, findContact, fittingPage, Id, pageFields, pageWords } from './shared.ts';

const findPeople = defineTool({
  name: 'find_people',
  title: 'Find people',
  description:
    'Find contacts of the project: by contact id or whole email address (answers with consent and confirmation too), by part of an address or name (`q`), by tag or status. ' +
    'Use it first when the user names a person, to get the contact id.',
  kind: 'read',
  scopes: ['contacts:read'],
  input: z.object({ contactId: Id.optional().meta({ description: 'A contact id' }), ...pageFields }),
  takes: { route: 'GET /contacts', fields: ['email', 'q', 'tag', 'status'] },
  async run(context, { contactId, limit, cursor }, taken) {
    if (contactId !== undefined || (taken.email !== undefined && Object.keys(taken).length === 1)) {
      const contact = await findContact(context, { contactId, email: taken.email as string | undefined });
      return contact ? { says: ['1 person found.'], data: { contacts: [contact] } } : { says: ['Nobody of this project is that.'] };
    }
    const { contacts, totalCount, nextCursor } = await fittingPage(limit, (most) =>
      context.ask<{ contacts: Contact[]; totalCount?: number; nextCursor: string | null }>({
        method: 'GET',
        path: '/contacts',
        query: { ...taken, limit: most, cursor },
      }),
    );
    const says = [
      `${counted(contacts.length, 'person', 'people')} on this page${totalCount === undefined ? '' : `, ${totalCount} in all`}.`,
    ];
    return {
      says: [...says, ...pageWords(nextCursor)],
      data: { contacts, nextCursor },
      more: 'Ask by `contactId` for one person, or with a smaller `limit`.',
    };
  },
});

const timeline = defineTool({
  name: 'get_person_timeline',
  title: "A person's timeline",
  description:
    'What happened to one contact, newest first: emails and what came of them, product events, sequences entered and left, refused enrollments, campaigns that left the person out, changes of consent. ' +
    'Needs the contact id that find_people answers.',
  kind: 'read',
  scopes: ['contacts:read'],
  input: z.object({ contactId: Id, ...pageFields }),
  takes: { route: 'GET /contacts/:id/timeline', fields: ['kind'] },
  async run({ ask, hasScope }, { contactId, limit, cursor }, taken) {
    const { timeline, nextCursor } = await fittingPage(limit, (most) =>
      ask<{ timeline: unknown[]; nextCursor: string | null }>({
        method: 'GET',
        path: pathOf`/contacts/${contactId}/timeline`,
        query: { ...taken, limit: most, cursor },
      }),
    );
    const mails = hasScope('sends:read') ? [] : ['Emails are left out: the key lacks sends:read.'];
    const says = [`${counted(timeline.length, 'entry', 'entries')}, newest first.`, ...mails, ...pageWords(nextCursor)];
    return { says, data: { timeline, nextCursor }, more: 'Ask with a smaller `limit`.' };
  },
});

export const tools = [findPeople, timeline];
