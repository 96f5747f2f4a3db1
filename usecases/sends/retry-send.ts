import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { claimRetry, type Follower, followerOf, freeKey, releaseRetry, stepOfSend } from '../../db/queries/sends/retries.ts';
import type { SendIdentity } from '../../db/queries/sends/send-intents.ts';
import { digestBefore } from '../../db/queries/sequences/digests.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import type { BrandTemplate } from '../../db/queries/templates/templates.ts';
import { invalidRequest, notFound, Refusal } from '../../domain/errors.ts';
import { NO_TEMPLATE } from '../../domain/sends/send.ts';
import { detailsOfTopic } from '../../domain/sends/send-details.ts';
import { nodeOf } from '../../domain/sequences/graph.ts';
import { DEFAULT_LANGUAGE } from '../../domain/templates/languages.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import type { TemplateProject, TemplateRegistry } from '../../sending/compose/template-registry.ts';
import type { MailRequest } from '../../sending/request.ts';
import type { Sending } from '../../sending/sending.ts';
import type { KeyedResult } from '../../sending/sources/call.ts';
import { retryCampaign } from '../campaigns/retry-campaign.ts';
import type { FileStore } from '../files/file-store.ts';
import { mailOf, versionToShow } from '../templates/version-to-show.ts';

export interface RetrySendDeps {
  readonly em: EntityManager;
  readonly project: TemplateProject;
  readonly registry: TemplateRegistry;
  readonly sending: Pick<Sending, 'sendCall' | 'sendTest' | 'sendStepAgain'>;
  readonly newId: () => string;
  readonly files: Pick<FileStore, 'prolong'>;
  readonly filesKeptMs: number;
  readonly now: () => Date;
}

/** What the caller says of the mail, beside its row. */
export interface RetryAsked extends Pick<MailRequest, 'caller' | 'deadline'> {
  /** Of POST /send and of a test, whose data are not kept; undefined: none. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** What the answer says beside the outcome; kept for a caller who comes back with the key of the failed call. */
  readonly notes: (made: MadeOf, missing: readonly string[]) => object | undefined;
}

/** What a mail was made of. */
export interface MadeOf {
  readonly entry: RegistryEntry;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `queued`: the campaign sends it. `answered`: `asked` is what the mail was made of. */
export type RetriedSend =
  | { readonly state: 'queued'; readonly sendId: string }
  | {
      readonly state: 'answered';
      readonly sendId: string;
      readonly result: KeyedResult;
      readonly asked: MadeOf;
    };

/** A mail that can be made again, but for the id that it gets. */
interface Again {
  readonly request: MailRequest;
  readonly send: (request: MailRequest) => Promise<KeyedResult>;
}

/**
 * Sends a failed mail once more, through the gates (docs/contract/sends.md 21). The failed row keeps its outcome and names the new one; of several
 * callers one sends it. Throws invalid_status for a row that has not failed, was followed by another before, or whose content is not kept.
 */
export async function retrySend(deps: RetrySendDeps, send: SendRow, asked: RetryAsked): Promise<RetriedSend> {
  if (send.status !== 'failed') throw new Refusal('invalid_status', 'this email was sent: only a failed one can be resent');
  if (send.contact_id === null && send.to_email === '')
    throw new Refusal('invalid_status', 'the recipient of this email was erased: there is nobody to send it to');
  if (send.template === NO_TEMPLATE)
    throw new Refusal(
      'invalid_status',
      'the call that sent this email brought its content, which is not kept; POST /send with it sends another',
    );
  if (send.source_type === 'confirmation')
    throw new Refusal('invalid_status', 'an email that asks to confirm is sent again by a new sign-up: POST /contacts with status pending');
  const isOfCaller = send.source_type === 'api' || send.source_type === 'test';
  if (asked.data !== undefined && !isOfCaller)
    throw invalidRequest([{ path: 'data', message: `an email of a ${send.source_type} has the data of that ${send.source_type}` }]);
  if (send.source_type === 'campaign') return retryRecipient(deps, send);
  const { request, send: submit } = await (isOfCaller ? callAgain(deps, send, asked) : stepAgain(deps, send, asked));
  const sendId = deps.newId();
  const follower = await claimRetry(deps.em, send, sendId);
  if (follower) throw retriedBefore(follower);
  try {
    const result = await submitOnce(submit, { ...request, sendId });
    // Its caller's own mail, with the caller's own data, may still go under the key.
    if (request.identity.by === 'key' && result.state === 'failed' && result.reason !== 'outcome_unknown') await freeKey(deps.em, sendId);
    return { state: 'answered', sendId, result, asked: { entry: request.entry as RegistryEntry, data: request.data } };
  } catch (error) {
    // Nothing was submitted. What cannot be written now stays claimed; the caller is told why it did not go.
    await releaseRetry(deps.em, send.id, sendId).catch(() => undefined);
    throw error;
  }
}

/**
 * Under the key that the failed call had. Throws invalid_status where its caller has come back with it: that call is what followed. A key that the
 * caller has used for another mail since is that mail's.
 */
async function submitOnce(submit: Again['send'], request: MailRequest): Promise<KeyedResult> {
  const result = await submit(request);
  if (result.state === 'key_reused') return submit({ ...request, identity: { by: 'nothing' } });
  if (result.state === 'in_progress')
    throw new Refusal('invalid_status', 'its caller is retrying this email with its idempotency key right now');
  const holder = result.state === 'unavailable' ? request.sendId : result.state === 'waiting' ? result.id : result.sendId;
  if (result.state === 'waiting' || holder !== request.sendId)
    throw new Refusal(
      'invalid_status',
      `its caller asked for this email again under its idempotency key, as ${holder}; look at what followed it`,
    );
  return result;
}

function retriedBefore({ id, hasRow }: Follower): Refusal {
  if (id === null) return new Refusal('invalid_status', 'this email has not failed, or its caller is retrying it right now');
  if (hasRow) return new Refusal('invalid_status', `this email was already resent as ${id}; look at that one`);
  return new Refusal(
    'invalid_status',
    `this email is being sent again already, as ${id}, which has no row yet; it gets none if the recipient may not get it any more`,
  );
}

/** Its campaign sends it, as it sends to all of its recipients. */
async function retryRecipient({ em, project }: RetrySendDeps, { id, source_id }: SendRow): Promise<RetriedSend> {
  return em.transactional(async (tx) => {
    const retried = await retryCampaign(tx, { projectId: project.id, id: source_id ?? '' }, { sendId: id });
    if (!retried) return notFound('campaign');
    if (retried.firstId === null) throw retriedBefore(await followerOf(tx, project.id, id));
    return { state: 'queued', sendId: retried.firstId };
  });
}

async function entryFor({ em, project, registry }: RetrySendDeps, key: string): Promise<RegistryEntry> {
  const entry = await registry.find(em, project, key);
  if (!entry) throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key));
  return entry;
}

