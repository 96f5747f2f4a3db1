import { sql } from 'kysely';
import type { DSN } from '../../../domain/inbound/dsn.ts';
import type { InboundProvider, SettableProvider } from '../../../domain/inbound/providers.ts';
import type { Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { InboundSetting, type InboundSettingRow, type ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { tables } from '../../tables.ts';

/** Whose events come in at an address, and what proves them. In whatever state the project is: docs/contract/inbound.md 11. */
export interface InboundProject extends Pick<ProjectRow, 'id' | 'sealed_inbound_secret'> {
  /** What is stored for the provider, if anything. */
  readonly sealed_value: InboundSettingRow['sealed_value'] | null;
}

export async function findInboundProject(
  em: EntityManager,
  inboundId: string,
  provider: InboundProvider | typeof DSN,
): Promise<InboundProject | undefined> {
  return row(
    em,
    sql<InboundProject>`
      select p.id, p.sealed_inbound_secret, s.sealed_value from projects p
      left join inbound_settings s on s.project_id = p.id and s.provider = ${provider}
      where p.inbound_id = ${inboundId}`,
  );
}

/** Stores what proves a provider's events, checked before by its settingProblem(); undefined forgets it. */
export async function setInboundSetting(
  em: EntityManager,
  vault: Vault,
  setting: { readonly projectId: string; readonly provider: SettableProvider; readonly value: string | undefined },
): Promise<void> {
  const { projectId, provider, value } = setting;
  if (value === undefined) {
    await em.nativeDelete(InboundSetting, { project_id: projectId, provider });
    return;
  }
  const sealed = vault.seal(Buffer.from(value), sealedOf.inboundSetting(projectId, provider));
  await tables(em)
    .insertInto('inbound_settings')
    .values({ project_id: projectId, provider, sealed_value: sealed })
    .onConflict((of) => of.columns(['project_id', 'provider']).doUpdateSet({ sealed_value: sealed, updated_at: sql`now()` }))
    .execute();
}

/** The providers for which something is stored, without what it is. */
export async function listInboundSettings(
  em: EntityManager,
  projectId: string,
): Promise<Pick<InboundSettingRow, 'provider' | 'updated_at'>[]> {
  const ofProject = tables(em).selectFrom('inbound_settings').where('project_id', '=', projectId);
  return ofProject.select(['provider', 'updated_at']).orderBy('provider').execute();
}
