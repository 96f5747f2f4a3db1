import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../../db/orm.ts';
import { dkimKeysOf, turnKeys } from '../../db/queries/domains/dkim-keys.ts';
import { setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { setBrand } from '../../db/queries/projects/brands.ts';
import type { DkimAlgorithm } from '../../domain/domains/key-turns.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { makeKeys } from '../../usecases/domains/make-keys.ts';
import { saveTemplateSetting } from '../../usecases/templates/save-template-setting.ts';
import type { BenchStack } from './bench-stack.ts';
import { LETTER } from './letter.ts';

/** A brand of the project, named like this, whose mail is signed by keys of these algorithms, as if their records were found. */
export async function addSignedBrand(
  { databaseUrl, projectId, env }: BenchStack,
  slug: string,
  algorithms: readonly DkimAlgorithm[],
): Promise<void> {
  const orm = await openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'everpost-bench' });
  try {
    const em = orm.em.fork();
    const now = () => new Date();
    const domain = await setSendingDomain(em, { id: uuidv7(), projectId, domain: `${slug}.example`, verified: true });
    const vault = createVault(Buffer.from(env.SECRET_KEY!, 'base64'));
    await em.transactional((tx) => makeKeys(tx, { vault, newId: () => uuidv7(), now }, domain, () => algorithms));
    const turn = { signs: true, signed_at: now(), retired_at: null, isForgotten: false };
    await turnKeys(
      em,
      (await dkimKeysOf(em, domain.id)).map(({ id }) => ({ id, ...turn })),
    );
    const sender = { from_email: `hello@${slug}.example`, from_name: 'The Bench' };
    await setBrand(em, projectId, slug, { name: slug, address: '1 Bench Street, Testville', ...sender }, false);
    const enabled = { enabled: true, subject: undefined, from: undefined };
    await saveTemplateSetting(em, { projectId, brand: slug, template: LETTER }, enabled);
  } finally {
    await orm.close();
  }
}