/** By what its row says, and data that the caller gives again. */
async function callAgain(deps: RetrySendDeps, send: SendRow, { data = {}, notes, caller, deadline }: RetryAsked): Promise<Again> {
  const entry = await entryFor(deps, send.template);
  await keepLonger(deps, send);
  const request: MailRequest = {
    projectId: send.project_id,
    template: entry.key,
    entry,
    recipient: send.contact_id ? { contactId: send.contact_id } : { email: send.to_email },
    type: send.type,
    brand: send.brand_id || undefined,
    // As it was, whatever the contact's is now.
    locale: send.locale ?? DEFAULT_LANGUAGE,
    subject: undefined,
    data,
    event: undefined,
    from: undefined,
    sourceId: null,
    identity: identityOf(send),
    notes: (missing) => notes({ entry, data }, missing),
    isSandboxed: send.sandboxed,
    caller,
    deadline,
    details: send.details ?? undefined,
  };
  if (send.source_type === 'api') return { request, send: deps.sending.sendCall };
  return { request: { ...request, ...(await testedContent(deps.em, entry, send)) }, send: deps.sending.sendTest };
}

/** Its attachments go again, so they are kept as those of a new mail. */
async function keepLonger({ em, files, filesKeptMs, now }: RetrySendDeps, { project_id: projectId, details }: SendRow): Promise<void> {
  const until = new Date(now().getTime() + filesKeptMs);
  for (const { filename, sha256 } of details?.attachments ?? [])
    if (!(await files.prolong(em, projectId, sha256, until)))
      throw new Refusal('invalid_status', `its attachment ${filename} is no longer stored; send a new email with POST /send`);
}

/** As the call was known before it failed: its caller may come back with the key, and gets the answer of this mail. */
function identityOf({ freed_key: key, request_hash: requestHash }: SendRow): SendIdentity {
  return key !== null && requestHash ? { by: 'key', key, requestHash: Buffer.from(requestHash) } : { by: 'nothing' };
}

/** A test mail shows the draft of its language when there is one. */
async function testedContent(
  em: EntityManager,
  entry: RegistryEntry,
  { project_id: projectId, brand_id: brand, locale }: SendRow,
): Promise<ReturnType<typeof mailOf>> {
  const at: BrandTemplate = { projectId, brand, template: entry.key, ownId: entry.own?.id };
  return mailOf(at, entry, await versionToShow(em, at, entry, { version: undefined, locale, reader: undefined }));
}

/** As the step of its run would make it; the run does not move. */
async function stepAgain(deps: RetrySendDeps, send: SendRow, { caller, deadline }: RetryAsked): Promise<Again> {
  const step = await stepOfSend(deps.em, send);
  const graph = step && (await loadGraph(deps.em, step.sequence_id, step.version));
  const node = graph && nodeOf(graph, step.node_id);
  if (step === undefined || node?.kind !== 'send_email' || send.contact_id === null)
    throw new Refusal('invalid_status', 'the run that sent this email no longer exists; send a new email with POST /send');
  if (step.is_over) throw new Refusal('invalid_status', 'the sequence of this email is archived or over: nothing more of it is sent');
  const { template, type, brand, topic, subject, data = {} } = node.config;
  const digest = step.has_gathered ? await digestBefore(deps.em, { enrollmentId: step.enrollment_id, step: step.step }) : undefined;
  const request: MailRequest = {
    projectId: send.project_id,
    template,
    entry: await entryFor(deps, template),
    recipient: { contactId: send.contact_id },
    type,
    brand,
    // Nothing is known of one that could not be made.
    locale: send.locale ?? undefined,
    subject,
    data: digest ? { ...data, digest } : data,
    event: step.event_data ?? {},
    from: undefined,
    sourceId: send.source_id,
    identity: { by: 'nothing' },
    isSandboxed: send.sandboxed,
    caller,
    deadline,
    details: detailsOfTopic(topic),
  };
  return { request, send: deps.sending.sendStepAgain };
}
