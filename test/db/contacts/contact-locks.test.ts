import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lockContacts } from '../../../db/queries/contacts/contacts.ts';
import { row } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject } from '../../support/project.ts';
import { newContact } from '../../support/sequences.ts';

test.each(['ids', 'emails'] as const)(
  'contacts asked for by their %s are locked in the order of the addresses, in whatever order they are named or were made',
  async (by) => {
    const [em, project] = [await database(), await newProject()];
    const [first, second] = [project.address('a'), project.address('b')];
    const ofSecond = await newContact(project, second);
    const ofFirst = await newContact(project, first);
    const who = by === 'ids' ? { ids: [ofSecond, ofFirst] } : { emails: [second, first] };
    const locking = await em.fork().transactional(async (tx) => {
      await row(tx, sql`select 1 from contacts where id = ${ofSecond} for update`);
      const locked = em.fork().transactional((other) => lockContacts(other, project.id, who));
      await untilBlocked(tx);
      // It has the first, and waits for the second.
      expect(await row(tx, sql`select 1 from contacts where id = ${ofFirst} for update skip locked`)).toBeUndefined();
      return { locked };
    });
    expect((await locking.locked).map(({ email }) => email)).toEqual([first, second]);
  },
);
