import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { Confirmation, type ConfirmationRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { confirmationWorkflowId, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { mailTo } from './mail.ts';
import { newProject, type ProjectOptions, type TestProject } from './project.ts';
import { readMail } from './sent-mail.ts';
import { contactOf, enableTemplates, must, newContact } from './sequences.ts';

/** A project whose brand asks who signs up, and what tests ask of it. */
export async function askingProject(brand: object = { doubleOptIn: true }, options: ProjectOptions = {}) {
  const project = await newProject(options);
  await enableTemplates(project, 'confirm-subscription');
  must(await project.api.put(`/brands/${project.slug}`, brand), 200);
  return { project, ...asking(project) };
}

export function asking({ api, address }: Pick<TestProject, 'api' | 'address'>) {
  return {
    /** Somebody who signs up. */
    async signUp(fields: object = {}): Promise<{ id: string; email: string; status: string }> {
      return must(await api.post('/contacts', { email: address(), ...fields }), 200).contacts[0];
    },
    contactOf: (id: string) => contactOf({ api }, id),
  };
}

/** The link of the newest mail that asks the address, once there are so many. */
export async function confirmLinkOf(email: string, count = 1): Promise<string> {
  const mails = await mailTo(email, (messages) => messages.length >= count);
  const { links } = await readMail(mails.at(-1)!.raw);
  return links.find((link) => link.includes('/api/v1/confirm?'))!.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
}

/** As if so many hours had passed for a contact's confirmation; its workflow looks then. */
export async function passHours(em: EntityManager, client: Client, contactId: string, hours: number): Promise<void> {
  const { id } = await confirmationOf(em, contactId);
  await em
    .getConnection()
    .execute(
      `update confirmations set asked_at = asked_at - make_interval(hours => ?), mailed_at = mailed_at - make_interval(hours => ?) where id = ?`,
      [hours, hours, id],
    );
  // Its start may still be on its way.
  const handle = client.workflow.getHandle(confirmationWorkflowId(id));
  await eventually(() => handle.signal(RETRY_NOW_SIGNAL).then(() => true));
}

/** The row of one for a new contact, without a workflow. */
export async function newConfirmation(
  em: EntityManager,
  project: Pick<TestProject, 'api' | 'id' | 'address'>,
  fields: Partial<ConfirmationRow>,
): Promise<{ id: string; contactId: string; email: string }> {
  const [id, email, at] = [uuidv7(), project.address(), new Date()];
  const contactId = await newContact(project, email, { status: 'pending' });
  const asked = { id, project_id: project.id, contact_id: contactId, made_contact: true, asked_at: at, created_at: at };
  await em.insert(Confirmation, { ...asked, ...fields });
  return { id, contactId, email };
}

/** The last one of a contact. */
export async function confirmationOf(em: EntityManager, contactId: string): Promise<ConfirmationRow> {
  return em.fork().findOneOrFail(Confirmation, { contact_id: contactId }, { orderBy: { id: 'desc' } });
}
