import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateUp } from '../../bin/migrate.ts';
import { type EarlierDatabase, earlierDatabase } from '../support/earlier-database.ts';

let database: EarlierDatabase;
beforeEach(async () => {
  database = await earlierDatabase('0076_domain_records');
});
afterEach(() => database.close());

test('a key that signed before the migration signs after it, one that did not does not, and what was found of each record is known still', async () => {
  const client = await database.connect();
  const found = { ownership: { state: 'found', found: [] }, dkim: { state: 'found', found: ['v=DKIM1'] } };
  await client.query(
    `insert into projects (id, slug, name, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret, inbound_id)
     values ('0199c0de-0000-7000-8000-000000000001', 'a', 'A', '', '', '', 'in')`,
  );
  for (const [n, findings] of [found, { ...found, dkim: { state: 'missing', found: [] } }, {}].entries()) {
    const id = `0199c0de-0000-7000-8000-00000000001${n}`;
    await client.query(
      `insert into sending_domains (id, project_id, domain, findings) values ($1, '0199c0de-0000-7000-8000-000000000001', $2, $3)`,
      [id, `d${n}.example`, findings],
    );
    await client.query(`insert into dkim_keys (id, domain_id, selector, sealed_private_key, record) values ($1, $1, $2, 'x', 'r')`, [
      id,
      `ep-${n}`,
    ]);
  }
  await migrateUp(database.url);
  const { rows } = await client.query(
    `select k.selector, k.signs, k.signed_at is not null as "hasSigned", d.findings -> ('dkim:' || k.selector) ->> 'state' as state
     from dkim_keys k join sending_domains d on d.id = k.domain_id order by k.selector`,
  );
  expect(rows).toEqual([
    { selector: 'ep-0', signs: true, hasSigned: true, state: 'found' },
    { selector: 'ep-1', signs: false, hasSigned: false, state: 'missing' },
    { selector: 'ep-2', signs: false, hasSigned: false, state: null },
  ]);
});
