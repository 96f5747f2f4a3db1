import { describe, expect, test } from 'vitest';
import { check, PROMISES } from './check.ts';
import { IN_FLIGHT_MS, type Observed } from './observed.ts';
import {
  ANN,
  attempt,
  CAMPAIGN,
  call,
  campaign,
  campaignCall,
  campaigned,
  campaignRow,
  contactsCall,
  delivery,
  endpoint,
  enrollCall,
  enrolled,
  enrollment,
  hook,
  mail,
  nothing,
  ofCampaign,
  outcomeUnknown,
  payload,
  row,
  STEP,
  SUBJECT,
  sendCall,
  sent,
  step,
  stepRow,
  told,
} from './observed-facts.ts';
import { BROKEN_LATER, KEPT_LATER } from './scheduled-facts.ts';

describe('what is as promised is found to be so', () => {
  test.each([
    ['nothing at all', nothing],
    ['a mail', sent],
    [
      'a call of unknown outcome that was repeated until the provider told',
      { ...sent, calls: [sendCall({ status: 422, answer: { code: 'send_failed', reason: 'outcome_unknown' } }), sendCall()] },
    ],
    ['a call that broke and was repeated', { ...sent, calls: [sendCall({ status: null, answer: undefined }), sendCall()] }],
    [
      'a mail of unknown outcome that arrived',
      {
        ...sent,
        calls: [sendCall({ status: 422, answer: { code: 'send_failed', reason: 'outcome_unknown' } })],
        sends: [row(outcomeUnknown)],
      },
    ],
    [
      'a mail of unknown outcome whose provider can still tell',
      {
        ...sent,
        calls: [sendCall({ key: undefined, status: null, answer: undefined })],
        ...{ deduplicates: true, sends: [], outcomeUnknown: [{ id: 'r1', to_email: ANN, subject: SUBJECT }] },
      },
    ],
    ...KEPT_LATER,
    ['a campaign', campaigned],
    [
      'a cancelled campaign',
      {
        ...campaigned,
        calls: [campaignCall, ofCampaign('cancel campaign', { answer: { cancelledJobs: 2 } })],
        campaigns: [campaign({ status: 'cancelled', total_recipients: 3, cancelled_count: 2 })],
      },
    ],
    ['an enrollment', enrolled],
    ['a delivery', told],
    [
      'one that failed six times',
      {
        ...told,
        hooks: [hook({ status: null })],
        endpoints: [
          endpoint(
            delivery({
              status: 'failed',
              attempts: 6,
              attempt_log: [0, 1, 3, 7, 15, 31].map((second, index) => attempt(index + 1, second)),
            }),
          ),
        ],
      },
    ],
  ] as [string, Observed][])('%s', (_, observed) => {
    expect(check(observed)).toEqual([]);
  });
});

