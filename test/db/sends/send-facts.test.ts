import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { SendingDomain } from '../../../db/entities/index.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { readSendFacts } from '../../../db/queries/sends/send-facts.ts';
import { row } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

test('a mail is made of what its own project has set, published and verified, though another has a brand of the same name', async () => {
  const em = (await ownDatabase()).em.fork();
  const [mine, theirs] = [await bareProject(em), await bareProject(em)];
  const brand = mine.slug;
  await setBrand(em, theirs.id, brand, { from_name: 'Theirs' }, true);
  for (const { id, subject, version } of [
    { id: mine.id, subject: 'Mine', version: 1 },
    { id: theirs.id, subject: 'Theirs', version: 7 },
  ]) {
    const of = sql`${id}, ${brand}, 'newsletter'`;
    await row(em, sql`insert into template_settings (project_id, brand_id, template, enabled, subject) values (${of}, true, ${subject})`);
    await row(
      em,
      sql`insert into template_versions (project_id, brand_id, template, version, is_draft, content, compiled) values (${of}, ${version}, false, '{}', '{}')`,
    );
    await em.insert(SendingDomain, { id: uuidv7(), project_id: id, domain: `${subject.toLowerCase()}.example`, verified: true });
  }
  const query = { template: 'newsletter', recipient: { email: 'a@to.example' }, brand, identity: { by: 'nothing' } } as const;
  const facts = await readSendFacts(em, [
    { ...query, projectId: mine.id },
    { ...query, projectId: theirs.id },
  ]);
  expect(facts.map(({ setting }) => setting)).toMatchObject([
    { brand: { project_id: mine.id }, enabled: true, subject: 'Mine', publishedVersion: 1, verifiedDomains: ['mine.example'] },
    { brand: { project_id: theirs.id }, enabled: true, subject: 'Theirs', publishedVersion: 7, verifiedDomains: ['theirs.example'] },
  ]);
});
