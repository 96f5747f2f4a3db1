import { sql } from 'kysely';
import { IDS } from '../../api/examples/shown-records.ts';
import { row } from '../../db/rows.ts';
import { eventually } from './eventually.ts';
import { database } from './project.ts';

/** A call of the API that is no example of its own. Words of the examples stand for what is really there, as in these. */
export type Call = readonly [method: string, path: string, body?: unknown];
/** Has something be as no call can: `real` is what a word of the examples stands for. */
export type Change = (real: (shown: string) => string) => Promise<void>;
/** An example by its route, and by its title where the route has several. */
export type Need = string | Call | Change;

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
/** The mail of a campaign that lacks what its template requires. */
const LATER = 'post /send#Later';
const FAILED = 'get /sends#The failed ones of campaigns';
const DRAFT = 'post /campaigns#Kept as a draft, with what is known already';
const WRITTEN: readonly Need[] = [['post', '/contacts', { email: 'ada@example.com', tags: ['vip'] }], ...ENABLED, 'patch /campaigns/:id'];
const RECURRING = 'post /recurring-campaigns';
const ACTS = 'post /sequences/:key/enrollments/actions#All that stand at a step end';
/** As if there were so much to do that it was not over yet. */
const UNDER_WAY: Change = async (real) => {
  const em = await database();
  const again = sql`update enrollment_actions set status = 'running', ended_at = null where id = ${real(IDS.action)} and status = 'completed' returning 1`;
  await eventually(() => row(em, again));
};
const NOW_IN = 'post /sequences/:key/bulk-enrollments#Into an active sequence';
const HELD = 'post /sequences/:key/bulk-enrollments#Into a paused one, where it waits';
const IMPORTED = 'post /imports#Read at once';
const IMPORT_PAUSED = 'post /imports#Waiting for a look at its columns';
const SCHEDULED: readonly Need[] = [ADA, ...ENABLED, 'post /campaigns#To everybody tomorrow, with two subjects'];

