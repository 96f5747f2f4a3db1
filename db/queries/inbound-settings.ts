import { sql } from 'kysely';
import type { Vault } from '../../domain/crypto.ts';
import type { InboundProvider, SettableProvider } from '../../domain/inbound/provider.ts';
import { sealedOf } from '../../domain/sealed.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

/** Whose events come in at an address, and what proves them. In whatever state the project is: decisions.md 12.4. */
export interface InboundProject {
  readonly id: string;
  readonly sealed_inbound_secret: Buffer;
  /** What is stored for the provider, if anything. */
  readonly sealed_value: Buffer | null;
}

export async function findInboundProject(
  em: EntityManager,
  inboundId: string,
  provider: InboundProvider,
): Promise<InboundProject | undefined> {
  return row(
    em,
    sql<InboundProject>`
      select p.id, p.sealed_inbound_secret, s.sealed_value from projects p
      left join inbound_settings s on s.project_id = p.id and s.provider = ${provider}
      where p.inbound_id = ${inboundId}`,
  );
}

/** Stores what proves a provider's events, checked before by inboundSettingProblem(); undefined forgets it. */
export async function setInboundSetting(
  em: EntityManager,
  vault: Vault,
  setting: { readonly projectId: string; readonly provider: SettableProvider; readonly value: string | undefined },
): Promise<void> {
  const { projectId, provider, value } = setting;
  if (value === undefined) {
    await row(em, sql`delete from inbound_settings where project_id = ${projectId} and provider = ${provider}`);
    return;
  }
  const sealed = vault.seal(Buffer.from(value), sealedOf.inboundSetting(projectId, provider));
  await row(
    em,
    sql`insert into inbound_settings (project_id, provider, sealed_value) values (${projectId}, ${provider}, ${sealed})
        on conflict (project_id, provider) do update set sealed_value = excluded.sealed_value, updated_at = now()`,
  );
}

/** The providers for which something is stored, without what it is. */
export async function listInboundSettings(
  em: EntityManager,
  projectId: string,
): Promise<{ provider: SettableProvider; updated_at: Date }[]> {
  return rows(
    em,
    sql<{ provider: SettableProvider; updated_at: Date }>`
      select provider, updated_at from inbound_settings where project_id = ${projectId} order by provider`,
  );
}
