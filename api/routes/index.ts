import type { Route } from '../route.ts';
import * as attention from './attention.ts';
import * as campaigns from './campaigns.ts';
import * as contacts from './contacts.ts';
import * as enrollments from './enrollments.ts';
import * as events from './events.ts';
import * as health from './health.ts';
import * as inbound from './inbound.ts';
import * as me from './me.ts';
import { describeRoutes } from './openapi.ts';
import * as ownTemplates from './own-templates.ts';
import * as retries from './retries.ts';
import * as segments from './segments.ts';
import * as send from './send.ts';
import * as sendMail from './send-mail.ts';
import * as sends from './sends.ts';
import * as sequenceFlow from './sequence-flow.ts';
import * as sequenceVersions from './sequence-versions.ts';
import * as sequences from './sequences.ts';
import * as simulate from './simulate.ts';
import * as stats from './stats.ts';
import * as suppressions from './suppressions.ts';
import * as templateTrials from './template-trials.ts';
import * as templateVersions from './template-versions.ts';
import * as templates from './templates.ts';
import * as timeline from './timeline.ts';
import * as unsubscribe from './unsubscribe.ts';
import * as vocabulary from './vocabulary.ts';
import * as webhookDeliveries from './webhook-deliveries.ts';
import * as webhooks from './webhooks.ts';

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
