import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { randomBase62, type Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { Brand, Project, type ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { PROJECT_HELD_BY } from '../sends/send-gates.ts';
import { newSecrets, type ProjectSecrets, sealedSecrets } from './project-secrets.ts';

export interface NewProject {
  readonly id: string;
  readonly slug: string;
  readonly name?: string | undefined;
  /** The default brand's sender. */
  readonly from?: string | undefined;
  readonly fromName?: string | undefined;
  readonly withBrand?: boolean;
  readonly ownerVerified?: boolean;
}

export interface CreatedProject extends ProjectSecrets {
  readonly id: string;
  readonly slug: string;
  /** The default brand's slug; null without one. */
  readonly brand: string | null;
}

const SECRET_BYTES = 32;

/** A project with its secrets and, unless told not to, a default brand of the same slug. */
export async function createProject(em: EntityManager, vault: Vault, input: NewProject): Promise<CreatedProject> {
  const { id, slug, name = slug, withBrand = true } = input;
  const inboundId = randomBase62(16);
  const secrets = newSecrets();
  await em.transactional(async (tx) => {
    await tx.insert(Project, {
      id,
      slug,
      name,
      owner_email_verified: input.ownerVerified ?? true,
      inbound_id: inboundId,
      sealed_link_secret: vault.seal(randomBytes(SECRET_BYTES), sealedOf.linkSecret(id)),
      ...sealedSecrets(vault, id, secrets),
    });
    if (withBrand) {
      const { from, fromName } = input;
      await tx.insert(Brand, { project_id: id, slug, name, from_email: from ?? null, from_name: fromName ?? null, is_default: true });
    }
  });
  return { id, slug, inboundId, ...secrets, brand: withBrand ? slug : null };
}

/** The hours in which the marketing of a project goes; null: at any time. */
export async function windowOfProject(em: EntityManager, projectId: string): Promise<ProjectRow['send_window']> {
  const found = await row(em, sql<Pick<ProjectRow, 'send_window'>>`select p.send_window from projects p where p.id = ${projectId}`);
  return found?.send_window ?? null;
}

/** Why a project may not send at this moment; null when it may. */
export async function projectHeldBy(em: EntityManager, projectId: string): Promise<'project_suspended' | 'email_unverified' | null> {
  const found = await row(
    em,
    sql<{ held_by: 'project_suspended' | 'email_unverified' | null }>`
      select ${PROJECT_HELD_BY} as held_by from projects p where p.id = ${projectId}`,
  );
  // A project that is gone sends nothing.
  return found ? found.held_by : 'project_suspended';
}
