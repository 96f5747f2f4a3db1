import {
  type Call,
  type CampaignSeen,
  type DeliverySeen,
  type EnrollmentSeen,
  type Hook,
  type Mail,
  type Observed,
  type SendSeen,
  subjects,
} from './observed.ts';

/** Nothing was asked for, and nothing happened. */
export const nothing: Observed = {
  retryBaseSeconds: 1,
  deduplicates: false,
  calls: [],
  mails: [],
  hooks: [],
  sends: [],
  outcomeUnknown: [],
  campaigns: [],
  enrollments: [],
  endpoints: [],
};

export const ANN = 'ann@quick.example';
export const SUBJECT = subjects.send('s1', true);

/** A call that was answered. */
export const call = (fields: Partial<Call>): Call => ({
  kind: 'read',
  method: 'POST',
  path: '/',
  sentAt: 1_000,
  answeredAt: 2_000,
  status: 200,
  answer: {},
  ...fields,
});
export const sendCall = (fields: Partial<Call> = {}): Call =>
  call({ kind: 'send', path: '/send', key: 'k1', body: { to: ANN, subject: SUBJECT }, answer: { ok: true, id: 'm1' }, ...fields });
export const mail = (fields: Partial<Mail> = {}): Mail => ({ messageId: 'm1', to: ANN, subject: SUBJECT, receivedAt: 1_500, ...fields });
export const row = (fields: Partial<SendSeen> = {}): SendSeen => ({
  ...{
    id: 'r1',
    contact_id: null,
    to_email: ANN,
    subject: SUBJECT,
    status: 'sent',
    error: null,
    provider_id: 'm1',
    source_type: 'api',
    source_id: null,
  },
  ...fields,
});
export const outcomeUnknown: Partial<SendSeen> = { status: 'failed', error: 'outcome_unknown: cut off', provider_id: null };

export const CAMPAIGN = { subject: subjects.campaign('c1') };
export const campaign = (fields: Partial<CampaignSeen> = {}): CampaignSeen => ({
  ...{ id: 'id1', name: 'c1', status: 'sent', total_recipients: 1, sent_count: 1, failed_count: 0, skipped_count: 0, cancelled_count: 0 },
  ...fields,
});
export const campaignCall = call({
  kind: 'campaign',
  path: '/campaigns',
  key: 'k',
  status: 201,
  body: { name: 'c1', audience: { emails: [ANN] } },
  answer: { campaignId: 'id1' },
});
export const campaignRow = row({ ...CAMPAIGN, source_type: 'campaign', source_id: 'id1' });
export const ofCampaign = (kind: Call['kind'], fields: Partial<Call> = {}): Call =>
  call({ kind, path: `/campaigns/id1/${kind.split(' ')[0]}`, answer: { cancelledJobs: 0 }, ...fields });

export const STEP = { subject: subjects.step('drip', 'first', false) };
export const step = { node_id: 'first', kind: 'send_email', outcome: 'sent', detail: null } as const;
export const enrollment = (fields: Partial<EnrollmentSeen> = {}): EnrollmentSeen => ({
  ...{
    id: 'e1',
    sequence_key: 'drip',
    contact_id: 'a1',
    email: ANN,
    status: 'completed',
    end_reason: 'exit',
    waiting_for: null,
    steps: [step],
  },
  ...fields,
});
export const enrollCall = call({
  kind: 'event',
  path: '/events',
  key: 'k',
  body: { type: 'start drip', email: ANN },
  answer: { enrolled: 1, duplicate: false },
});
export const stepRow = row({ ...STEP, source_type: 'sequence', source_id: 'q1' });

export const payload = { id: 'v1', type: 'contact.subscribed', timestamp: '2026-01-01T00:00:00.000Z', data: { id: 'a1' } };
export const hook = (fields: Partial<Hook> = {}): Hook => ({
  path: '/steady',
  id: 'd1',
  isSigned: true,
  body: JSON.stringify(payload),
  at: 1_500,
  status: 200,
  ...fields,
});
export const attempt = (number: number, second: number, status: number | null = 500) => ({
  ...{ number, at: new Date(second * 1000).toISOString(), status, error: null, milliseconds: 1 },
});
export const delivery = (fields: Partial<DeliverySeen> = {}): DeliverySeen => ({
  ...{ id: 'd1', event_type: 'contact.subscribed', payload, status: 'delivered', attempts: 1, attempt_log: [attempt(1, 0, 200)] },
  ...fields,
});
export const endpoint = (...deliveries: DeliverySeen[]) => ({
  id: 'p1',
  path: '/steady',
  events: ['contact.subscribed'],
  isSteady: true,
  deliveries,
});
export const contactsCall = call({ kind: 'contacts', path: '/contacts', answer: { contacts: [{ id: 'a1' }] } });

/** One thing of each kind that was asked for and came out as promised: a mail, a campaign, an enrollment, and a delivery. */
export const sent: Observed = { ...nothing, calls: [sendCall()], mails: [mail()], sends: [row()] };
export const campaigned: Observed = {
  ...nothing,
  calls: [campaignCall],
  campaigns: [campaign()],
  mails: [mail(CAMPAIGN)],
  sends: [campaignRow],
};
export const enrolled: Observed = { ...nothing, calls: [enrollCall], enrollments: [enrollment()], mails: [mail(STEP)], sends: [stepRow] };
export const told: Observed = { ...nothing, calls: [contactsCall], hooks: [hook()], endpoints: [endpoint(delivery())] };