/** What has to be there before an example can be sent as it stands. Each begins in a new project; a need is answered as its own example says. */
export const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  'post /contacts#Several contacts': [ADA],
  'get /contacts': [ADA],
  'get /contacts/:id': [ADA],
  'get /contacts/export': [ADA],
  'get /contacts/:id/export': [ADA],
  'post /contacts/:id/unsubscribe': [ADA],
  'delete /contacts/:id': [ADA],
  'post /send#To an address': ENABLED,
  'post /send#To a contact, with a subject of its own': [ADA, ...ENABLED],
  'post /send/batch': [ADA, ...ENABLED],
  'post /sends/check': [ADA],
  'post /send#With copies, headers and tags of its own': ENABLED,
  'get /sends#The newest of one template': ['post /send#To an address'],
  [FAILED]: [ADA, ...ENABLED, ['post', '/campaigns', { template: 'password-reset', audience: { mode: 'tag', tag: 'vip' } }]],
  'post /sends/:id/retry': [FAILED],
  [LATER]: ENABLED,
  'patch /sends/:id': [LATER],
  'delete /sends/:id': [LATER],
  'get /campaigns/:id/failures': [FAILED],
  'post /campaigns/:id/retry': [FAILED],
  'get /sends/:id/attachments/:number': ['post /send#With an attachment, and an image that the page shows'],
  'get /sends/:id/mail': ['post /send#To an address'],
  'get /stats#By receiver': ['post /send#To an address'],
  'get /sends/:id': ['post /send#To an address', 'post /inbound/:provider/:inboundId'],
  'get /domains/:id': ['post /domains', 'post /domains/:id/verify'],
  'post /domains/:id/verify': ['post /domains'],
  'patch /domains/:id#Signed by Ed25519 as well': ['post /domains', 'post /domains/:id/verify'],
  'patch /domains/:id#With a daily ramp': ['post /domains', 'post /domains/:id/verify'],
  'post /domains/:id/rotate': ['post /domains', 'post /domains/:id/verify'],
  'delete /domains/:id': ['post /domains'],
  'get /files': ['post /files'],
  'get /files/:id': ['post /files'],
  'get /files/:id/content': ['post /files'],
  'delete /files/:id': ['post /files'],
  'get /imports': [IMPORTED],
  'get /imports/:id': [IMPORTED],
  'get /imports/:id/refused': [IMPORTED],
  'post /imports/:id/pause': [IMPORT_PAUSED],
  'post /imports/:id/resume': [IMPORT_PAUSED],
  'post /imports/:id/cancel': [IMPORT_PAUSED],
  'get /images': ['post /images'],
  'delete /images/:id': ['post /images'],
  'get /saved-blocks': ['post /saved-blocks'],
  'patch /saved-blocks/:id': ['post /saved-blocks'],
  'delete /saved-blocks/:id': ['post /saved-blocks'],
  'get /templates': ['put /templates/:key'],
  'get /templates/:key/schema': ['put /templates/:key'],
  'put /templates/:key': ['post /templates'],
  'put /templates/:key/schema': ['post /templates'],
  'get /templates/:key/content': ['put /templates/:key/content#The default'],
  'get /templates/:key/versions': ['put /templates/:key/content#The default'],
  'get /templates/:key/versions/:version': ['put /templates/:key/content#The default'],
  'put /templates/:key/content#In German': ['put /templates/:key/content#The default'],
  'get /templates/:key/languages': ['put /templates/:key/content#In German'],
  'get /templates/:key/source': ['put /templates/:key/content#In German'],
  'post /templates/:key/check': ['post /templates'],
  'delete /templates/:key/languages/:locale': ['put /templates/:key/content#In German'],
  'put /templates/:key/content#The default': ['post /templates'],
  'patch /templates/:key': ['post /templates'],
  'delete /templates/:key': ['post /templates'],
  'post /templates/:key/preview': ['post /templates'],
  'post /templates/:key/test': ['post /templates'],
  'post /campaigns#To a tag, now': [ADA, ...ENABLED],
  'post /campaigns#To the people of a list, now': ENABLED,
  'post /campaigns#To everybody tomorrow, with two subjects': [ADA, ...ENABLED],
  'patch /campaigns/:id': [DRAFT],
  'get /campaigns/:id/audience': [DRAFT],
  'post /campaigns/:id/launch': WRITTEN,
  'post /campaigns/:id/approve': WRITTEN,
  'delete /campaigns/:id': [DRAFT],
  'get /campaigns': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id/zones': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id/progress': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id/results': ['post /campaigns#To a tag, now'],
  'get /campaigns/:id/people#Whom it was given': ['post /campaigns#To the people of a list, now'],
  'get /campaigns/:id/people#Who was left out since they have unsubscribed': [
    ['post', '/contacts', { email: 'ada@example.com', tags: ['vip'], status: 'unsubscribed' }],
    ['post', '/contacts', { email: 'grace@example.com', tags: ['vip'] }],
    ...ENABLED,
    'post /campaigns#To a tag, now',
  ],
  'get /campaigns/:id/people/export': [
    ['post', '/contacts', { email: 'ada@example.com', tags: ['vip'], status: 'unsubscribed' }],
    ['post', '/contacts', { email: 'grace@example.com', tags: ['vip'] }],
    ...ENABLED,
    'post /campaigns#To a tag, now',
  ],
  'delete /keys/:id': ['post /keys'],
  'post /campaigns/:id/cancel': SCHEDULED,
  'post /campaigns/:id/pause': SCHEDULED,
  'post /campaigns#Two subjects, of which the one with more clicks goes to the rest': [ADA, ...ENABLED],
  'post /campaigns/:id/winner': [ADA, ...ENABLED, 'post /campaigns#Two subjects, of which the one with more clicks goes to the rest'],
  'post /campaigns/:id/resume': [...SCHEDULED, 'post /campaigns/:id/pause'],
  'get /sequences': ['post /sequences'],
  'get /sequences/:key': ['put /sequences/:key'],
  'put /sequences/:key': MAILS,
  'patch /sequences/:key': ['put /sequences/:key'],
  'delete /sequences/:key': ['post /sequences'],
  'post /sequences/:key/simulate': ['put /sequences/:key'],
  'post /sequences/:key/enroll': ACTIVE,
  'post /sequences/:key/enroll/bulk': [...ACTIVE, ['post', '/contacts', { email: 'grace@example.com' }], 'post /sequences/:key/enroll'],
  [NOW_IN]: [...ACTIVE, 'post /segments'],
  [HELD]: [...ACTIVE, 'post /segments', ['patch', '/sequences/onboarding', { status: 'paused' }]],
  'get /sequences/:key/bulk-enrollments': [NOW_IN],
  'get /sequences/:key/bulk-enrollments/:id': [NOW_IN],
  'delete /sequences/:key/bulk-enrollments/:id': [HELD],
  'post /sequences/:key/enrollments/actions#How many would be moved': ACTIVE,
  [ACTS]: ACTIVE,
  'get /sequences/:key/enrollments/actions': [ACTS],
  'get /sequences/:key/enrollments/actions/:id': [ACTS],
  'post /sequences/:key/enrollments/actions/:id/cancel': [ACTS, UNDER_WAY],
  'get /sequences/:key/enrollments': ['post /sequences/:key/enroll'],
  'get /sequences/:key/versions': ['put /sequences/:key'],
  'get /sequences/:key/date-entries': [
    ...MAILS,
    [
      'post',
      '/sequences',
      {
        ...{ key: 'birthday', name: 'Birthday', status: 'active', steps: [{ template: 'welcome' }] },
        trigger: { attribute: 'birthday', every: 'year', at: '09:00', timezone: 'contact' },
      },
    ],
  ],
  'get /sequences/:key/flow': ['post /sequences/:key/enroll'],
  'get /enrollments/:id': ['post /sequences/:key/enroll'],
  'delete /enrollments/:id': ['post /sequences/:key/enroll'],
  'post /events': ACTIVE,
  'post /recurring-campaigns': ENABLED,
  'get /recurring-campaigns': [RECURRING],
  'get /recurring-campaigns/:id': [RECURRING],
  'patch /recurring-campaigns/:id': [RECURRING],
  'delete /recurring-campaigns/:id': [RECURRING],
  'get /recurring-campaigns/:id/runs': [RECURRING, 'post /recurring-campaigns/:id/skip-next'],
  'post /recurring-campaigns/:id/pause': [RECURRING],
  'post /recurring-campaigns/:id/resume': [RECURRING, 'post /recurring-campaigns/:id/pause'],
  'post /recurring-campaigns/:id/skip-next': [RECURRING],
  'post /recurring-campaigns/:id/approve': [RECURRING],
  'get /attention': [...SCHEDULED, 'post /campaigns/:id/pause'],
  'get /vocabulary': [ADA, ['post', '/events', { type: 'signed_up', email: 'ada@example.com' }]],
  'get /contacts/:id/timeline': [ADA, ['post', '/events', { type: 'signed_up', email: 'ada@example.com', data: { plan: 'pro' } }]],
  'get /segments': ['post /segments'],
  'get /segments/:id/uses': [
    'post /segments',
    [
      'post',
      '/sequences',
      {
        key: 'large-customers',
        name: 'Large customers',
        status: 'draft',
        trigger: { segment: 'Large customers' },
        steps: [{ template: 'welcome' }],
      },
    ],
    ['post', '/campaigns?draft=1', { name: 'Spring news', audience: { mode: 'segment', segmentId: IDS.segment } }],
  ],
  'post /segments': [ADA],
  'get /segments/:id': ['post /segments'],
  'get /segments/:id/contacts': ['post /segments'],
  'get /segments/:id/export': ['post /segments'],
  'post /segments/preview': [ADA],
  'patch /segments/:id': ['post /segments'],
  'delete /segments/:id': ['post /segments'],
  'get /suppressions#All of them': ['post /suppressions'],
  'get /suppressions#A page of a reason': ['post /suppressions'],
  'delete /suppressions/:email': ['post /suppressions'],
  'post /webhooks/listeners/:id/next': ['post /webhooks/listeners', ADA],
  'get /webhooks/listeners/:id/deliveries': ['post /webhooks/listeners'],
  'delete /webhooks/listeners/:id': ['post /webhooks/listeners'],
  'get /webhooks': ['post /webhooks'],
  'patch /webhooks/:id': ['post /webhooks'],
  'delete /webhooks/:id': ['post /webhooks'],
  'post /webhooks/:id/rotate': ['post /webhooks'],
  'post /webhooks/:id/ping#A ping': ['post /webhooks'],
  'post /webhooks/:id/ping#An event to try out': ['post /webhooks'],
  'post /webhooks/:id/retries': ['post /webhooks'],
  'get /webhooks/:id/retries/latest': ['post /webhooks/:id/retries'],
  'get /webhooks/:id/deliveries/:deliveryId': ['get /webhooks/:id/deliveries'],
  'get /webhooks/:id/deliveries': ['post /webhooks', ADA],
  'post /webhooks/:id/deliveries/:deliveryId/retry': ['get /webhooks/:id/deliveries'],
  'post /webhooks/:id/deliveries/:deliveryId/attempt': ['get /webhooks/:id/deliveries'],
  'post /webhooks/:id/deliveries/attempt': ['post /webhooks'],
  'get /topics': ['post /topics'],
  'get /topics/:key': ['post /topics'],
  'patch /topics/:key': ['post /topics'],
  'delete /topics/:key': ['post /topics'],
  'get /unsubscribe': [ADA],
  'post /unsubscribe': [ADA],
  'get /preferences': [ADA, 'post /topics'],
  'post /preferences': [ADA, 'post /topics'],
  'post /resubscribe': [ADA, 'post /unsubscribe'],
  'post /inbound/dsn/:inboundId': ['post /send#To an address'],
  'post /inbound/:provider/:inboundId': ['post /send#To an address'],
};
