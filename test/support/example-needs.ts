/** A call of the API that is no example of its own. Words of the examples stand for what is really there, as in these. */
export type Call = readonly [method: string, path: string, body?: unknown];
/** An example by its route, and by its title where the route has several. */
export type Need = string | Call;

const ENABLED: readonly Call[] = [
  ['put', '/templates/newsletter', { enabled: true }],
  ['put', '/templates/password-reset', { enabled: true }],
];
const MAILS: readonly Call[] = [
  ['put', '/templates/welcome', { enabled: true }],
  ['put', '/templates/trial-ending', { enabled: true }],
];
const ADA = 'post /contacts#One contact';
const ACTIVE: readonly Need[] = [ADA, ...MAILS, 'put /sequences/:key'];
const SCHEDULED: readonly Need[] = [ADA, ...ENABLED, 'post /campaigns#To everybody tomorrow, with two subjects'];

/** What has to be there before an example can be sent as it stands. Each begins in a new project; a need is answered as its own example says. */
export const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  'post /contacts#Several contacts': [ADA],
  'get /contacts': [ADA],
  'get /contacts/:id': [ADA],
  'post /contacts/:id/unsubscribe': [ADA],
  'delete /contacts/:id': [ADA],
  'post /send#To an address': ENABLED,
  'post /send#To a contact, with a subject of its own': [ADA, ...ENABLED],
  'get /sends': ['post /send#To an address'],
  'get /sends/:id': ['post /send#To an address', 'post /inbound/:provider/:inboundId'],
  'get /templates': ['put /templates/:key'],
  'get /templates/:key/schema': ['put /templates/:key'],
  'put /templates/:key': ['post /templates'],
  'get /templates/:key/content': ['put /templates/:key/content'],
  'get /templates/:key/versions': ['put /templates/:key/content'],
  'get /templates/:key/versions/:version': ['put /templates/:key/content'],
  'put /templates/:key/content': ['post /templates'],
  'delete /templates/:key': ['post /templates'],
  'post /templates/:key/preview': ['post /templates'],
  'post /templates/:key/test': ['post /templates'],
  'post /campaigns#To a tag, now': [ADA, ...ENABLED],
  'post /campaigns#To everybody tomorrow, with two subjects': [ADA, ...ENABLED],
  'get /campaigns': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id': ['post /campaigns#To a tag, now'],
  'post /campaigns/:id/cancel': SCHEDULED,
  'post /campaigns/:id/pause': SCHEDULED,
  'post /campaigns/:id/resume': [...SCHEDULED, 'post /campaigns/:id/pause'],
  'get /sequences': ['post /sequences'],
  'get /sequences/:key': ['put /sequences/:key'],
  'put /sequences/:key': MAILS,
  'patch /sequences/:key': ['put /sequences/:key'],
  'delete /sequences/:key': ['post /sequences'],
  'post /sequences/:key/simulate': ['put /sequences/:key'],
  'post /sequences/:key/enroll': ACTIVE,
  'post /sequences/:key/enroll/bulk': [...ACTIVE, ['post', '/contacts', { email: 'grace@example.com' }], 'post /sequences/:key/enroll'],
  'get /sequences/:key/enrollments': ['post /sequences/:key/enroll'],
  'get /sequences/:key/versions': ['put /sequences/:key'],
  'get /sequences/:key/flow': ['post /sequences/:key/enroll'],
  'get /enrollments/:id': ['post /sequences/:key/enroll'],
  'delete /enrollments/:id': ['post /sequences/:key/enroll'],
  'post /events': ACTIVE,
  'get /attention': [...SCHEDULED, 'post /campaigns/:id/pause'],
  'get /vocabulary': [ADA, ['post', '/events', { type: 'signed_up', email: 'ada@example.com' }]],
  'get /contacts/:id/timeline': [ADA, ['post', '/events', { type: 'signed_up', email: 'ada@example.com', data: { plan: 'pro' } }]],
  'get /segments': ['post /segments'],
  'post /segments': [ADA],
  'get /segments/:id': ['post /segments'],
  'get /segments/:id/contacts': ['post /segments'],
  'post /segments/preview': [ADA],
  'patch /segments/:id': ['post /segments'],
  'delete /segments/:id': ['post /segments'],
  'get /suppressions#All of them': ['post /suppressions'],
  'get /suppressions#A page of a reason': ['post /suppressions'],
  'delete /suppressions/:email': ['post /suppressions'],
  'get /webhooks': ['post /webhooks'],
  'patch /webhooks/:id': ['post /webhooks'],
  'delete /webhooks/:id': ['post /webhooks'],
  'post /webhooks/:id/rotate': ['post /webhooks'],
  'post /webhooks/:id/ping': ['post /webhooks'],
  'get /webhooks/:id/deliveries': ['post /webhooks', ADA],
  'post /webhooks/:id/deliveries/:deliveryId/retry': ['get /webhooks/:id/deliveries'],
  'get /unsubscribe': [ADA],
  'post /unsubscribe': [ADA],
  'post /resubscribe': [ADA, 'post /unsubscribe'],
  'post /inbound/:provider/:inboundId': ['post /send#To an address'],
};
