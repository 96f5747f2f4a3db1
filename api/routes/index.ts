import type { Route } from '../route.ts';
import * as campaigns from './campaigns/campaigns.ts';
import * as contacts from './contacts/contacts.ts';
import * as timeline from './contacts/timeline.ts';
import * as unsubscribe from './contacts/unsubscribe.ts';
import * as inbound from './inbound/inbound.ts';
import * as attention from './operations/attention.ts';
import * as health from './operations/health.ts';
import { describeRoutes } from './operations/openapi.ts';
import * as me from './projects/me.ts';
import * as vocabulary from './projects/vocabulary.ts';
import * as retries from './retries.ts';
import * as segments from './segments/segments.ts';
import * as send from './sends/send.ts';
import * as sendMail from './sends/send-mail.ts';
import * as sends from './sends/sends.ts';
import * as stats from './sends/stats.ts';
import * as enrollments from './sequences/enrollments.ts';
import * as events from './sequences/events.ts';
import * as sequenceFlow from './sequences/sequence-flow.ts';
import * as sequenceVersions from './sequences/sequence-versions.ts';
import * as sequences from './sequences/sequences.ts';
import * as simulate from './sequences/simulate.ts';
import * as suppressions from './suppressions/suppressions.ts';
import * as ownTemplates from './templates/own-templates.ts';
import * as templateTrials from './templates/template-trials.ts';
import * as templateVersions from './templates/template-versions.ts';
import * as templates from './templates/templates.ts';
import * as webhookDeliveries from './webhooks/webhook-deliveries.ts';
import * as webhooks from './webhooks/webhooks.ts';

/** In the order of the documentation. */
const described: readonly Route[] = [
  contacts.upsert,
  contacts.list,
  contacts.read,
  timeline.list,
  contacts.unsubscribe,
  contacts.erase,
  send.send,
  sends.list,
  sends.read,
  sendMail.mail,
  retries.send,
  templates.list,
  ownTemplates.create,
  templates.schema,
  templates.set,
  templates.readContent,
  templateVersions.list,
  templateVersions.read,
  templates.writeContent,
  ownTemplates.declare,
  ownTemplates.remove,
  templateTrials.preview,
  templateTrials.test,
  campaigns.create,
  campaigns.list,
  campaigns.read,
  campaigns.progress,
  campaigns.people,
  campaigns.cancel,
  campaigns.pause,
  campaigns.resume,
  retries.failures,
  retries.campaign,
  sequences.create,
  sequences.list,
  sequences.read,
  sequenceVersions.list,
  sequenceFlow.read,
  sequences.replace,
  sequences.change,
  sequences.remove,
  simulate.run,
  enrollments.enroll,
  enrollments.enrollBulk,
  enrollments.list,
  enrollments.read,
  enrollments.cancel,
  events.accept,
  segments.list,
  segments.create,
  segments.read,
  segments.change,
  segments.remove,
  segments.members,
  segments.preview,
  suppressions.list,
  suppressions.add,
  suppressions.remove,
  webhooks.list,
  webhooks.create,
  webhooks.change,
  webhooks.remove,
  webhooks.rotate,
  webhooks.ping,
  webhookDeliveries.list,
  webhookDeliveries.retry,
  webhookDeliveries.attempt,
  webhookDeliveries.attemptAll,
  me.read,
  me.listKeys,
  stats.read,
  attention.read,
  vocabulary.read,
  unsubscribe.show,
  unsubscribe.unsubscribe,
  unsubscribe.resubscribe,
  inbound.receive,
  health.health,
  health.healthByPost,
  health.ready,
];

/** The whole API, its description included. */
export const routes: readonly Route[] = [...described, describeRoutes(described)];
