import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { Brand, Campaign, Contact, TemplateSetting } from '../../../db/entities/index.ts';
import { lockLeftBatches } from '../../../db/queries/campaigns/batch-ends.ts';
import { rows } from '../../../db/rows.ts';
import { blocksRead, withoutStatistics } from '../../support/blocks-read.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const SENT = 20_000;
const BATCHES = 20;
const BATCH = 50;

test('settling the batches of processes that died reads a few blocks for each mail, however many the campaign has sent, and before statistics are there', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId, slug } = await bareProject(em);
  const id = uuidv7();
  const fields = { template: 'newsletter', type: 'marketing', subject: '', has_own_subject: false, status: 'sending' } as const;
  await em.insert(Campaign, { id, project_id: projectId, brand_id: slug, audience: { mode: 'entire' }, variants: null, ...fields });
  await withoutStatistics(em, ['contacts', 'sends', 'campaign_pages']);
  await rows(
    em,
    sql`insert into contacts (id, project_id, email, status, brand_id)
        select uuid_v7(), ${projectId}, n || '@to.example', 'subscribed', ${slug} from generate_series(1, ${SENT + BATCHES * BATCH}) as n`,
  );
  await rows(
    em,
    sql`insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, status, opened_at, created_at, closed_at)
        select uuid_v7(), ${projectId}, id, ${slug}, email, 'newsletter', 'marketing', '', 'campaign', ${id}, 'sent', now(), now(), now()
        from contacts order by id limit ${SENT}`,
  );
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids, state, available_at, token, opened_at, send_ids, subjects, variants)
        select ${id}, (place - 1) / ${BATCH}::integer, array_agg(id), 'open', 'infinity', uuid_v7(), now() - interval '1 hour',
               array_agg(uuid_v7()), array_agg('' || id), array_agg(null::text)
        from (select id, row_number() over (order by id desc) as place from contacts order by id desc limit ${BATCHES * BATCH}) c group by 2`,
  );
  const before = [await blocksRead(em, 'sends'), await blocksRead(em, 'contacts')];
  const batches = await em.transactional((tx) => lockLeftBatches(tx, id, 60_000));
  expect(batches.flatMap(({ mails }) => mails)).toHaveLength(BATCHES * BATCH);
  const after = [await blocksRead(em, 'sends'), await blocksRead(em, 'contacts')];
  for (const place of [0, 1]) expect((after[place] ?? 0) - (before[place] ?? 0)).toBeLessThan(10 * BATCHES * BATCH);
});

test('mails that a process has left when it died are known by the domain of their sender, unless they never leave', async () => {
  const em = (await ownDatabase()).em.fork();
  const { id: projectId, slug } = await bareProject(em);
  const leave = async (sandboxed: boolean) => {
    const [id, contactId] = [uuidv7(), uuidv7()];
    const fields = {
      template: 'newsletter',
      type: 'marketing',
      subject: '',
      has_own_subject: false,
      status: 'sending',
      sandboxed,
    } as const;
    await em.insert(Campaign, { id, project_id: projectId, brand_id: slug, audience: { mode: 'entire' }, variants: null, ...fields });
    await em.insert(Contact, {
      id: contactId,
      project_id: projectId,
      email: `${contactId}@to.example`,
      status: 'subscribed',
      brand_id: slug,
    });
    await rows(
      em,
      sql`insert into campaign_pages (campaign_id, no, contact_ids, state, available_at, token, opened_at, send_ids, subjects, variants)
          values (${id}, 0, array[${contactId}::uuid], 'open', 'infinity', uuid_v7(), now() - interval '1 hour', array[uuid_v7()], array[''], array[null::text])`,
    );
    return id;
  };
  const domainsOf = async (id: string) =>
    (await em.transactional((tx) => lockLeftBatches(tx, id, 60_000))).flatMap(({ mails }) => mails.map(({ fromDomain }) => fromDomain));
  const [left, sandboxed] = [await leave(false), await leave(true)];
  expect(await domainsOf(left)).toEqual([undefined]);
  await em.nativeUpdate(Brand, { project_id: projectId }, { from_email: 'hello@Brand.example' });
  expect([await domainsOf(left), await domainsOf(sandboxed)]).toEqual([['brand.example'], [undefined]]);
  await em.insert(TemplateSetting, {
    ...{ project_id: projectId, brand_id: slug, template: 'newsletter', enabled: true },
    from_email: 'news@template.example',
    from_name: null,
  });
  expect(await domainsOf(left)).toEqual(['template.example']);
});
