import { mailCalls } from '../mail-calls.ts';
import { sha256 } from '../mail-server.ts';
import { type Call, groupBy, IN_FLIGHT_MS, isMarketing, type Observed, type Promised, type SendSeen } from '../observed.ts';

const mailKey = ({ to, subject }: { readonly to: string; readonly subject: string }): string => `${to} | ${subject}`;
const rowKey = ({ to_email, subject }: Pick<SendSeen, 'to_email' | 'subject'>): string => mailKey({ to: to_email, subject });
const isOutcomeUnknown = ({ status, error }: SendSeen): boolean =>
  status === 'failed' && error !== null && error.startsWith('outcome_unknown');

/** Calls of POST /send, those that batches stand for among them, by what they mean: a repeated call has the subject of the first. */
function sendsAsked({ calls }: Observed): ReadonlyMap<string, readonly Call[]> {
  return groupBy(
    mailCalls(calls).filter(({ kind }) => kind === 'send'),
    ({ body }) => body.subject as string,
  );
}

const isSettled = ({ status, answer }: Call): boolean => status === 200 || (status === 422 && answer?.code === 'send_failed');
/** What the caller was told for good. */
const outcomeOf = ({ status, answer }: Call): string => (status === 200 ? `sent ${answer.id}` : `failed ${answer.reason}`);
const UNKNOWN = 'failed outcome_unknown';
/** Surely nothing was submitted. */
const surelyNot = ({ status, answer }: Call): boolean =>
  (status === 422 && answer?.reason !== 'outcome_unknown') ||
  (status === 503 && answer?.reason === 'provider_unavailable') ||
  status === 409;

