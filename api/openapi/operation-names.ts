import { capitalized } from '../../domain/shown-text.ts';
import type { Route } from '../route.ts';

type Named = Pick<Route, 'method' | 'path'>;

/** Calls that do nothing more when they are made again, besides those of which method or scope says so. */
const REPEATABLE: readonly string[] = [
  'contacts.upsert',
  'sequences.simulate',
  'sends.check',
  'templates.check',
  'webhooks.nextEvents',
  'service.postHealth',
  'pages.unsubscribe',
  'pages.confirm',
];

/** What is done with one of a collection. */
const OF_ONE: Readonly<Record<Route['method'], string>> = { get: 'get', post: 'post', put: 'replace', patch: 'update', delete: 'delete' };
/** What is done with the collection. */
const OF_ALL: Readonly<Record<Route['method'], string>> = { ...OF_ONE, get: 'list', post: 'create' };

/** Where the rule makes a name that nobody would look for. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'post /contacts': 'contacts.upsert',
  // All that is known of a person, beside the list as CSV.
  'get /contacts/:id/export': 'contacts.exportPerson',
  'post /send': 'send',
  'post /send/batch': 'sendBatch',
  'patch /sends/:id': 'sends.reschedule',
  'delete /sends/:id': 'sends.cancel',
  'get /sends/:id/attachments/:number': 'sends.attachment',
  'post /files': 'files.upload',
  'post /images': 'images.upload',
  'put /templates/:key': 'templates.enable',
  'put /templates/:key/schema': 'templates.replaceSchema',
  'put /templates/:key/content': 'templates.saveContent',
  'post /templates/:key/test': 'templates.sendTest',
  'get /campaigns/:id/people/export': 'campaigns.exportPeople',
  'post /campaigns/:id/winner': 'campaigns.chooseWinner',
  'delete /recurring-campaigns/:id': 'recurringCampaigns.end',
  'post /sequences/:key/bulk-enrollments': 'sequences.enrollSegment',
  'delete /sequences/:key/bulk-enrollments/:id': 'sequences.cancelBulkEnrollment',
  'post /sequences/:key/enroll/bulk': 'sequences.enrollMany',
  'post /sequences/:key/enrollments/actions': 'sequences.startAction',
  'get /sequences/:key/enrollments/actions': 'sequences.actions',
  'get /sequences/:key/enrollments/actions/:id': 'sequences.getAction',
  'post /sequences/:key/enrollments/actions/:id/cancel': 'sequences.cancelAction',
  'delete /enrollments/:id': 'enrollments.cancel',
  'post /events': 'events.track',
  'post /webhooks/listeners': 'webhooks.listen',
  'post /webhooks/listeners/:id/next': 'webhooks.nextEvents',
  'get /webhooks/listeners/:id/deliveries': 'webhooks.listenerDeliveries',
  'post /webhooks/:id/retries': 'webhooks.retryFailed',
  'get /webhooks/:id/retries/latest': 'webhooks.latestRetry',
  'get /me': 'me',
  'patch /project': 'project.update',
  'delete /keys/:id': 'keys.revoke',
  'put /brands/:slug': 'brands.upsert',
  'get /stats': 'stats.sends',
  'get /vocabulary': 'vocabulary.get',
  'get /confirm': 'pages.showConfirm',
  'post /confirm': 'pages.confirm',
  'get /unsubscribe': 'pages.showUnsubscribe',
  'post /unsubscribe': 'pages.unsubscribe',
  'post /resubscribe': 'pages.resubscribe',
  'get /preferences': 'pages.showPreferences',
  'post /preferences': 'pages.setPreference',
  'post /inbound/dsn/:inboundId': 'inbound.reportByMail',
  'post /inbound/:provider/:inboundId': 'inbound.report',
  'get /health': 'service.health',
  'post /health': 'service.postHealth',
  'get /ready': 'service.ready',
  'get /openapi.json': 'service.openapi',
};

/**
 * The name of an operation to programs: `contacts.list`, the group and the method of the clients that are made from the document. The group is
 * the first part of the path. The method is what is done (list, create, get, update, replace, delete), or the last part of the path, with the
 * part before it where there are two: `webhooks.retryDelivery`.
 */
export function operationNameOf(route: Named): string {
  return EXCEPTIONS[`${route.method} ${route.path}`] ?? ruledNameOf(route);
}

/** Whether a client whose answer was lost may make the call again as it was: one that reads, replaces or deletes. */
export function isRepeatable(route: Pick<Route, 'method' | 'path' | 'scope'>): boolean {
  return ['get', 'put', 'delete'].includes(route.method) || route.scope.endsWith(':read') || REPEATABLE.includes(operationNameOf(route));
}

/** The exceptions that name no route of these. */
export function unusedExceptions(routes: readonly Named[]): string[] {
  const known = new Set(routes.flatMap((route) => [`${route.method} ${route.path}`, operationNameOf(route)]));
  return [...Object.keys(EXCEPTIONS), ...REPEATABLE].filter((name) => !known.has(name));
}

function ruledNameOf({ method, path }: Named): string {
  const [group = '', ...parts] = path.split('/').filter(Boolean);
  const isOfOne = parts.at(-1)?.startsWith(':') ?? false;
  const nouns = parts.flatMap((part, at) => (part.startsWith(':') ? [] : [nounOf(part, parts[at + 1])]));
  const last = nouns.at(-1);
  const before = nouns.at(-2);
  if (last === undefined) return `${camel(group)}.${(isOfOne ? OF_ONE : OF_ALL)[method]}`;
  if (isOfOne || (method !== 'get' && method !== 'post')) return `${camel(group)}.${OF_ONE[method]}${capitalized(last)}`;
  return `${camel(group)}.${last}${before === undefined ? '' : capitalized(before)}`;
}

/** One of many where a parameter says which. */
function nounOf(part: string, next: string | undefined): string {
  const noun = camel(part);
  return next?.startsWith(':') ? noun.replace(/ies$/, 'y').replace(/s$/, '') : noun;
}

/** `saved-blocks` as `savedBlocks`. */
function camel(part: string): string {
  return part.replace(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase());
}
