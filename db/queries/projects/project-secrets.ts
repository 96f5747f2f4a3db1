import type { Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { newStandardSecret } from '../../../domain/webhooks/standard-webhooks.ts';
import { Project } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';

/** What a project shares with others: who reports on its mails, and who is called by webhook nodes of its sequences. */
export interface ProjectSecrets {
  /** In the address for provider events: docs/contract/inbound.md 1. */
  readonly inboundId: string;
  /** Signs what arrives there. */
  readonly inboundSecret: string;
  /** Signs what webhook nodes send. */
  readonly webhookSecret: string;
}

export async function readProjectSecrets(em: EntityManager, vault: Vault, projectId: string): Promise<ProjectSecrets> {
  const project = await em.findOneOrFail(Project, { id: projectId }, { refresh: true });
  return {
    inboundId: project.inbound_id,
    inboundSecret: vault.open(project.sealed_inbound_secret, sealedOf.inboundSecret(projectId)).toString(),
    webhookSecret: vault.open(project.sealed_webhook_secret, sealedOf.webhookSecret(projectId)).toString(),
  };
}

/** New ones from the next request on; the old ones count no more. Links in mails that were sent are signed by another, which stays. */
export async function rotateProjectSecrets(em: EntityManager, vault: Vault, projectId: string): Promise<ProjectSecrets> {
  await em.nativeUpdate(Project, { id: projectId }, sealedSecrets(vault, projectId, newSecrets()));
  return readProjectSecrets(em, vault, projectId);
}

type NewSecrets = Omit<ProjectSecrets, 'inboundId'>;

export function newSecrets(): NewSecrets {
  return { inboundSecret: newStandardSecret(), webhookSecret: newStandardSecret() };
}

/** The columns as a project has them. */
export function sealedSecrets(vault: Vault, projectId: string, { inboundSecret, webhookSecret }: NewSecrets) {
  return {
    sealed_inbound_secret: vault.seal(Buffer.from(inboundSecret), sealedOf.inboundSecret(projectId)),
    sealed_webhook_secret: vault.seal(Buffer.from(webhookSecret), sealedOf.webhookSecret(projectId)),
  };
}