/** docs/contract/sends.md 3, 5, 11, 14 to 20. */
export const MAIL_PROMISES: readonly Promised[] = [
  {
    promise: 'no message arrives twice',
    source: 'docs/contract/sends.md 14, 22',
    find: ({ mails }) =>
      [...groupBy(mails, ({ messageId }) => messageId)]
        .filter(([, same]) => same.length > 1)
        .map(([messageId, same]) => ({ about: [messageId, same[0]!.to], message: `"${same[0]!.subject}" arrived ${same.length} times` })),
  },
  {
    promise: 'a mail that was answered 200 arrives, once',
    source: 'docs/contract/sends.md 1, 14',
    find({ calls, mails }) {
      const arrived = groupBy(mails, ({ messageId }) => messageId);
      return mailCalls(calls)
        .filter(({ kind, status }) => kind === 'send' && status === 200)
        .filter(({ answer }) => arrived.get(answer.id)?.length !== 1)
        .map(({ body, answer }) => ({ about: [answer.id, body.to], message: `it arrived ${arrived.get(answer.id)?.length ?? 0} times` }));
    },
  },
  {
    promise: 'one idempotency key makes at most one mail',
    source: 'docs/contract/sends.md 10, 11',
    find(observed) {
      const arrived = groupBy(observed.mails, ({ subject }) => subject);
      return [...sendsAsked(observed)].flatMap(([subject, calls]) => {
        const mails = arrived.get(subject) ?? [];
        if (calls[0]!.key === undefined || mails.length <= 1) return [];
        return [
          { about: [calls[0]!.key, ...mails.map(({ messageId }) => messageId)], message: `${mails.length} mails arrived for "${subject}"` },
        ];
      });
    },
  },
  {
    promise: 'every call with one key is told the same outcome, once it is known',
    source: 'docs/contract/sends.md 15 to 20 and 29, docs/contract/idempotency.md 3',
    find: (observed) =>
      [...sendsAsked(observed).values()].flatMap((calls) => {
        const outcomes = calls.filter(isSettled).map(outcomeOf);
        // Of one that was unknown the provider may have told since; what is known stays.
        const known = outcomes.findIndex((outcome) => outcome !== UNKNOWN);
        const told = new Set(known === -1 ? [] : outcomes.slice(known));
        const key = calls[0]!.key;
        return key === undefined || told.size <= 1 ? [] : [{ about: [key, calls[0]!.body.to], message: [...told].join(', then ') }];
      }),
  },
  {
    promise: 'a call that is repeated with its key is answered for good',
    source: 'docs/contract/sends.md 15: until 60 s the same key gets 409, then it has its outcome',
    find: (observed) =>
      [...sendsAsked(observed).values()].flatMap((calls) => {
        const [last, key] = [calls.at(-1)!, calls[0]!.key];
        if (key === undefined || calls.some(isSettled)) return [];
        return [
          { about: [key, last.body.to], message: `the last of ${calls.length} answers is ${last.status} ${last.answer?.code ?? ''}` },
        ];
      }),
  },
  {
    promise: 'a call without a key makes at most one mail, and none when it was refused',
    source: 'docs/contract/sends.md 3, 4, 7',
    find(observed) {
      const arrived = groupBy(observed.mails, ({ subject }) => subject);
      return [...sendsAsked(observed)].flatMap(([subject, calls]) => {
        const most = calls.filter((call) => !surelyNot(call)).length;
        const came = arrived.get(subject)?.length ?? 0;
        return came <= most ? [] : [{ about: [subject, calls[0]!.body.to], message: `${came} arrived, of at most ${most}` }];
      });
    },
  },
  {
    promise: 'a mail has the files that its call brought, byte for byte, in whichever process they came and it went',
    source: 'docs/contract/sends.md 63, docs/contract/smtp.md 13',
    find({ calls, mails }) {
      const asked = groupBy(mailCalls(calls), ({ body }) => body?.subject ?? '');
      return mails.flatMap(({ subject, messageId, to, files }) => {
        const [call] = asked.get(subject) ?? [];
        if (!call || files === undefined) return [];
        const brought = (call.body.attachments ?? []) as readonly { readonly content: string }[];
        const expected = brought.map(({ content }) => sha256(Buffer.from(content, 'base64')));
        return String(files) === String(expected)
          ? []
          : [{ about: [messageId, to], message: `it has ${files.length} files, or others than the ${expected.length} of its call` }];
      });
    },
  },
  {
    promise: 'every mail that arrived has its row',
    source: 'docs/contract/sends.md 14: nothing disappears without a row',
    find({ mails, sends, outcomeUnknown }) {
      const sent = new Set(sends.map(({ provider_id }) => provider_id));
      const unknowns = groupBy([...sends.filter(isOutcomeUnknown), ...outcomeUnknown], rowKey);
      const unexplained = groupBy(
        mails.filter(({ messageId }) => !sent.has(messageId)),
        mailKey,
      );
      return [...unexplained].flatMap(([key, same]) => {
        const rows = unknowns.get(key)?.length ?? 0;
        if (same.length <= rows) return [];
        return [
          {
            about: [key, ...same.map(({ messageId }) => messageId)],
            message: `${same.length} arrived, ${rows} rows have an unknown outcome`,
          },
        ];
      });
    },
  },
  {
    promise: 'every row that says sent has arrived, and no other',
    source: 'docs/contract/sends.md 7, 16, 20',
    find({ mails, sends, outcomeUnknown }) {
      const arrived = new Set(mails.map(({ messageId }) => messageId));
      const known = groupBy(sends, rowKey);
      const open = groupBy(outcomeUnknown, rowKey);
      const missing = sends
        .filter(({ status, provider_id }) => status === 'sent' && !arrived.has(provider_id ?? ''))
        .map((row) => ({ about: [row.id, row.to_email], message: `"${row.subject}" is called sent and did not arrive` }));
      const refused = [...groupBy(mails, mailKey)].flatMap(([key, same]) => {
        const rows = known.get(key) ?? [];
        const may = rows.filter((row) => row.status === 'sent' || isOutcomeUnknown(row)).length + (open.get(key)?.length ?? 0);
        return rows.length === 0 || same.length <= may
          ? []
          : [{ about: [key, rows[0]!.id], message: 'it arrived, and its row says that it failed' }];
      });
      return [...missing, ...refused];
    },
  },
  {
    promise: 'a mail of unknown outcome gets its outcome, unless its provider can still tell',
    source: 'docs/contract/sends.md 17, 18',
    find: ({ deduplicates, outcomeUnknown }) =>
      deduplicates
        ? []
        : outcomeUnknown.map(({ id, to_email, subject }) => ({ about: [id, to_email], message: `the row of "${subject}" has no outcome` })),
  },
  {
    promise: 'nothing goes to a suppressed address',
    source: 'docs/contract/sends.md 5, docs/contract/events.md 18, docs/contract/campaigns.md 15, docs/contract/suppressions.md 1',
    find: (observed) =>
      stopped(
        observed,
        observed.calls
          .filter(({ kind, status }) => kind === 'suppress' && status === 201)
          .map((call) => [call.body.email as string, call] as const),
        () => true,
      ),
  },
  {
    promise: 'no marketing goes to who has unsubscribed',
    source: 'docs/contract/sends.md 5, docs/contract/events.md 18, docs/contract/campaigns.md 15, docs/contract/unsubscribe.md 5',
    find: (observed) =>
      stopped(
        observed,
        observed.calls.filter(({ kind, status }) => kind === 'unsubscribe' && status === 200).map((call) => [call.about!, call] as const),
        isMarketing,
      ),
  },
  {
    promise: 'every answer is one of the contract',
    source: 'docs/contract/http.md 16, 23, 28',
    find: ({ calls }) =>
      mailCalls(calls)
        .filter((call) => call.status !== null && !isExpected(call))
        .map(({ method, path, key, about, status, answer }) => ({
          about: [path, key, about, answer?.requestId].filter((text) => text !== undefined),
          message: `${method} was answered ${status}: ${JSON.stringify(answer)?.slice(0, 300)}`,
        })),
  },
];

