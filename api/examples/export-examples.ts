import { ADA as ADAS, BRAND, CONSENT, EMAILS, IDS, NOW } from './shown-records.ts';

const HEAD =
  'id,email,first_name,last_name,display_name,status,suppressed,brand,source,tags,timezone,locale,consent.source,consent.ip,consent.user_agent,' +
  'consent.at,created_at,updated_at,attributes';
const ADA =
  `${IDS.ada},${EMAILS.ada},Ada,Lovelace,,subscribed,,${BRAND},signup-form,vip,Europe/London,,signup-form,203.0.113.7,Mozilla/5.0 (Macintosh),` +
  `${NOW},${NOW},${NOW},"{""plan"":""pro"",""seats"":5}"`;

export const contacts = [{ query: { tag: 'vip', attributes: 'plan' }, answer: `${HEAD},attributes.plan\r\n${ADA},pro\r\n` }] as const;

export const segment = [{ params: { id: IDS.segment }, answer: `${HEAD}\r\n${ADA}\r\n` }] as const;

export const sends = [
  {
    query: { status: 'failed' },
    answer:
      'id,contact_id,brand_id,to_email,template,type,subject,status,error,delivery_status,provider_id,provider,source_type,source_id,first_opened_at,' +
      'open_count,first_clicked_at,click_count,last_event_at,sandboxed,created_at,send_at,retried_as,retry_of,cc,bcc,tags,metadata,topic\r\n',
  },
] as const;

export const people = [
  {
    params: { id: IDS.campaign },
    query: { outcome: 'left_out' },
    answer:
      'contact_id,email,outcome,reason,at,delivery_status,first_opened_at,first_clicked_at,send_id\r\n' +
      `${IDS.ada},${EMAILS.ada},left_out,unsubscribed,${NOW},,,,\r\n`,
  },
] as const;

const AGREED = { consent_source: CONSENT.source, consent_ip: CONSENT.ip, consent_user_agent: CONSENT.userAgent, consent_at: NOW };

export const person = [
  {
    params: { id: IDS.ada },
    answer: {
      ...{ withMails: true, withSteps: true },
      contact: { ...ADAS, suppressed: null, ...AGREED, confirmation: null },
      suppression: null,
      ...{ topics: [], consent_changes: [], confirmations: [] },
      timeline: [
        {
          ...{ id: '8c1f5d0a7be24c0c9a55d0c1f2b7e6d4', at: NOW, kind: 'contact_created' },
          details: { source: 'signup-form', status: 'subscribed', ...AGREED, topics: null },
        },
      ],
      ...{ events: [], runs: [], left_out: [], refused_rows: [], scheduled: [], sends: [], copies: [] },
    },
  },
] as const;