/** For each promise observations in which it is broken. */
const BROKEN: Readonly<Record<string, readonly Observed[]>> = {
  'no message arrives twice': [{ ...sent, mails: [mail(), mail({ receivedAt: 1_600 })] }],
  'a mail that was answered 200 arrives, once': [{ ...sent, mails: [] }],
  'one idempotency key makes at most one mail': [
    { ...sent, calls: [sendCall({ status: null }), sendCall()], mails: [mail(), mail({ messageId: 'm2' })] },
  ],
  'every call with one key is told the same outcome, once it is known': [
    { ...sent, calls: [sendCall(), sendCall({ status: 422, answer: { code: 'send_failed', reason: 'outcome_unknown' } })] },
    { ...sent, calls: [sendCall(), sendCall({ answer: { id: 'm2' } })] },
  ],
  'a call that is repeated with its key is answered for good': [
    { ...sent, calls: [sendCall({ status: null }), sendCall({ status: 409, answer: { code: 'idempotency_in_progress' } })] },
  ],
  'a call without a key makes at most one mail, and none when it was refused': [
    { ...sent, calls: [sendCall({ key: undefined, status: 422, answer: { code: 'send_failed', reason: 'suppressed' } })] },
    { ...sent, calls: [sendCall({ key: undefined })], mails: [mail(), mail({ messageId: 'm2' })] },
  ],
  'every mail that arrived has its row': [
    { ...sent, sends: [] },
    { ...sent, mails: [mail({ messageId: 'm0' }), mail({ messageId: 'm2' })], sends: [row(outcomeUnknown)] },
  ],
  'every row that says sent has arrived, and no other': [
    { ...sent, mails: [] },
    { ...sent, sends: [row({ status: 'failed', error: 'provider_rejected', provider_id: null })] },
  ],
  'a mail of unknown outcome gets its outcome, unless its provider can still tell': [
    { ...sent, sends: [], outcomeUnknown: [{ id: 'r1', to_email: ANN, subject: SUBJECT }] },
  ],
  'nothing goes to a suppressed address': [
    { ...sent, calls: [call({ kind: 'suppress', status: 201, body: { email: ANN }, answeredAt: 900 }), sendCall()] },
    {
      ...enrolled,
      calls: [enrollCall, call({ kind: 'suppress', status: 201, body: { email: ANN } })],
      mails: [mail({ ...STEP, receivedAt: 2_001 + IN_FLIGHT_MS })],
    },
  ],
  'no marketing goes to who has unsubscribed': [
    { ...sent, calls: [call({ kind: 'unsubscribe', about: ANN, answeredAt: 900 }), sendCall()] },
  ],
  'every answer is one of the contract': [
    { ...nothing, calls: [call({ status: 500, answer: { code: 'internal' } })] },
    { ...nothing, calls: [call({ kind: 'event', body: { type: 'left' }, status: 404, answer: { code: 'not_found' } })] },
  ],
  'a campaign that was accepted is there, once': [
    { ...campaigned, campaigns: [] },
    { ...campaigned, campaigns: [campaign(), campaign({ id: 'id2', total_recipients: 0, sent_count: 0 })] },
  ],
  'every campaign comes to its end': [{ ...campaigned, campaigns: [campaign({ status: 'sending' })] }],
  'at its end every recipient of a campaign is settled': [
    { ...campaigned, campaigns: [campaign({ total_recipients: 2 })] },
    { ...campaigned, campaigns: [campaign({ sent_count: 0, skipped_count: 1 })] },
    { ...campaigned, campaigns: [campaign({ status: 'failed' })] },
  ],
  'a campaign has one row and one mail for a contact, and none for others': [
    { ...campaigned, sends: [campaignRow, campaignRow] },
    { ...campaigned, mails: [mail(CAMPAIGN), mail({ ...CAMPAIGN, to: 'eve@quick.example' })] },
  ],
  'a mail has the files that its call brought, byte for byte, in whichever process they came and it went': [
    { ...sent, mails: [mail({ files: ['5f'] })] },
    {
      ...sent,
      calls: [sendCall({ body: { to: ANN, subject: SUBJECT, attachments: [{ content: 'aGk=' }] } })],
      mails: [mail({ files: [] })],
    },
  ],
  'after a campaign was cancelled nobody gets it, and the number that was answered never do': [
    {
      ...campaigned,
      calls: [campaignCall, ofCampaign('cancel campaign')],
      campaigns: [campaign({ status: 'cancelled' })],
      mails: [mail({ ...CAMPAIGN, receivedAt: 2_001 })],
    },
    {
      ...campaigned,
      calls: [campaignCall, ofCampaign('cancel campaign', { answer: { cancelledJobs: 2 } })],
      campaigns: [campaign({ status: 'cancelled' })],
    },
    { ...campaigned, calls: [campaignCall, ofCampaign('cancel campaign')] },
  ],
  'a paused campaign sends nothing until it is resumed': [
    {
      ...campaigned,
      calls: [campaignCall, ofCampaign('pause campaign'), ofCampaign('resume campaign', { sentAt: 60_000 })],
      mails: [mail({ ...CAMPAIGN, receivedAt: 2_001 + IN_FLIGHT_MS })],
    },
  ],
  'an event that was accepted enrolls, once for a key': [
    { ...enrolled, enrollments: [] },
    { ...enrolled, enrollments: [enrollment(), enrollment({ id: 'e2', steps: [] })] },
    { ...enrolled, enrollments: [], calls: [{ ...enrollCall, answer: { enrolled: 0, duplicate: true } }] },
  ],
  'every enrollment comes to its end': [{ ...enrolled, enrollments: [enrollment({ status: 'active', end_reason: null })] }],
  'no enrollment ends but as its sequence or a caller wants it': [
    { ...enrolled, enrollments: [enrollment({ status: 'cancelled', end_reason: 'failed' })] },
  ],
  'a step is done once per visit': [
    { ...enrolled, mails: [mail(STEP), mail({ ...STEP, messageId: 'm2' })] },
    { ...enrolled, sends: [stepRow, row({ ...STEP, id: 'r2', ...outcomeUnknown })] },
    { ...enrolled, enrollments: [enrollment({ steps: [step, step] })] },
  ],
  'the outcome of a mail step is what came of it': [
    { ...enrolled, sends: [], mails: [] },
    { ...enrolled, enrollments: [enrollment({ steps: [{ ...step, outcome: 'skipped' }] })] },
  ],
  'a webhook node that was called has called, under the id of its visit, and no other visit has': [
    {
      ...nothing,
      enrollments: [enrollment({ steps: [{ node_id: 'hook', kind: 'webhook', outcome: 'called', detail: null }] })],
      hooks: [hook({ path: '/node', id: 'e1.hook.1', status: 500 })],
    },
    { ...enrolled, hooks: [hook({ path: '/node', id: 'e1.hook.1' })] },
  ],
  'after a cancellation nothing more goes out': [
    {
      ...enrolled,
      calls: [enrollCall, call({ kind: 'cancel enrollment', path: '/enrollments/e1' })],
      mails: [mail({ ...STEP, receivedAt: 2_001 })],
    },
    {
      ...enrolled,
      calls: [
        enrollCall,
        call({ kind: 'event', body: { type: 'left', email: ANN, exitSequences: ['drip'] }, answer: { exited: 1, enrolled: 0 } }),
      ],
      mails: [mail({ ...STEP, receivedAt: 2_001 })],
    },
  ],
  'an event that re-arms a wait is the one that ends it': [
    {
      ...nothing,
      calls: [call({ kind: 'event', body: { type: 'go', email: ANN }, answer: { reArmed: 1, duplicate: false } })],
      enrollments: [enrollment({ steps: [{ node_id: 'until', kind: 'wait_until', outcome: 'timeout', detail: null }] })],
    },
  ],
  'every delivery is settled: by a 2xx, or by six attempts': [
    { ...told, endpoints: [endpoint(delivery({ status: 'pending' }))] },
    { ...told, hooks: [hook({ status: 500 })] },
    { ...told, endpoints: [endpoint(delivery({ status: 'failed', attempt_log: [attempt(1, 0)] }))] },
  ],
  'no delivery is made more often than its attempts say, and none has more than six': [
    { ...told, hooks: [hook(), hook()] },
    { ...told, endpoints: [endpoint(delivery({ attempts: 7 }))] },
  ],
  'the pauses between attempts are kept': [
    {
      ...told,
      hooks: [hook({ status: 500 }), hook()],
      endpoints: [endpoint(delivery({ attempts: 2, attempt_log: [attempt(1, 0), attempt(2, 0.5, 200)] }))],
    },
  ],
  'every attempt has the same body, and is signed': [
    { ...told, hooks: [hook({ body: '{}' })] },
    { ...told, hooks: [hook({ isSigned: false })] },
    {
      ...told,
      hooks: [hook({ status: 500, body: '{}' }), hook()],
      endpoints: [endpoint(delivery({ attempts: 2, attempt_log: [attempt(1, 0), attempt(2, 1, 200)] }))],
    },
  ],
  'nothing comes that is no delivery of the endpoint': [{ ...told, hooks: [hook(), hook({ id: 'd2' })] }],
  'each event is told once to each endpoint, under one id to all': [
    { ...told, hooks: [hook(), hook({ id: 'd2' })], endpoints: [endpoint(delivery(), delivery({ id: 'd2' }))] },
    {
      ...told,
      endpoints: [endpoint(delivery()), { ...endpoint(delivery({ payload: { ...payload, id: 'v2' } })), path: '/other', id: 'p2' }],
    },
  ],
  'everything that happened is told, and nothing else': [
    { ...told, endpoints: [endpoint()], hooks: [] },
    {
      ...told,
      endpoints: [
        endpoint(delivery(), delivery({ id: 'd2', event_type: 'email.sent', payload: { ...payload, id: 'v2', data: { send_id: 'r9' } } })),
      ],
    },
  ],
  'nothing goes to an endpoint that was deleted, or is disabled': [
    {
      ...told,
      calls: [contactsCall, call({ kind: 'delete endpoint', path: '/webhooks/p1', method: 'DELETE' })],
      hooks: [hook({ at: 50_000 })],
    },
    {
      ...told,
      calls: [
        contactsCall,
        call({ kind: 'change endpoint', path: '/webhooks/p1', body: { enabled: false } }),
        call({ kind: 'change endpoint', path: '/webhooks/p1', body: { enabled: true }, sentAt: 60_000 }),
      ],
      hooks: [hook({ at: 50_000 })],
    },
  ],
};

test.each(PROMISES.map(({ promise }) => promise))('it is found when this is broken: %s', (promise) => {
  const cases = [...(BROKEN[promise] ?? []), ...(BROKEN_LATER[promise] ?? [])];
  expect(cases.length).toBeGreaterThan(0);
  for (const observed of cases) expect(check(observed).map((violation) => violation.promise)).toContain(promise);
});