/** Mails that came too late, or by a call that came after the answer. */
function stopped(
  { mails, calls }: Observed,
  answers: readonly (readonly [to: string, call: Call])[],
  concerns: (subject: string) => boolean,
) {
  const arrived = groupBy(mails, ({ to }) => to);
  const asked = groupBy(
    mailCalls(calls).filter(({ kind }) => kind === 'send'),
    ({ body }) => body.subject as string,
  );
  return answers.flatMap(([to, { answeredAt }]) =>
    (arrived.get(to) ?? [])
      .filter(({ subject }) => concerns(subject))
      .filter(({ subject, receivedAt }) => {
        const firstAskedAt = Math.min(...(asked.get(subject) ?? []).map(({ sentAt }) => sentAt));
        return receivedAt > answeredAt + IN_FLIGHT_MS || (Number.isFinite(firstAskedAt) && firstAskedAt > answeredAt);
      })
      .map(({ messageId, subject, receivedAt }) => ({
        about: [to, messageId],
        message: `"${subject}" arrived ${receivedAt - answeredAt} ms after the answer`,
      })),
  );
}

/** Codes that a call of this kind may be answered with, beside success and what any call may get while servers are away. */
const MAY_BE: Partial<Record<Call['kind'], readonly string[]>> = {
  send: ['send_failed', 'idempotency_in_progress'],
  schedule: ['idempotency_in_progress'],
  'move send': ['invalid_status', 'not_found'],
  'cancel send': ['invalid_status', 'not_found'],
  event: ['contact_unsubscribed', 'idempotency_in_progress'],
  campaign: ['idempotency_in_progress'],
  'cancel enrollment': ['not_found'],
  'pause campaign': ['invalid_status'],
  'resume campaign': ['invalid_status'],
  'cancel campaign': ['already_sent'],
};

function isExpected({ kind, status, answer }: Call): boolean {
  if (status! < 300) return true;
  if (status === 503) return answer?.code === 'unavailable' || answer?.code === 'send_failed' || answer?.code === 'not_ready';
  return status! < 500 && (MAY_BE[kind]?.includes(answer?.code) ?? false);
}
