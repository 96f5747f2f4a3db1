import type { Route } from '../route.ts';
import { routes as campaignDrafts } from './campaigns/campaign-drafts.ts';
import { routes as campaignPeople } from './campaigns/campaign-people.ts';
import { routes as campaignResults } from './campaigns/campaign-results.ts';
import { routes as campaignRetries } from './campaigns/campaign-retries.ts';
import { routes as campaignWinners } from './campaigns/campaign-winners.ts';
import { routes as campaignZones } from './campaigns/campaign-zones.ts';
import { routes as campaigns } from './campaigns/campaigns.ts';
import { routes as peopleExports } from './campaigns/people-exports.ts';
import { routes as recurringActions } from './campaigns/recurring-actions.ts';
import { routes as recurringCampaigns } from './campaigns/recurring-campaigns.ts';
import { routes as confirm } from './contacts/confirm.ts';
import { routes as contactData } from './contacts/contact-data.ts';
import { routes as contactExports } from './contacts/contact-exports.ts';
import { routes as contacts } from './contacts/contacts.ts';
import { routes as imports } from './contacts/imports.ts';
import { routes as timeline } from './contacts/timeline.ts';
import { routes as topics } from './contacts/topics.ts';
import { routes as unsubscribe } from './contacts/unsubscribe.ts';
import { routes as domains } from './domains/domains.ts';
import { routes as files } from './files/files.ts';
import { routes as images } from './files/images.ts';
import { routes as inbound } from './inbound/inbound.ts';
import { routes as attention } from './operations/attention.ts';
import { routes as health } from './operations/health.ts';
import { describeRoutes } from './operations/openapi.ts';
import { routes as brands } from './projects/brands.ts';
import { routes as keys } from './projects/keys.ts';
import { routes as me } from './projects/me.ts';
import { routes as project } from './projects/project.ts';
import { routes as vocabulary } from './projects/vocabulary.ts';
import { routes as segmentExports } from './segments/segment-exports.ts';
import { routes as segmentUses } from './segments/segment-uses.ts';
import { routes as segments } from './segments/segments.ts';
import { routes as contactStats } from './sends/contact-stats.ts';
import { routes as mailBatch } from './sends/mail-batch.ts';
import { routes as scheduledSends } from './sends/scheduled-sends.ts';
import { routes as send } from './sends/send.ts';
import { routes as sendAttachments } from './sends/send-attachments.ts';
import { routes as sendCheck } from './sends/send-check.ts';
import { routes as sendExports } from './sends/send-exports.ts';
import { routes as sendMail } from './sends/send-mail.ts';
import { routes as sendRetry } from './sends/send-retry.ts';
import { routes as sends } from './sends/sends.ts';
import { routes as stats } from './sends/stats.ts';
import { routes as bulkEnrollments } from './sequences/bulk-enrollments.ts';
import { routes as dateEntries } from './sequences/date-entries.ts';
import { routes as enrollmentActions } from './sequences/enrollment-actions.ts';
import { routes as enrollments } from './sequences/enrollments.ts';
import { routes as events } from './sequences/events.ts';
import { routes as linearSequences } from './sequences/linear-sequences.ts';
import { routes as sequenceFlow } from './sequences/sequence-flow.ts';
import { routes as sequenceStarters } from './sequences/sequence-starters.ts';
import { routes as sequenceVersions } from './sequences/sequence-versions.ts';
import { routes as sequences } from './sequences/sequences.ts';
import { routes as simulate } from './sequences/simulate.ts';
import { routes as suppressions } from './suppressions/suppressions.ts';
import { routes as ownTemplates } from './templates/own-templates.ts';
import { routes as savedBlocks } from './templates/saved-blocks.ts';
import { routes as templateContent } from './templates/template-content.ts';
import { routes as templateLanguages } from './templates/template-languages.ts';
import { routes as templateSource } from './templates/template-source.ts';
import { routes as templateTrials } from './templates/template-trials.ts';
import { routes as templateVersions } from './templates/template-versions.ts';
import { routes as templates } from './templates/templates.ts';
import { routes as webhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { routes as webhookListeners } from './webhooks/webhook-listeners.ts';
import { routes as webhookRetries } from './webhooks/webhook-retries.ts';
import { routes as webhooks } from './webhooks/webhooks.ts';

/** In the order of the documentation. A route is declared in its file, which lists it. */
const described: readonly Route[] = [
  // Before what has an id in that place.
  ...contactExports,
  ...contacts,
  ...contactData,
  ...timeline,
  ...topics,
  ...imports,
  ...send,
  ...mailBatch,
  ...sendCheck,
  ...sendExports,
  ...sends,
  ...scheduledSends,
  ...sendMail,
  ...sendAttachments,
  ...sendRetry,
  ...files,
  ...images,
  ...templates,
  ...templateContent,
  ...ownTemplates,
  ...templateLanguages,
  ...templateVersions,
  ...templateTrials,
  ...templateSource,
  ...savedBlocks,
  ...campaigns,
  ...campaignPeople,
  ...peopleExports,
  ...campaignDrafts,
  ...campaignResults,
  ...campaignWinners,
  ...campaignZones,
  ...campaignRetries,
  ...recurringCampaigns,
  ...recurringActions,
  ...linearSequences,
  ...sequences,
  ...dateEntries,
  ...sequenceVersions,
  ...sequenceFlow,
  ...sequenceStarters,
  ...simulate,
  ...bulkEnrollments,
  ...enrollmentActions,
  ...enrollments,
  ...events,
  ...segments,
  ...segmentExports,
  ...segmentUses,
  ...suppressions,
  ...webhookListeners,
  ...webhooks,
  ...webhookDeliveries,
  ...webhookRetries,
  ...me,
  ...project,
  ...keys,
  ...brands,
  ...domains,
  ...stats,
  ...contactStats,
  ...attention,
  ...vocabulary,
  ...confirm,
  ...unsubscribe,
  ...inbound,
  ...health,
];

/** The whole API, its description included. */
export const routes: readonly Route[] = [...described, describeRoutes(described)];
