import type { Call, Observed } from './observed.ts';
import { ANN, call, mail, nothing, row, SUBJECT, sendCall } from './observed-facts.ts';

const at = (milliseconds: number): string => new Date(milliseconds).toISOString();
const body = { to: ANN, subject: SUBJECT, sendAt: at(3_000) };
const scheduleCall = (fields: Partial<Call> = {}): Call =>
  sendCall({ kind: 'schedule', body, status: 202, answer: { ok: true, id: 'r1', status: 'scheduled' }, ...fields });
const about = (kind: 'move send' | 'cancel send', fields: Partial<Call> = {}): Call => call({ kind, path: '/sends/r1', ...fields });
const arrived = [mail({ receivedAt: 3_100 })];

/** A mail that went when it was to, and how else it may be. */
const scheduled: Observed = { ...nothing, calls: [scheduleCall()], mails: arrived, sends: [row()] };
const cancelled: Observed = {
  ...nothing,
  calls: [scheduleCall(), about('cancel send', { status: null }), about('cancel send', { status: 404, answer: { code: 'not_found' } })],
};
const movedTo = (milliseconds: number, fields: Partial<Call> = {}): Call =>
  about('move send', { body: { sendAt: at(milliseconds) }, ...fields });

const [one, bad] = [
  { to: ANN, subject: SUBJECT },
  { to: ANN, subject: 't send bad', template: 'no-such-template' },
];
const [good, refused] = [
  { ok: true, id: 'm1' },
  { ok: false, code: 'unknown_template' },
];
const batchCall = (results: readonly object[], fields: Partial<Call> = {}): Call =>
  call({ kind: 'batch', path: '/send/batch', key: 'k1', body: { mails: [one, bad] }, answer: { results }, ...fields });
const batched: Observed = { ...nothing, calls: [batchCall([good, refused])], mails: [mail()], sends: [row()] };

/** As promised. */
export const KEPT_LATER: readonly (readonly [string, Observed])[] = [
  ['a scheduled mail', scheduled],
  ['one whose call was repeated', { ...scheduled, calls: [scheduleCall({ status: null, answer: undefined }), scheduleCall()] }],
  ['one that was cancelled', cancelled],
  [
    'one that went before it could be cancelled',
    { ...scheduled, calls: [scheduleCall(), about('cancel send', { status: 422, answer: { code: 'invalid_status' } })] },
  ],
  ['one that was moved, perhaps', { ...scheduled, calls: [scheduleCall(), movedTo(9_000, { status: null })] }],
  ['a batch', batched],
  ['a batch that was repeated', { ...batched, calls: [batchCall([{ ok: false, code: 'unavailable' }, refused]), ...batched.calls] }],
];

/** For each promise about them observations in which it is broken. */
export const BROKEN_LATER: Readonly<Record<string, readonly Observed[]>> = {
  'a call for a scheduled mail makes at most one, and one key has one id': [
    { ...scheduled, calls: [scheduleCall(), scheduleCall({ answer: { ok: true, id: 'r2' } })] },
    { ...scheduled, mails: [...arrived, mail({ messageId: 'm2', receivedAt: 3_200 })] },
    { ...scheduled, calls: [scheduleCall({ key: undefined })], mails: [...arrived, mail({ messageId: 'm2', receivedAt: 3_200 })] },
  ],
  'a scheduled mail that nobody cancelled has its row in the end': [
    { ...scheduled, sends: [] },
    { ...cancelled, calls: [scheduleCall(), about('cancel send', { status: 422, answer: { code: 'invalid_status' } })] },
  ],
  'a scheduled mail that was cancelled never goes': [
    { ...cancelled, mails: arrived },
    { ...cancelled, sends: [row()] },
  ],
  'a scheduled mail goes no sooner than it is to': [
    { ...scheduled, mails: [mail({ receivedAt: 2_900 })] },
    { ...scheduled, calls: [scheduleCall(), movedTo(9_000)] },
  ],
  'each mail of a batch has its answer, and a bad one fails alone': [
    { ...batched, calls: [batchCall([refused, refused])] },
    { ...batched, calls: [batchCall([good])] },
    { ...batched, calls: [batchCall([good, good])] },
  ],
  // Of a mail of a batch as of a single one.
  'a mail that was answered 200 arrives, once': [{ ...batched, mails: [] }],
  'a call that is repeated with its key is answered for good': [
    { ...batched, calls: [batchCall([], { status: 503, answer: { code: 'unavailable' } })] },
  ],
};
