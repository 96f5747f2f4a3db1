import { randomBytes } from 'node:crypto';
import type { ContactRow, ProviderEventRow, SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import * as batchEnds from '../../db/queries/campaigns/batch-ends.ts';
import {
  type AudienceOf,
  countAtLaunch,
  countAudience,
  digestAtLaunch,
  digestOfBatches,
  lockResolving,
  resolveAudience,
  zonesOfAudience,
} from '../../db/queries/campaigns/campaign-audience.ts';
import * as batches from '../../db/queries/campaigns/campaign-batches.ts';
import * as drafts from '../../db/queries/campaigns/campaign-drafts.ts';
import { limitedCampaigns, limitsOf } from '../../db/queries/campaigns/campaign-limits.ts';
import * as campaignMails from '../../db/queries/campaigns/campaign-mails.ts';
import { campaignStarts, campaignsToStart } from '../../db/queries/campaigns/campaign-starts.ts';
import * as campaigns from '../../db/queries/campaigns/campaigns.ts';
import { awaitsWinner, releaseRest } from '../../db/queries/campaigns/held-batches.ts';
import * as keptResults from '../../db/queries/campaigns/kept-results.ts';
import * as leftOut from '../../db/queries/campaigns/left-out.ts';
import * as recurring from '../../db/queries/campaigns/recurring-campaigns.ts';
import { countRecurring } from '../../db/queries/campaigns/recurring-counts.ts';
import { batchOfOpenRecurring, scheduledRecurring } from '../../db/queries/campaigns/recurring-schedules.ts';
import * as results from '../../db/queries/campaigns/results.ts';
import { leftByZone } from '../../db/queries/campaigns/zones.ts';
import { firstLapse, lookUpFacts } from '../../db/queries/conditions/condition-facts.ts';
import * as confirmations from '../../db/queries/contacts/confirmations.ts';
import { keepConsentChanges } from '../../db/queries/contacts/consent-changes.ts';
import * as contactExport from '../../db/queries/contacts/contact-export.ts';
import { readGrowth, sumUpContactGrowth } from '../../db/queries/contacts/contact-growth.ts';
import { listContacts, sumUpContactCounts } from '../../db/queries/contacts/contact-list.ts';
import * as contacts from '../../db/queries/contacts/contacts.ts';
import {
  deleteContact,
  eraseTraces,
  hashSuppression,
  isInOpenBatch,
  leaveAudiences,
  openErasures,
} from '../../db/queries/contacts/erasures.ts';
import * as importRows from '../../db/queries/contacts/import-rows.ts';
import * as imports from '../../db/queries/contacts/imports.ts';
import { contactTimeline } from '../../db/queries/contacts/timeline.ts';
import { addTopic, changeTopic, deleteTopic, findTopic, listTopics, topicOfSend } from '../../db/queries/contacts/topics.ts';
import { findLinkedContacts, findLinkedTest } from '../../db/queries/contacts/unsubscribe-links.ts';
import { keysAwaited, signingKeys } from '../../db/queries/domains/dkim-keys.ts';
import * as ramps from '../../db/queries/domains/ramps.ts';
import * as domains from '../../db/queries/domains/sending-domains.ts';
import * as fileContents from '../../db/queries/files/file-contents.ts';
import * as files from '../../db/queries/files/files.ts';
import * as images from '../../db/queries/files/images.ts';
import { findInboundProject, setInboundSetting } from '../../db/queries/inbound/inbound-settings.ts';
import { setMailStatus, softBouncesInARow } from '../../db/queries/inbound/mail-status.ts';
import {
  countMatched,
  keepProviderEvents,
  lockReportedSend,
  lockUnapplied,
  takeUnapplied,
} from '../../db/queries/inbound/provider-events.ts';
import { keepSandboxReports } from '../../db/queries/inbound/sandbox-reports.ts';
import { failingEndpoints, heldCampaigns, heldRuns } from '../../db/queries/operations/attention.ts';
import { databaseClock, databaseNow } from '../../db/queries/operations/database-now.ts';
import { EXPIRING } from '../../db/queries/operations/expired.ts';
import { failingSequences, failingTemplates } from '../../db/queries/operations/failures.ts';
import { forgetAnswer, leaseKey, releaseKey, storeAnswer } from '../../db/queries/operations/idempotency.ts';
import * as outbox from '../../db/queries/operations/outbox.ts';
import * as outboxLeases from '../../db/queries/operations/outbox-leases.ts';
import * as overdueRows from '../../db/queries/operations/overdue-rows.ts';
import { pingDatabase } from '../../db/queries/operations/ping.ts';
import { readQueueAges } from '../../db/queries/operations/queue-ages.ts';
import { reconcilePassAge } from '../../db/queries/operations/reconcile-progress.ts';
import { mergeSearchEntries } from '../../db/queries/operations/search-entries.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import * as workflowRows from '../../db/queries/operations/workflow-rows.ts';
import { authenticate, holdWorkingKey, revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { setBrand } from '../../db/queries/projects/brands.ts';
import { findConsoleSession, listConsoleSessions, openConsoleSession } from '../../db/queries/projects/console-sessions.ts';
import { projectHeldBy, windowOfProject } from '../../db/queries/projects/projects.ts';
import { resealAll } from '../../db/queries/projects/sealed-values.ts';
import { noteEventType, seenEventTypes, usedAttributes, usedSources, usedTags } from '../../db/queries/projects/vocabulary.ts';
import * as membershipChecks from '../../db/queries/segments/membership-checks.ts';
import * as membershipLooks from '../../db/queries/segments/membership-looks.ts';
import {
  finishSegmentChange,
  lockSegmentChange,
  markTold,
  noteSegmentChanges,
  openSegmentChanges,
  runsToTell,
  versionsWithSegments,
} from '../../db/queries/segments/segment-changes.ts';
import * as segmentTriggers from '../../db/queries/segments/segment-triggers.ts';
import * as segmentUses from '../../db/queries/segments/segment-uses.ts';
import {
  countMailable,
  countMatching,
  countTogether,
  findSegment,
  listSegmentContacts,
  listSegments,
  lockSegment,
  removeSegment,
  updateSegment,
} from '../../db/queries/segments/segments.ts';
import { forgetUsedAllowances, returnAllowance, takeAllowance, usedAllowances } from '../../db/queries/sends/allowance-days.ts';
import { readAnswerNotes } from '../../db/queries/sends/answer-notes.ts';
import { noteRefusedCopies, readLeftOut, readLeftOutOf } from '../../db/queries/sends/copies.ts';
import { closeAsReported } from '../../db/queries/sends/late-truth.ts';
import { countMailsInFlight, transactionsWritingSends } from '../../db/queries/sends/mails-in-flight.ts';
import { countScheduled, overdueScheduled } from '../../db/queries/sends/overdue-scheduled.ts';

import { forgetProviderState, keepProviderState, openProviders } from '../../db/queries/sends/provider-states.ts';
import { checkRecipients } from '../../db/queries/sends/recipient-check.ts';
import { countReputation, readReputations, sumUpReputation } from '../../db/queries/sends/reputation.ts';
import * as retries from '../../db/queries/sends/retries.ts';
import * as scheduled from '../../db/queries/sends/scheduled-sends.ts';
import { readSendFacts } from '../../db/queries/sends/send-facts.ts';
import { API_GATE, CONFIRMATION_GATE, SCHEDULED_GATE, STEP_GATE, TEST_GATE } from '../../db/queries/sends/send-gates.ts';
import { hitsOf, lockHitSends, writeHits, writeUnsubscribe } from '../../db/queries/sends/send-hits.ts';
import {
  leftIntents,
  neededJournals,
  openMany,
  reopenSend,
  type SendIntent,
  stayUnknown,
  withdrawSend,
} from '../../db/queries/sends/send-intents.ts';
import { copiesTo, findSend, listSends, reportsOf } from '../../db/queries/sends/send-log.ts';
import { closedSend, closeMany } from '../../db/queries/sends/send-outcomes.ts';
import { countSends, countWithheld, sumUpSendCounts } from '../../db/queries/sends/send-stats.ts';
import { windowFacts } from '../../db/queries/sends/window-facts.ts';
import { countActiveEnrollments } from '../../db/queries/sequences/active-enrollments.ts';
import * as bulkEnrollments from '../../db/queries/sequences/bulk-enrollments.ts';
import * as dateEntries from '../../db/queries/sequences/date-entries.ts';
import * as dateTriggers from '../../db/queries/sequences/date-triggers.ts';
import * as digests from '../../db/queries/sequences/digests.ts';
import * as enrollmentActions from '../../db/queries/sequences/enrollment-actions.ts';
import { keepCanceller, lockRunsIn, lockRunsOf, markEnded } from '../../db/queries/sequences/enrollment-ends.ts';
import { insertEnrollments, keepSequence } from '../../db/queries/sequences/enrollment-entry.ts';
import {
  signalEnrollments,
  signalHeldEnrollments,
  signalWatchers,
  signalWindowHolds,
} from '../../db/queries/sequences/enrollment-signals.ts';
import { enrollmentStarts, enrollmentsToStart } from '../../db/queries/sequences/enrollment-starts.ts';
import { failVisit, recordOutcome, writeTrace } from '../../db/queries/sequences/enrollment-steps.ts';
import { findEnrollment, isSandboxedRun, listEnrollments, runsOfContact, stepsOfRuns } from '../../db/queries/sequences/enrollments.ts';
import { entryHistory } from '../../db/queries/sequences/entry-history.ts';
import { lockActiveRuns } from '../../db/queries/sequences/event-waits.ts';
import { lockEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import * as movedRuns from '../../db/queries/sequences/moved-runs.ts';
import { insertRefusedEntries } from '../../db/queries/sequences/refused-entries.ts';
import { keepOthersOut, lockEnding, lockRunsToDelete, lockRunsToEnd } from '../../db/queries/sequences/sequence-endings.ts';
import { readLatestRuns } from '../../db/queries/sequences/sequence-flow.ts';
import { knownReferences } from '../../db/queries/sequences/sequence-references.ts';
import { findSequenceVersion, listSequenceVersions } from '../../db/queries/sequences/sequence-versions.ts';
import * as sequences from '../../db/queries/sequences/sequences.ts';
import * as standingRuns from '../../db/queries/sequences/standing-runs.ts';
import {
  holdEnrollment,
  holdStands,
  releaseHold,
  roundPace,
  showCallRetry,
  slowEnrollment,
  windowStands,
} from '../../db/queries/sequences/step-holds.ts';
import { sendStepOf, webhookStepOf } from '../../db/queries/sequences/step-visits.ts';
import { countEntered } from '../../db/queries/sequences/subflows.ts';
import * as passes from '../../db/queries/sequences/throttle-passes.ts';
import * as triggerLooks from '../../db/queries/sequences/trigger-looks.ts';
import {
  insertSuppression,
  listSuppressions,
  pageSuppressions,
  suppressionOfSend,
  unsuppress,
  withSuppressions,
} from '../../db/queries/suppressions/suppressions.ts';
import { listLanguages, publishedContents, retireLanguage } from '../../db/queries/templates/languages.ts';
import * as ownTemplates from '../../db/queries/templates/project-templates.ts';
import * as savedBlocks from '../../db/queries/templates/saved-blocks.ts';
import { findTemplateVersion, listTemplateVersions, publicationOf } from '../../db/queries/templates/template-versions.ts';
import { insertTemplateVersion, lockTemplateVersions, upsertTemplateSetting } from '../../db/queries/templates/templates.ts';
import { endAttempts } from '../../db/queries/webhooks/attempt-ends.ts';
import { signalHeldDeliveries } from '../../db/queries/webhooks/delivery-signals.ts';
import { emitAll } from '../../db/queries/webhooks/emit.ts';
import { answersTo, eraseAnswers } from '../../db/queries/webhooks/webhook-answers.ts';
import * as attempts from '../../db/queries/webhooks/webhook-attempts.ts';
import * as webhookDeliveries from '../../db/queries/webhooks/webhook-deliveries.ts';
import * as webhookEndpoints from '../../db/queries/webhooks/webhook-endpoints.ts';
import * as webhookListeners from '../../db/queries/webhooks/webhook-listeners.ts';
import * as webhookRetries from '../../db/queries/webhooks/webhook-retries.ts';
import * as webhookStarts from '../../db/queries/webhooks/webhook-starts.ts';
import { NOTHING_GIVEN } from '../../domain/campaigns/draft.ts';
import { NOTHING_IMPORTED } from '../../domain/contacts/import.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import type { SegmentFilter } from '../../domain/segments/segment.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';

type Call = (em: EntityManager) => Promise<unknown>;

const DIGEST_VISIT = { enrollmentId: '00000000-0000-0000-0000-000000000000', step: 2 };
const ID = '00000000-0000-7000-8000-000000000001';
const AT = new Date(0);
const EMAIL = 'ada@example.com';
const vault = createVault(randomBytes(32));

const contact = {
  id: ID,
  project_id: ID,
  email: EMAIL,
  status: 'subscribed',
  attributes: {},
  topics: {},
  tags: [],
} as unknown as ContactRow;
const erased = { project_id: ID, contact_id: ID, email: EMAIL, begun_at: AT };
const message = outbox.enrollmentStart(ID);
const graph = { triggers: [], nodes: [], edges: [] } as unknown as SequenceGraph;
const batch = { campaign_id: ID, no: 1, token: ID, send_ids: [ID] };
const intent: SendIntent = {
  ...{
    id: ID,
    projectId: ID,
    contactId: ID,
    brandId: 'b',
    toEmail: EMAIL,
    template: 'welcome',
    type: 'marketing',
    subject: 's',
    journal: ID,
  },
  ...{ sourceType: 'sequence', sourceId: ID, identity: { by: 'nothing' } },
};
const newRecurring = {
  ...{
    id: ID,
    project_id: ID,
    template: 't',
    type: 'marketing' as const,
    audience: { mode: 'entire' as const },
    created_at: AT,
    changed_at: AT,
  },
  recurrence: { every: 'day' as const, interval: 1, on: [], at: '09:00', timezone: 'UTC', from: null, until: null, count: null },
};
const sent = { outcome: { status: 'sent', providerId: 'p' }, hasWebhooks: true } as const;
const newScheduled = {
  ...{ id: ID, project_id: ID, due_at: AT, call: { template: 't' }, caller: { ip: undefined, userAgent: undefined }, contact_id: null },
  ...{ to_email: 'a@b.example', template: 't', type: 'marketing' as const, brand_id: 'b', subject: '', sandboxed: false },
  ...{ idempotency_key: null, request_hash: null },
};
const badAddress = {
  outcome: { status: 'failed', reason: 'provider_rejected', message: '5.1.1', badAddress: true },
  hasWebhooks: false,
} as never;
const endedAttempt = {
  ...{ id: ID, token: ID, begunAt: AT, answer: { status: 500 }, milliseconds: 1, settled: null, nextAt: AT },
};
const key = { projectId: ID, route: 'POST /send', key: 'k', requestHash: Buffer.from('h'), since: AT };
const ownTemplate = { id: ID, project_id: ID, key: 'own', type: 'marketing', name: 'n', description: '', subject: 's' } as const;
const template = { projectId: ID, brand: 'b', template: 'welcome' };
const CONTENT = { projectId: ID, sha256: 'a'.repeat(64) };
const ENDPOINT = { projectId: ID, endpointId: ID };
const BEFORE = { created_at: AT, place: 1 };
const start = { limit: 10, from: undefined, direction: 'next' } as const;
const back = { limit: 10, from: { createdAt: AT, id: ID }, direction: 'previous' } as const;
const onward = { ...back, direction: 'next' } as const;
const TOPIC = { key: 't', name: 'T', description: '', defaultOn: true, public: true };
const changedBy = { cause: 'api_call', id: ID } as const;
const hit = { sendId: ID, kind: 'clicked', url: 'https://example.com', isBot: false, count: 1, firstAt: AT, lastAt: AT } as const;

function audience(of: AudienceOf['audience'], variants: AudienceOf['variants'] = null, topic: string | null = null): AudienceOf {
  return { campaignId: ID, projectId: ID, audience: of, variants, ratePerSecond: null, topic };
}

const AUDIENCES: readonly AudienceOf['audience'][] = [
  { mode: 'entire' },
  { mode: 'tag', tag: 't' },
  { mode: 'people', emails: [EMAIL] },
  { mode: 'segment', segmentId: ID },
] as never[];

const PERSON = { id: ID, project_id: ID, email: 'a@example.com' };
const IMPORT = {
  ...{ id: ID, project_id: ID, key_id: ID, filename: 'people.csv', size: 1, read_to: 0, dry_run: false },
  settings: { delimiter: ',', header: true, columns: [], tagSeparator: ',', onExisting: 'update', tags: [], brand: 'b' },
} as const;
const ON = { id: ID, project_id: ID, sequence_id: ID, filter: {}, migrate: null, to_node: null, to_version: null, key_id: ID };
const ACTION = { ...ON, action: 'cancel' } as const;
const STANDING = { version: 1, held: 'some', status: 'active', nodeId: 'n', waitingFor: 'time' } as const;
const BULK = { id: ID, project_id: ID, sequence_id: ID, label: 'l', filter: { tags: ['t'] }, brand_id: 'b', total: 1 };
const SEGMENT_TRIGGER = { id: ID, project_id: ID, sequence_id: ID, label: 'l' };
const DATE_TRIGGER = {
  ...{ id: ID, project_id: ID, sequence_id: ID, since: AT, look_began_at: AT },
  rule: { attribute: 'birthday', every: 'year', at: '09:00' },
} as const;
const DATE_ENTRY = { contact_id: ID, date: '2027-05-14', due_at: AT };
const RETRY = {
  ...{ id: ID, project_id: ID, endpoint_id: ID, status: 'running' as never, event_type: 'e', made_from: AT, made_to: AT },
  ...{ total: 1, retried: 0, after_created_at: AT, after_place: 1, created_at: AT, ended_at: null },
} as const;
const EMAIL_EVENTS = ['sent', 'delivered', 'bounced', 'opened', 'clicked'] as const;

const TESTED = [
  ...[0, true, 'a', '2026-01-01'].flatMap((value) => ['eq', 'ne', 'contains', 'not_contains'].map((op) => ({ op, value }))),
  ...[0, 'a', '2026-01-01'].map((value) => ({ op: 'gt', value })),
  ...[{ op: 'in', value: ['a', 1, '2026-01-01'] }, { op: 'starts_with', value: 'a' }, { op: 'exists' }, { op: 'not_exists' }],
];

/** Conditions on each kind of field, of each kind. */
const FIELD_TESTS = [
  'contact.email',
  'contact.first_name',
  'contact.tags',
  'contact.created_at',
  'attributes.a',
  'attributes.a.0.length',
].flatMap((field) => TESTED.map((test) => ({ field, ...test })));

/** A call of each function of db/queries that has SQL text, and of each way through it. */
export const EVERY_QUERY: readonly Call[] = [
  (em) => authenticate(em, [`ep_live_12345678_${'a'.repeat(32)}`], AT),
  (em) => holdWorkingKey(em, ID, ID),
  (em) => revokeApiKey(em, ID, AT),
  (em) => openConsoleSession(em, { id: ID, keyId: ID, userAgent: undefined, replaces: 'a'.repeat(43) }, AT),
  (em) => findConsoleSession(em, 'a'.repeat(43), AT),
  (em) => listConsoleSessions(em, { keyId: ID }, AT),
  (em) => listConsoleSessions(em, { projectId: ID }, AT),
  (em) => setBrand(em, ID, 'b', {}, false),
  (em) => topicOfSend(em, ID),
  (em) => listTopics(em, ID),
  (em) => findTopic(em, ID, 't'),
  (em) => addTopic(em, ID, TOPIC, AT, 50),
  (em) => changeTopic(em, ID, 't', {}),
  (em) => changeTopic(em, ID, 't', TOPIC),
  (em) => deleteTopic(em, ID, 't'),
  (em) => domains.holdSendingDomain(em, ID, 'acme.example'),
  (em) =>
    domains.writeCheck(em, { id: ID, checked_at: AT } as SendingDomainRow, {
      standing: 'failing',
      failingSince: AT,
      findings: {},
      now: AT,
    }),
  (em) => domains.lockSendingDomain(em, ID),
  (em) => domains.domainsWithHost(em, ID, 'tracking'),
  (em) => keysAwaited(em, ID),
  (em) => signingKeys(em, ID),
  (em) => confirmations.askingBrands(em, ID),
  (em) => confirmations.openConfirmations(em, ID, [{ id: ID, contactId: ID, madeContact: true }], AT),
  (em) => confirmations.confirmationFacts(em, ID),
  (em) => confirmations.noteConfirmationMail(em, { id: ID, round: 1, mails: 0 }, 'suppressed'),
  (em) => confirmations.expireConfirmation(em, ID),
  (em) => confirmations.isPrunable(em, { id: ID, project_id: ID, round: 1, email: EMAIL }),
  (em) => confirmations.confirm(em, ID, { ip: '::1', userAgent: 'b', shownText: 't' }, AT),
  (em) => confirmations.endConfirmations(em, ID, [ID], AT),
  (em) => confirmations.findLinkedConfirmation(em, ID),
  (em) => confirmations.latestConfirmation(em, ID, ID),
  (em) => confirmations.confirmationStarts(em, [ID]),
  (em) => confirmations.batchOfWaiting(em, null, 1),
  (em) => confirmations.waitingAmong(em, [ID]),
  (em) => confirmations.confirmationsToStart(em, [ID]),
  (em) => domains.batchOfChecked(em, null, 1),
  (em) => domains.checkedAmong(em, [ID]),
  (em) => domains.checksToStart(em, [ID]),
  (em) => domains.domainCheckStarts(em, [ID]),
  ...AUDIENCES.map(
    (of): Call =>
      (em) =>
        countAudience(em, audience(of)),
  ),
  ...AUDIENCES.map(
    (of): Call =>
      (em) =>
        countAtLaunch(em, { ...audience(of), lateZones: [null, 'Europe/Berlin'] }),
  ),
  ...AUDIENCES.map(
    (of): Call =>
      (em) =>
        digestAtLaunch(em, { ...audience(of), lateZones: [null, 'Europe/Berlin'] }),
  ),
  (em) => digestAtLaunch(em, { ...audience({ mode: 'people', emails: [EMAIL] }, null, 'news'), lateZones: [] }),
  (em) => digestOfBatches(em, ID),
  (em) => checkRecipients(em, { projectId: ID, type: 'marketing', topic: null, recipients: [{ email: EMAIL }, { contactId: ID }] }),
  (em) => resolveAudience(em, { ...audience({ mode: 'entire' } as never), zones: null, skipsLate: false }),
  (em) => {
    const zones = [null, 'Europe/Berlin'].map((timezone) => ({ timezone, at: AT, isLate: true }));
    return resolveAudience(em, { ...audience({ mode: 'entire' } as never, [{ key: 'a', weight: 1 }] as never), zones, skipsLate: true });
  },
  (em) => {
    const tested = { ...audience({ mode: 'entire' } as never, [{ key: 'a', weight: 1 }] as never), testShare: 10, skipsLate: false };
    return resolveAudience(em, { ...tested, zones: null });
  },
  (em) => {
    const tested = { ...audience({ mode: 'entire' } as never, [{ key: 'a', weight: 1 }] as never), testShare: 10, skipsLate: false };
    return resolveAudience(em, { ...tested, zones: [{ timezone: null, at: AT, isLate: false }] });
  },
  (em) => awaitsWinner(em, ID),
  (em) => releaseRest(em, ID, 'a'),
  (em) => leftByZone(em, ID),
  (em) => zonesOfAudience(em, audience({ mode: 'entire' } as never)),
  (em) => countAudience(em, audience({ mode: 'entire' }, null, 'news')),
  (em) => countAtLaunch(em, { ...audience({ mode: 'people', emails: [EMAIL] }, null, 'news'), lateZones: [] }),
  (em) =>
    resolveAudience(em, { ...audience({ mode: 'entire' } as never, [{ key: 'a', weight: 1 }] as never), zones: null, skipsLate: false }),
  (em) => readAnswerNotes(em, ID),
  allowLongStatements,
  (em) => lockResolving(em, ID),

  (em) => batches.claimBatches(em, ID, 1, ID),
  (em) => batches.claimPacedBatch(em, ID, ID),
  (em) => batches.giveBack(em, batch),
  (em) => batches.waitForOpening(em, { ...batch, zone: 'Etc/UTC' }, AT),
  (em) => campaignMails.openBatch(em, batch, [{ ...intent, maybeSubmittedAt: AT }], { deduplicates: true, journal: ID }),
  (em) => campaignMails.closeRecipients(em, [{ ...sent, intent, openedAt: AT }]),
  (em) => batchEnds.endBatch(em, batch, { later: [], pauseMs: 0, wasAway: false }),
  (em) => batchEnds.endBatch(em, batch, { later: [intent], pauseMs: 1, wasAway: true }),
  (em) => batchEnds.dropBatches(em, ID, 'ended'),
  (em) => batchEnds.dropBatches(em, ID, 'settled'),
  (em) => leftOut.countLeftOut(em, ID),
  (em) => leftOut.listLeftOut(em, { campaignId: ID, reasons: ['ended'], after: undefined, limit: 1 }),
  (em) => leftOut.listLeftOut(em, { campaignId: ID, reasons: ['ended', 'erased'], after: { reason: 'ended', contactId: ID }, limit: 1 }),
  (em) => leftOut.eraseLeftOut(em, { project_id: ID, contact_id: ID }),
  (em) => results.countOverTime(em, ID, 'hour', AT),
  (em) => results.countLinks(em, ID, true),
  (em) => results.countReceivers(em, ID),
  (em) => results.countLanguages(em, ID),
  (em) => results.countConversions(em, { id: ID, goal: { event: 'e', withinHours: 1, sum: 'total' }, isSandboxed: false }),
  (em) => results.countConversions(em, { id: ID, goal: { event: 'e', withinHours: 1, sum: null }, isSandboxed: true }),
  (em) => keptResults.readKeptResults(em, ID),
  (em) => keptResults.campaignsToCount(em, 1),
  (em) => keptResults.expectResults(em, ID),
  (em) => keptResults.beginCounting(em, ID),
  (em) => keptResults.keepResults(em, ID, 1, { counted_at: AT, took: 1, hours: [], days: [] }),
  (em) => batchEnds.lockLeftBatches(em, ID, 1),
  (em) => batchEnds.campaignsWithLeftBatches(em, 1),
  (em) => batches.batchesLeft(em, ID, { most: 1, outcomeUnknownAfterMs: 1 }),
  (em) => batches.isInFlight(em, ID),
  (em) => batches.hasOpenBatch(em, ID),
  (em) => batches.retryBatchesNow(em, ID),
  (em) => batches.stoppedCampaigns(em, [ID]),
  (em) => campaigns.unbalancedCampaigns(em, 1),
  (em) =>
    retries.retryRecipients(em, { id: ID, project_id: ID, rate_per_second: null }, { outcomes: ['outcome_unknown'], most: 2, after: null }),
  (em) => retries.retryRecipients(em, { id: ID, project_id: ID, rate_per_second: 7 }, { sendId: ID }),
  (em) => retries.failedRecipients(em, ID),
  (em) => retries.claimRetry(em, { project_id: ID, id: ID }, ID),
  (em) => retries.releaseRetry(em, ID, ID),
  (em) => stayUnknown(em, ID),
  (em) => retries.freeKey(em, ID),
  (em) => retries.retriesOf(em, [ID]),
  (em) => retries.stepOfSend(em, { project_id: ID, id: ID }),
  (em) => campaignStarts(em, [ID]),
  (em) => campaignsToStart(em, [ID]),
  (em) => attempts.beginAttempts(em, [{ id: ID, token: ID, isHurried: false }], AT),
  (em) => attempts.beginInBurst(em, ID, { token: ID, limit: 1, now: AT }),
  (em) => attempts.withdrawAttempts(em, [{ id: ID, token: ID }]),
  (em) => attempts.withdrawTurn(em, [ID], [{ id: ID, token: ID }]),
  (em) => endAttempts(em, [endedAttempt]),
  (em) => attempts.heldInBurst(em, ID),
  (em) => attempts.openBurst(em, ID),
  (em) => attempts.closeBurst(em, ID),
  (em) => attempts.countInBurst(em, ID),
  (em) => answersTo(em, ID),
  (em) => eraseAnswers(em, [ID]),
  (em) => webhookDeliveries.countWaiting(em, ID, 1),
  (em) => webhookListeners.createListener(em, { id: ID, project_id: ID, events: null, sealed_secret: Buffer.of(1) }),
  (em) => webhookListeners.findListener(em, ID, ID),
  (em) => webhookListeners.noteHeard(em, ID),
  (em) => webhookListeners.deleteListener(em, ID, ID),
  (em) => webhookListeners.handOut(em, ID, 1),
  (em) => webhookListeners.dropDone(em, ID, [ID]),
  (em) => webhookListeners.keepAnswers(em, ID, [{ id: ID, status: 204, error: null, milliseconds: 5 }]),
  (em) => webhookListeners.listListenerDeliveries(em, ID, 1),
  (em) => webhookRetries.countFailed(em, ID, { event_type: 'e', made_from: AT, made_to: AT }, 1),
  (em) => webhookRetries.insertRetry(em, RETRY),
  (em) => webhookRetries.latestRetry(em, ID),
  (em) => webhookRetries.retryOutcome(em, ID),
  (em) => webhookRetries.lockRetry(em, ID),
  (em) => webhookRetries.retryFailed(em, RETRY, 1),
  (em) => webhookRetries.endRetry(em, ID, 'completed'),
  (em) => webhookRetries.retryStarts(em, [ID]),
  (em) => webhookRetries.batchOfRunningRetries(em, null, 1),
  (em) => webhookRetries.runningRetries(em, [ID]),
  (em) => webhookRetries.retriesToStart(em, [ID]),
  (em) => webhookStarts.deliveryStarts(em, [ID]),
  (em) => webhookStarts.burstStarts(em, [ID]),
  (em) => webhookStarts.batchOfOpenDeliveries(em, null, 1),
  (em) => webhookStarts.openDeliveries(em, [ID]),
  (em) => webhookStarts.restartDeliveries(em, [ID]),
  (em) => webhookStarts.batchOfOpenBursts(em, null, 1),
  (em) => webhookStarts.openBursts(em, [ID]),
  (em) => webhookStarts.burstsToStart(em, [ID]),
  (em) => webhookStarts.leaveToBursts(em, [ID]),
  (em) => webhookStarts.failDelivery(em, ID),
  (em) => webhookStarts.lockAgainstDeliveries(em, ID),
  (em) => webhookStarts.failWaiting(em, ID, AT),
  (em) => webhookStarts.keepBurstIfWaiting(em, ID),
  (em) => webhookStarts.failInBurst(em, ID),
  (em) =>
    webhookEndpoints.createEndpoint(em, {
      id: ID,
      project_id: ID,
      url: 'u',
      events: null,
      keep_answers: false,
      sealed_secret: Buffer.from('s'),
    }),
  (em) => webhookEndpoints.listEndpoints(em, ID),
  (em) => webhookEndpoints.findEndpoint(em, ID, ID),
  (em) => webhookEndpoints.lockEndpoint(em, ID, ID),
  (em) => webhookEndpoints.updateEndpoint(em, ID, { url: 'u', events: null, enabled: true, keep_answers: false }),
  (em) => signalHeldDeliveries(em, ID),
  (em) => webhookEndpoints.isEndpointEnabled(em, ID),
  (em) => webhookEndpoints.rotateSecret(em, ID, ID, { sealed: Buffer.from('s'), previousUntil: AT }),
  (em) => webhookEndpoints.removeEndpoint(em, ID, ID),
  (em) => webhookEndpoints.dropDeliveriesOf(em, ID),
  webhookEndpoints.dropDeliveries,
  ...[undefined, 'pending', 'failed'].map(
    (status): Call =>
      (em) =>
        webhookDeliveries.listDeliveries(em, ENDPOINT, { limit: 1, filter: { status: status as never }, before: BEFORE }),
  ),
  (em) => webhookDeliveries.listDeliveries(em, ENDPOINT, { limit: 1, filter: {}, before: undefined }),
  (em) => webhookDeliveries.listDeliveries(em, ENDPOINT, { limit: 1, filter: { eventType: 'e', from: AT, to: AT, q: ID }, before: BEFORE }),
  (em) => webhookDeliveries.listDeliveries(em, ENDPOINT, { limit: 1, filter: { eventType: 'e', to: AT }, before: undefined }),
  (em) => webhookDeliveries.listDeliveries(em, ENDPOINT, { limit: 1, filter: { q: 'none' }, before: BEFORE }),
  (em) => webhookDeliveries.findDelivery(em, ID, ID),
  (em) => webhookDeliveries.reopenDelivery(em, ID, ID),
  (em) => webhookDeliveries.retryDeliveryNow(em, { id: ID, enabled: true }, ID),
  (em) => webhookDeliveries.retryWaitingNow(em, ID, 1),
  (em) => campaigns.findCampaign(em, ID, ID),
  (em) => campaigns.readCampaignData(em, ID),
  (em) => campaigns.readPeople(em, ID),
  (em) => campaigns.lockCampaign(em, ID),
  (em) => campaigns.listCampaigns(em, ID, {}, start),
  (em) => campaigns.listCampaigns(em, ID, { status: 'sent' }, onward),
  (em) => campaigns.listCampaigns(em, ID, { status: 'draft' }, onward),
  (em) => campaigns.listCampaigns(em, ID, { isUnderWay: true }, onward),
  (em) => campaigns.listCampaigns(em, ID, { isUnderWay: false }, onward),
  (em) => campaigns.listCampaigns(em, ID, { recurringId: ID }, onward),
  (em) => recurring.insertRecurring(em, newRecurring),
  (em) => recurring.findRecurring(em, ID, ID),
  (em) => recurring.findWholeRecurring(em, ID, ID),
  (em) => recurring.lockRecurring(em, ID),
  (em) => recurring.listRecurring(em, ID, {}, start),
  (em) => recurring.listRecurring(em, ID, { status: 'active' }, onward),
  (em) => recurring.readRecurringData(em, ID),
  (em) => recurring.writeRecurring(em, ID, { version: 2 }),
  (em) => recurring.insertRuns(em, [{ recurring_id: ID, due_at: AT, outcome: 'skipped', reason: null, campaign_id: null, at: AT }]),
  (em) => recurring.listRuns(em, ID, start),
  (em) => recurring.listRuns(em, ID, onward),
  (em) => recurring.recurringAtFault(em, ID, 1000),
  (em) => recurring.lacksApproval(em, ID),
  (em) => scheduledRecurring(em, ID),
  (em) => batchOfOpenRecurring(em, null, { overdueMs: 1000, limit: 1 }),
  (em) => batchOfOpenRecurring(em, ID, { overdueMs: 1000, limit: 1 }),
  (em) => drafts.insertDraft(em, { id: ID, projectId: ID, given: NOTHING_GIVEN, sandboxed: false, changedBy: ID, now: AT }),
  (em) => drafts.writeCampaign(em, ID, { version: 2, name: '' }),
  (em) => drafts.noteApproval(em, ID, ID, AT),
  (em) => drafts.awaitsApproval(em, ID),
  (em) => drafts.namesOfKeys(em, ID, [ID]),
  (em) => drafts.deleteDraft(em, ID),
  (em) => campaigns.readCampaignCounts(em, [ID]),
  (em) => campaigns.readAudiences(em, [ID]),
  (em) => campaigns.openCampaigns(em, [ID]),
  (em) => campaigns.batchOfOpenCampaigns(em, null, 1),
  (em) => campaigns.batchOfOpenCampaigns(em, ID, 1),
  (em) => limitsOf(em, ID),
  (em) => limitedCampaigns(em, [ID]),
  (em) => campaigns.countEngagement(em, [{ campaignId: ID, variant: null, counter: 'opened' }]),
  campaigns.sumUpCampaignCounts,

  (em) => lookUpFacts(em, { projectId: ID, contactId: undefined, conditions: [{ segment: 's' }], event: {}, now: AT }),
  ...EMAIL_EVENTS.flatMap((event) =>
    [undefined, 'welcome'].map(
      (of): Call =>
        (em) => {
          const conditions = [
            { event: { type: 'signup' } },
            { email: { event, ...(of ? { template: of } : {}), withinHours: 1 } },
          ] as never[];
          return lookUpFacts(em, { projectId: ID, contactId: ID, conditions, event: {}, now: AT });
        },
    ),
  ),
  (em) => {
    const emails = EMAIL_EVENTS.flatMap((event) => [null, 'welcome'].map((template) => ({ event, template, withinHours: 1 })));
    const events = [{ type: 'signup', atLeast: 2, withinHours: 1 }];
    return firstLapse(em, { projectId: ID, contactId: ID }, { events, emails });
  },
  (em) => {
    const conditions = [{ event: { type: 't' } }, { email: { event: 'sent' } }] as const;
    return lookUpFacts(em, { projectId: ID, contactId: ID, conditions, event: {}, now: AT, isSandboxed: true });
  },
  (em) => listContacts(em, ID, {}, start),
  (em) => listContacts(em, ID, { status: 'subscribed' }, start),
  (em) => listContacts(em, ID, { tag: 't' }, back),
  (em) => listContacts(em, ID, { status: 'subscribed', email: EMAIL }, onward),
  (em) => listContacts(em, ID, { tag: 't', q: 'ada' }, onward),
  (em) => listContacts(em, ID, { q: 'ada' }, onward, 'kept'),
  (em) => listContacts(em, ID, { q: 'ada' }, start, 'kept'),
  mergeSearchEntries,
  sumUpContactCounts,
  sumUpContactGrowth,
  readReputations,
  sumUpReputation,
  sumUpSendCounts,
  (em) => contacts.lockContact(em, ID, { contactId: ID }),
  (em) => contacts.lockContact(em, ID, { email: EMAIL }),
  (em) => contacts.lockContacts(em, ID, { ids: [ID] }),
  (em) => contacts.lockContacts(em, ID, { emails: [EMAIL] }),
  (em) => contacts.takenIds(em, ID, [ID]),
  (em) => contacts.contactIdsOf(em, ID, [EMAIL]),
  (em) => contacts.insertContacts(em, ID, [contact], AT),
  (em) => contacts.updateContacts(em, ID, [contact], AT),
  (em) => contacts.setContactStatus(em, contact, 'pending', AT),
  (em) => keepConsentChanges(em, [[contact, { ...contact, status: 'pending', consent_source: 'form' }]], changedBy, AT),

  (em) => setMailStatus(em, ID, { status: 'bounced', occurredAt: AT, bounceKind: 'hard', isDelay: false }),
  (em) => softBouncesInARow(em, ID, EMAIL),
  (em) =>
    emitAll(em, ID, [
      { type: 'contact.subscribed', contact },
      { type: 'email.clicked', sendId: ID, adds: { url: '' } },
    ]),
  (em) => emitAll(em, ID, [{ type: 'email.delivered', sendId: ID }]),

  ...[{ id: ID }, { ids: [ID] }, { id: ID, shownBy: ID }].map(
    (which): Call =>
      (em) =>
        markEnded(em, which, 'cancelled', AT),
  ),
  (em) => lockRunsIn(em, ID, ID, ['s'], false),
  (em) => keepSequence(em, ID, [ID], false),
  (em) => {
    const sequence = { id: ID, version: 1, graph } as sequences.SequenceWithGraph;
    const enrolled = [{ contactId: ID, enrollmentId: ID }];
    return insertEnrollments(em, { project: { id: ID }, sequence, eventId: null, isBulk: false, isSandboxed: false }, enrolled, AT);
  },
  (em) => isSandboxedRun(em, ID, ID),
  (em) => findEnrollment(em, ID, ID, { limit: 250, from: undefined }),
  (em) => listEnrollments(em, ID, { status: 'active', contactIds: [ID], failedSteps: 'some', nodeId: 'n', waitingFor: 'time' }, start),
  (em) => listEnrollments(em, ID, { version: 1, leftOut: 'suppressed', leftOutAt: 's' }, start),
  (em) => listEnrollments(em, ID, { leftOut: 'some' }, start),
  (em) => listEnrollments(em, ID, { held: 'some' }, start),
  (em) => listEnrollments(em, ID, { held: 'frequency_cap' }, start),
  (em) => enrollmentStarts(em, [ID]),
  (em) => enrollmentsToStart(em, [ID]),
  (em) => recordOutcome(em, ID, { step: 1, outcome: 'sent' } as never),
  (em) => failVisit(em, ID, 1, { reported: undefined, reason: 'r' }),
  (em) => writeTrace(em, ID, { reported: undefined, visits: [], now: AT }),
  (em) => signalHeldEnrollments(em, ID),
  (em) => signalHeldEnrollments(em, ID, ID),
  (em) => signalWatchers(em, ID, [ID]),
  (em) => signalWindowHolds(em, ID),
  (em) => signalWindowHolds(em, ID, [ID]),
  (em) => signalEnrollments(em, [ID]),
  (em) => lockActiveRuns(em, contact, false),
  (em) => digests.openDigest(em, DIGEST_VISIT, { types: ['t'], path: undefined, max: undefined, isSandboxed: false, reentersAlways: true }),
  (em) => digests.openDigest(em, DIGEST_VISIT, { types: ['t'], path: 'a.b', max: 5, isSandboxed: false, reentersAlways: false }),
  (em) => digests.gatherEvent(em, DIGEST_VISIT, ID, 'a.b'),
  (em) => digests.gatheredAt(em, DIGEST_VISIT),
  (em) => digests.digestBefore(em, DIGEST_VISIT),
  (em) => digests.keepEvent(em, { sequence_id: ID, contact_id: ID, sandboxed: false }, ID),
  (em) => digests.takeKeptEvent(em, ID),
  (em) => digests.passKeptEvents(em, ID, ID),
  (em) => passes.latestPasses(em, { sequence_id: ID, contact_id: ID, node_id: 'n', sandboxed: false }, 1),
  (em) => passes.passesOf(em, { sequence_id: ID, contact_id: ID }, [{ id: 'n', config: { count: 1 } }]),
  ...EXPIRING.map(
    ({ pruneBatch }): Call =>
      (em) =>
        pruneBatch(em, { now: AT, after: { at: ID, ctid: '(0,1)' }, limit: 1, dryRun: false }),
  ),
  (em) => lockEnrollment(em, ID),
  (em) => holdEnrollment(em, { enrollmentId: ID, step: 1, heldBy: 'frequency_cap', until: null, now: AT }),
  (em) => releaseHold(em, ID, 1, AT),
  (em) => roundPace(em, ID, { nodeId: 'n', step: 3, now: new Date() }),
  (em) => slowEnrollment(em, ID, { until: AT, now: AT }),
  (em) => showCallRetry(em, { enrollmentId: ID, step: 1, until: AT }),
  (em) => sendStepOf(em, ID, 1),
  (em) => webhookStepOf(em, ID, 1),
  (em) => countEntered(em, ID),

  (em) => countMailsInFlight(em, { enrollmentIds: [ID] }),
  (em) => countMailsInFlight(em, { sequenceId: ID }),
  (em) => countMailsInFlight(em, { erased }),
  (em) => isInOpenBatch(em, erased),
  (em) => leaveAudiences(em, ID, EMAIL),
  (em) => hashSuppression(em, ID, EMAIL),
  (em) => deleteContact(em, contact, AT),
  (em) => openErasures(em, AT, 1),
  (em) => eraseTraces(em, erased, ID),
  (em) => unsuppress(em, ID, EMAIL),
  (em) => listSuppressions(em, ID, { q: 'a', email: EMAIL, reason: 'manual' }),
  (em) => listSuppressions(em, ID, {}),
  (em) => pageSuppressions(em, ID, { reason: 'manual' }, onward),
  (em) => pageSuppressions(em, ID, { q: 'a' }, start),
  (em) => usedTags(em, ID),
  (em) => usedSources(em, ID),
  (em) => usedAttributes(em, ID),
  (em) => seenEventTypes(em, ID, AT),
  (em) => noteEventType(em, ID, 't', AT),
  (em) => lockRunsOf(em, contact),
  transactionsWritingSends,
  (em) => leaseKey(em, key),
  (em) => storeAnswer(em, key, 200, {}),
  (em) => forgetAnswer(em, key, {}),
  (em) => releaseKey(em, key),
  (em) => failingEndpoints(em, ID, AT),
  (em) => failingSequences(em, ID, AT),
  (em) => failingTemplates(em, ID, AT),
  (em) => readLatestRuns(em, { sequenceId: ID, version: undefined, reachedBy: 'goal' }),
  (em) => readLatestRuns(em, { sequenceId: ID, version: 1, reachedBy: 'completed' }),
  (em) => knownReferences(em, ID, { sequenceKeys: ['s'], segments: ['s'], topics: ['t'] }),
  (em) => heldRuns(em, ID),
  (em) => heldCampaigns(em, ID),
  (em) => countReputation(em, ID, { begins: [AT], end: AT, by: 'receiver', most: 50 }),
  (em) => countSends(em, ID, { begins: [AT], end: AT }),
  (em) => countWithheld(em, ID, { begins: [AT], end: AT }),
  (em) => readGrowth(em, ID, { begins: [AT], end: AT }),
  (em) => contactTimeline(em, { projectId: ID, contactId: ID, email: EMAIL, withMails: true }, start),
  (em) => contactTimeline(em, { projectId: ID, contactId: ID, email: EMAIL, withMails: false }, onward),
  (em) => contactTimeline(em, { projectId: ID, contactId: ID, email: EMAIL, withMails: true, kind: 'mail_skipped' }, start),
  (em) => insertRefusedEntries(em, ID, { event_type: 't' }, [{ id: ID, contactId: ID }]),
  readQueueAges,
  reconcilePassAge,
  countActiveEnrollments,
  countScheduled,
  countRecurring,
  (em) => overdueScheduled(em, ID, 1),
  (em) => findInboundProject(em, 'i', 'resend'),
  (em) => setInboundSetting(em, vault, { projectId: ID, provider: 'resend', value: 'v' }),
  (em) => outbox.enqueue(em, ID, [message]),
  (em) => outboxLeases.leaseMessages(em, { single: 1, bulk: 1 }, 1),
  (em) => outboxLeases.deleteMessages(em, [1]),
  (em) => outboxLeases.retryMessages(em, [1], 1),
  (em) => outboxLeases.awaitStart(em, [1]),
  (em) => outboxLeases.countWaiting(em),
  (em) => outbox.signalWorkflows(em, ['w']),
  (em) => outbox.hasPendingStart(em, message.workflowId),
  (em) => outbox.pendingStarts(em, [message.workflowId]),
  (em) => outbox.startNow(em, message.workflowId),
  (em) => outbox.dropMessages(em, message.workflowId),
  (em) => workflowRows.findWorkflowRow(em, ID),
  ...[undefined, ID].flatMap((projectId): Call[] => {
    const asked = { projectId, limit: 1 };
    return [
      ...Object.values(workflowRows.OPEN_ROWS).map(
        (open): Call =>
          (em) =>
            open(em, asked),
      ),
      (em) => overdueRows.overdueEnrollments(em, asked, AT),
      (em) => overdueRows.overdueCampaigns(em, asked, AT),
      (em) => overdueRows.overdueScheduled(em, asked, AT),
      (em) => overdueRows.overdueDeliveries(em, asked, AT),
      (em) => overdueRows.overdueBursts(em, asked, AT),
      (em) => overdueRows.refusedMessages(em, asked),
    ];
  }),
  databaseNow,
  databaseClock,
  pingDatabase,
  (em) => projectHeldBy(em, ID),
  (em) => windowOfProject(em, ID),
  (em) => {
    const event = { key: 'k', type: 'delivered', providerIds: ['p'], details: {}, body: '', occurredAt: AT } as never;
    return keepProviderEvents(em, { projectId: ID, provider: 'resend', events: [event], now: AT, newId: () => ID });
  },
  (em) => countMatched(em, ID, [{ providerIds: ['p'] }] as never),
  (em) => lockUnapplied(em, ID),
  (em) => closeAsReported(em, ID, 'p'),
  ...[{ provider: 'p' }, { domainId: ID }].flatMap((of): Call[] => {
    const [day, limits] = [
      { of, day: '2026-03-05' },
      { daily: 5, ramp: { steps: [1], from: '2026-03-01' } },
    ];
    return [
      (em) => takeAllowance(em, day, { limits, isBulk: true, wanted: 1 }),
      (em) => takeAllowance(em, day, { limits: { daily: 0 }, isBulk: false, wanted: 1 }),
      (em) => returnAllowance(em, day, 1),
    ];
  }),
  (em) => ramps.domainsWithRamp(em, ID),
  (em) => ramps.rampOf(em, ID),
  (em) => ramps.setRamp(em, ID, { steps: [1] }),
  (em) => ramps.rampDays(em, [ID], '2026-03-05'),
  (em) => keepProviderState(em, { provider: 'p', processId: ID, since: new Date(), reason: 'r' }),
  (em) => forgetProviderState(em, { provider: 'p', processId: ID }),
  openProviders,
  (em) => usedAllowances(em, '2026-01-31'),
  (em) => forgetUsedAllowances(em, '2026-01-31', [{ provider: 'p', daily: 5 }, { provider: 'q' }]),
  (em) => lockReportedSend(em, { project_id: ID, provider_ids: ['p'], reported_send_id: null } as ProviderEventRow),
  (em) => lockReportedSend(em, { project_id: ID, provider_ids: [] as string[], reported_send_id: ID } as ProviderEventRow),
  (em) => takeUnapplied(em, AT, 1),
  (em) => resealAll(em, { ...vault, reseal: () => Buffer.from('sealed anew') }),
  (em) => {
    const filter: SegmentFilter = { source: 'api', status: 'subscribed', tags: ['t'] };
    return countMatching(em, { project_id: ID, filter, brand_id: 'b' });
  },
  (em) => countMailable(em, { project_id: ID, filter: { status: 'subscribed' }, brand_id: null }, 'news'),
  (em) =>
    countMailable(em, { project_id: ID, filter: { where: { field: 'contact.topics.news', op: 'eq', value: true } }, brand_id: null }, null),
  (em) => findSegment(em, ID, ID),
  (em) => lockSegment(em, ID, ID),
  (em) => updateSegment(em, ID, { label: 'l', filter: {}, version: 2, updated_at: AT }),
  (em) => removeSegment(em, ID, ID),
  (em) => noteSegmentChanges(em, ID, ['l']),
  (em) => openSegmentChanges(em),
  (em) => lockSegmentChange(em, { project_id: ID, label: 'l' }),
  (em) => versionsWithSegments(em, ID),
  (em) => runsToTell(em, { project_id: ID, label: 'l', told_to: null }, [{ sequence_id: ID, version: 1 }]),
  (em) => markTold(em, { project_id: ID, label: 'l' }, ID),
  (em) => finishSegmentChange(em, { project_id: ID, label: 'l' }),
  (em) => imports.insertImport(em, IMPORT),
  (em) => imports.beginImport(em, ID, 'running'),
  (em) => imports.lockImport(em, ID),
  (em) => imports.importById(em, ID),
  (em) => imports.findImport(em, ID, ID),
  (em) => imports.listImports(em, ID, { status: undefined }, start),
  (em) => imports.listImports(em, ID, { status: 'running' }, start),
  (em) => imports.keepImport(em, ID, { ...NOTHING_IMPORTED, read_to: 1, reasons: {}, problems: [] }),
  (em) => imports.endImport(em, ID, 'completed'),
  (em) => imports.setImportPaused(em, ID, true),
  (em) => imports.importFilesOver(em, AT, 1),
  (em) => imports.giveUpReceiving(em, ID),
  (em) => imports.forgetImportFile(em, ID),
  (em) => imports.importStarts(em, [ID]),
  (em) => imports.batchOfOpenImports(em, null, 1),
  (em) => imports.openImports(em, [ID]),
  (em) => imports.importsToStart(em, [ID]),
  (em) => contactExport.eventsOfContact(em, PERSON, start),
  (em) => contactExport.confirmationsOfContact(em, PERSON, start),
  (em) => contactExport.refusedRowsOf(em, PERSON, start),
  (em) => runsOfContact(em, PERSON, start),
  (em) => stepsOfRuns(em, ID, [ID], { after: 0, limit: 1 }),
  (em) => scheduled.scheduledTo(em, PERSON, start),
  (em) => scheduled.scheduledCopiesTo(em, PERSON, start),
  (em) => copiesTo(em, PERSON, start),
  (em) => contactExport.suppressionOfContact(em, PERSON),
  (em) => importRows.contactsByEmail(em, ID, ['a@example.com']),
  (em) => importRows.keepRefusedRows(em, ID, [{ row: 1, reason: 'email_missing', message: '', email: null, cells: [''] }]),
  (em) => importRows.refreshContactStatistics(em),
  (em) => importRows.refusedRowsAfter(em, ID, 0, 1),
  (em) => importRows.newlySuppressed(em, ID, [{ email: 'a@example.com', reason: 'manual' }]),
  (em) => importRows.suppressAll(em, ID, [{ email: 'a@example.com', reason: 'manual' }], AT),
  (em) => standingRuns.countStanding(em, ID, ['n']),
  (em) => enrollmentActions.countRunsFor(em, ACTION),
  (em) => enrollmentActions.countRunsFor(em, { ...ACTION, action: 'move', to_node: 'a', to_version: 1 }),
  (em) => enrollmentActions.countRunsFor(em, { ...ACTION, action: 'resume' }),
  (em) => enrollmentActions.countRunsFor(em, { ...ACTION, action: 'retry' }),
  (em) => enrollmentActions.countRunsFor(em, { ...ACTION, action: 'migrate', migrate: { a: null } }),
  (em) => enrollmentActions.insertAction(em, ACTION),
  (em) => enrollmentActions.countRunningActions(em, ID),
  (em) => enrollmentActions.lockAction(em, ID),
  (em) => enrollmentActions.findAction(em, ID, ID),
  (em) => enrollmentActions.listActions(em, ID, start),
  (em) => enrollmentActions.takeRuns(em, { id: ID, after_id: ID }, 1),
  (em) => enrollmentActions.lockThoseStanding(em, { ...ACTION, filter: STANDING }, [ID]),
  (em) => enrollmentActions.lockThoseStanding(em, { ...ACTION, filter: { held: 'paused' } }, [ID]),
  (em) => enrollmentActions.leaveActions(em, { project_id: ID, contact_id: ID }),
  (em) => enrollmentActions.keepAction(em, ID, { done: 1, skipped: 0, last: ID }),
  (em) => enrollmentActions.endAction(em, ID, 'completed'),
  (em) => enrollmentActions.actionStarts(em, [ID]),
  (em) => enrollmentActions.batchOfRunningActions(em, null, 1),
  (em) => enrollmentActions.runningActions(em, [ID]),
  (em) => enrollmentActions.actionsToStart(em, [ID]),
  (em) => movedRuns.leaveStep(em, ID, { step: 1, version: 1, detail: '' }),
  (em) => movedRuns.recordFinished(em, ID, { step: 1, outcome: 'sent' }),
  (em) => movedRuns.reviveRun(em, { id: ID, sequence_id: ID, contact_id: ID, sandboxed: false }, { mayBeTwice: false, now: AT }),
  (em) => bulkEnrollments.insertBulk(em, BULK),
  (em) => bulkEnrollments.lockBulk(em, ID),
  (em) => bulkEnrollments.findBulk(em, ID, ID),
  (em) => bulkEnrollments.listBulk(em, ID, start),
  (em) => bulkEnrollments.nextOfBulk(em, { ...BULK, after_created_at: AT, after_id: ID } as never, 1),
  (em) => bulkEnrollments.keepBulk(em, ID, { enrolled: 1, skipped: {}, last: { id: ID, created_at: AT } }),
  (em) => bulkEnrollments.endBulk(em, ID, 'completed'),
  (em) => bulkEnrollments.runningBulk(em, ID),
  (em) => bulkEnrollments.bulkStarts(em, [ID]),
  (em) => bulkEnrollments.batchOfRunningBulks(em, null, 1),
  (em) => bulkEnrollments.runningBulks(em, [ID]),
  (em) => bulkEnrollments.bulksToStart(em, [ID]),
  (em) => dateTriggers.setDateTriggers(em, { id: ID, project_id: ID }, [DATE_TRIGGER.rule]),
  (em) => triggerLooks.triggersToLookAt(em, 'date_triggers'),
  (em) => triggerLooks.lockLook(em, 'date_triggers', ID),
  (em) => dateTriggers.nextDated(em, { ...DATE_TRIGGER, looked_to_at: null, looked_to: null }, ['05-14']),
  (em) =>
    dateTriggers.nextDated(em, { ...DATE_TRIGGER, rule: { attribute: 'a', at: '09:00' }, looked_to_at: AT, looked_to: ID }, ['2027-05-14']),
  (em) =>
    dateTriggers.nextDated(em, { ...DATE_TRIGGER, rule: { field: 'created_at', at: '09:00' }, looked_to_at: null, looked_to: null }, [
      '2027-05-14',
    ]),
  (em) => triggerLooks.markLooked(em, 'date_triggers', ID, { id: ID, created_at: AT }),
  (em) => triggerLooks.endLook(em, 'date_triggers', ID, 1000),
  (em) => dateEntries.planEntries(em, ID, [DATE_ENTRY]),
  (em) => dateEntries.triggersWithDue(em),
  (em) => dateEntries.nextDue(em, ID, 1),
  (em) => dateEntries.settleEntries(em, ID, { enters: [DATE_ENTRY], others: [DATE_ENTRY] }),
  (em) => dateEntries.forgetEntries(em, ID),
  (em) => membershipChecks.noteChecks(em, ID, [ID], { isSandboxed: false }),
  (em) => membershipChecks.projectsToCheck(em),
  (em) => membershipChecks.takeChecks(em, ID),
  (em) => membershipLooks.lookAtSegments(em, ID, ['l']),
  (em) => triggerLooks.triggersToLookAt(em, 'segment_triggers'),
  (em) => triggerLooks.lockLook(em, 'segment_triggers', ID),
  (em) => membershipLooks.nextToLookAt(em, { ...SEGMENT_TRIGGER, looked_to_at: AT, looked_to: ID }, { filter: {}, brand_id: 'b' }),
  (em) => membershipLooks.nextToLookAt(em, { ...SEGMENT_TRIGGER, looked_to_at: null, looked_to: null }, undefined),
  (em) => triggerLooks.markLooked(em, 'segment_triggers', ID, { id: ID, created_at: AT }),
  (em) => triggerLooks.endLook(em, 'segment_triggers', ID, 1000),
  (em) => triggerLooks.endLook(em, 'segment_triggers', ID, null),
  (em) => segmentTriggers.setSegmentTriggers(em, { id: ID, project_id: ID }, ['l']),
  (em) => segmentTriggers.keepMembers(em, SEGMENT_TRIGGER, { filter: { tags: ['t'] }, brand_id: null }),
  (em) => segmentTriggers.segmentLabelled(em, ID, 'l'),
  (em) => segmentTriggers.openTriggers(em, ID),
  (em) => segmentTriggers.membershipChanges(em, SEGMENT_TRIGGER, undefined, [ID]),
  (em) => segmentTriggers.membershipChanges(em, SEGMENT_TRIGGER, { filter: { tags: ['t'] }, brand_id: null }, [ID]),
  (em) =>
    segmentTriggers.keepChanges(em, SEGMENT_TRIGGER, [
      { contact_id: ID, is_member: true },
      { contact_id: ID, is_member: false },
    ]),
  (em) => segmentTriggers.forgetMember(em, { id: ID, project_id: ID }),
  (em) => segmentTriggers.sequencesEnteredBy(em, ID, 'l'),
  (em) => dateEntries.upcomingEntries(em, ID, 1),
  (em) => segmentUses.sequencesUsing(em, ID, 'l', 1),
  (em) => segmentUses.campaignsFor(em, ID, ID, 1),
  (em) => segmentUses.recurringFor(em, ID, ID, 1),
  (em) => segmentTriggers.endedTriggers(em),
  (em) => segmentTriggers.removeEnded(em, ID),
  (em) => countTogether(em, ID, [{ filter: {}, brand_id: null }]),
  (em) => listSegments(em, ID),
  ...[...FIELD_TESTS, { event: { type: 't' } }, { email: { event: 'sent', withinHours: 1 } }].map(
    (where): Call =>
      (em) =>
        listSegmentContacts(
          em,
          { project_id: ID, filter: { where: { all: [where, { not: where }, { any: [where] }] } }, brand_id: null } as never,
          {},
          start,
        ),
  ),
  (em) => listSegmentContacts(em, { project_id: ID, filter: {}, brand_id: null }, { status: 'subscribed', tag: 'vip', q: 'ada' }, onward),

  (em) =>
    readSendFacts(em, [{ projectId: ID, template: 'welcome', recipient: { email: EMAIL }, brand: undefined, identity: { by: 'nothing' } }]),
  ...[API_GATE, SCHEDULED_GATE, CONFIRMATION_GATE, TEST_GATE].map(
    (gate): Call =>
      (em) =>
        openMany(em, gate, [intent]),
  ),
  (em) => openMany(em, STEP_GATE, [{ ...intent, cap: { count: 1, windowHours: 1 } }]),
  (em) => withdrawSend(em, ID, { at: AT }),
  (em) => withdrawSend(em, ID, { journal: ID }),
  ...[API_GATE, SCHEDULED_GATE, CONFIRMATION_GATE, TEST_GATE, STEP_GATE].map(
    (gate): Call =>
      (em) =>
        reopenSend(em, gate, intent, { openedAt: AT, mayBeSubmitted: true, isOutcomeUnknown: true }),
  ),
  (em) => leftIntents(em, { ageMs: 1, limit: 1, after: null }),
  (em) => neededJournals(em, [ID]),
  (em) => holdStands(em, ID),
  (em) => windowFacts(em, ID, { recipient: { contactId: ID }, key: 'key' }),
  (em) => windowStands(em, ID, { send_window: null, timezone: null }),
  (em) => lockHitSends(em, [ID]),
  (em) => hitsOf(em, ID, [ID]),
  (em) => writeHits(em, [hit]),
  (em) => writeUnsubscribe(em, ID, AT),
  (em) => scheduled.insertScheduled(em, ID, [newScheduled]),
  (em) => scheduled.scheduledBefore(em, ID, ['key']),
  (em) => scheduled.lockScheduled(em, ID, ID),
  (em) => scheduled.isOpened(em, ID),
  (em) => scheduled.moveScheduled(em, { id: ID, project_id: ID }, AT),
  (em) => scheduled.deleteScheduled(em, [ID]),
  (em) => scheduled.deleteScheduledTo(em, ID, { id: ID, email: 'a@b.example' }),
  (em) => scheduled.eraseScheduledCopies(em, ID, 'a@b.example'),
  (em) => scheduled.schedulingProject(em, ID),
  (em) => scheduled.takeDue(em, ID, 1),
  (em) => scheduled.putOffScheduled(em, [{ id: ID, seconds: 1 }]),
  (em) => scheduled.offerPutOff(em, ID),
  (em) => scheduled.nextDueInMs(em, ID),
  (em) => scheduled.waitingIn(em, ID),
  (em) => scheduled.listScheduled(em, ID, {}, start),
  (em) =>
    scheduled.listScheduled(
      em,
      ID,
      {
        ...{ template: 't', type: 'marketing', contactId: ID, sourceId: ID, from: AT, to: AT, q: 'a' },
        ...{ sandboxed: true, tag: 't', datum: { name: 'n', value: 'v' } },
      },
      onward,
    ),
  (em) => scheduled.findScheduled(em, ID, ID),
  (em) => scheduled.scheduledStarts(em, [ID]),
  (em) => scheduled.batchOfScheduling(em, null, 1),
  (em) => scheduled.schedulingAmong(em, [ID]),
  (em) => scheduled.schedulingToStart(em, [ID]),
  (em) => fileContents.prolongContent(em, CONTENT, AT),
  (em) => fileContents.openContent(em, { ...CONTENT, id: ID, size: 1 }),
  (em) => fileContents.markStored(em, ID, AT),
  (em) => fileContents.findContent(em, CONTENT),
  (em) => fileContents.markOver(em, 1),
  (em) => fileContents.doomedContents(em, 1),
  (em) => fileContents.forgetContents(em, [ID]),
  (em) => files.insertFile(em, { ...CONTENT, id: ID, filename: 'a.pdf', contentType: 'application/pdf' }),
  (em) => files.fileById(em, ID, ID),
  (em) => files.listFiles(em, ID, start),
  (em) => files.listFiles(em, ID, back),
  (em) => files.deleteFile(em, ID, ID),
  (em) => files.deleteExpiredFiles(em, 1),
  (em) => images.insertImage(em, { ...CONTENT, id: ID, filename: 'a.png', contentType: 'image/png', width: 1, height: 1 }),
  (em) => images.publicImage(em, { id: ID, sha256: CONTENT.sha256 }),
  (em) => images.listImages(em, ID, start),
  (em) => images.listImages(em, ID, back),
  (em) => images.deleteImage(em, ID, ID),
  (em) => savedBlocks.insertSavedBlock(em, { id: ID, projectId: ID, name: 'a', block: { type: 'divider' } }),
  (em) => savedBlocks.listSavedBlocks(em, ID),
  (em) => savedBlocks.renameSavedBlock(em, { id: ID, projectId: ID, name: 'a' }),
  (em) => savedBlocks.deleteSavedBlock(em, ID, ID),
  (em) => findSend(em, ID, ID),
  (em) => reportsOf(em, ID, [ID]),
  (em) => listSequenceVersions(em, ID, { before: 2, inUse: false, limit: 1 }),
  (em) => listSequenceVersions(em, ID, { before: undefined, inUse: true, limit: 1 }),
  (em) => findSequenceVersion(em, ID, 1),
  (em) => listTemplateVersions(em, template, { before: 2, limit: 1 }),
  (em) => listLanguages(em, template),
  (em) => publishedContents(em, template),
  (em) => retireLanguage(em, { ...template, locale: 'de' }),
  (em) => findTemplateVersion(em, template, 1),
  (em) => publicationOf(em, template, 1),
  (em) => keepCanceller(em, ID, ID),
  (em) => listSends(em, ID, {}, start),
  (em) => listSends(em, ID, { sandboxed: true }, start),
  (em) => listSends(em, ID, { sandboxed: false, deliveryStatus: 'none' }, start),
  (em) => readLeftOut(em, [{ projectId: ID, type: 'marketing', topic: 'news', emails: ['a@b.example'] }]),
  (em) => readLeftOutOf(em, ID),
  (em) => noteRefusedCopies(em, ID, [{ email: 'a@b.example', reason: 'provider_rejected', message: 'm' }]),
  (em) => listSends(em, ID, { tag: 't', datum: { name: 'n', value: 'v' } }, start),
  (em) => listSends(em, ID, { deliveryStatus: 'none', from: AT, to: AT }, start),
  (em) => listSends(em, ID, { deliveryStatus: 'queued' }, onward),
  (em) =>
    listSends(
      em,
      ID,
      { ...{ template: 't', type: 'marketing', status: 'sent', contactId: ID, sourceType: 'api', sourceId: ID, variant: 'a' }, q: 'a' },
      back,
    ),
  (em) => closeMany(em, [{ ...sent, id: ID }]),
  (em) => keepSandboxReports(em, [{ sendId: ID, nth: 1, report: 'bounced', copy: 'a@b.example' }]),
  (em) => closeMany(em, [{ ...sent, hasWebhooks: false, id: ID }]),
  (em) => closeMany(em, [{ ...(badAddress as typeof sent), id: ID }]),
  (em) => closedSend(em, ID),

  (em) => lockEnding(em, ID, { passBusy: true }),
  (em) => lockEnding(em, ID, { passBusy: false }),
  (em) => keepOthersOut(em, ID),
  (em) => lockRunsToEnd(em, ID),
  (em) => lockRunsToDelete(em, ID),
  (em) => sequences.findSequence(em, ID, 's'),
  (em) => sequences.findSequenceOf(em, ID),
  (em) => sequences.listSequences(em, ID),
  (em) => sequences.sequencesTriggeredBy(em, ID, 'signup'),
  (em) => sequences.lockSequence(em, ID, 's'),
  (em) => sequences.countEnrollments(em, ID),
  (em) => entryHistory(em, { projectId: ID, sequenceId: ID, contactId: ID, cap: { count: 1, windowHours: 1 }, now: AT }),
  (em) => suppressionOfSend(em, ID),
  (em) => withSuppressions(em, ID, [{ email: EMAIL }]),
  (em) => insertSuppression(em, { projectId: ID, email: EMAIL, reason: 'complaint', now: AT }),
  (em) => ownTemplates.createProjectTemplate(em, { ...ownTemplate, data_schema: [], content: {} as never, compiled: {} as never }),
  (em) => ownTemplates.renameProjectTemplate(em, ID, 'own', { name: 'n', description: null }),
  (em) => ownTemplates.deleteProjectTemplate(em, ID, 'own'),
  (em) => ownTemplates.holdProjectTemplate(em, ID),
  (em) => ownTemplates.projectTemplatesAt(em, ID, ['own'], AT),
  (em) => ownTemplates.lockTemplateSchema(em, ID),
  (em) => upsertTemplateSetting(em, template, { enabled: true, subject: undefined, from: undefined }),
  (em) => lockTemplateVersions(em, template),
  (em) =>
    insertTemplateVersion(em, template, {
      ...{ content: {} as never, compiled: {} as never, version: 1, publish: true, subject: '', keyId: ID },
    }),
  (em) => findLinkedContacts(em, ID, ID),
  (em) => findLinkedTest(em, ID),
];
