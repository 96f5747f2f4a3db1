import { mailCalls, NO_TEMPLATE } from '../mail-calls.ts';
import { type Call, groupBy, type Observed, type Promised } from '../observed.ts';

const asksFor = (kind: Call['kind']) => (call: Call) => call.kind === kind;

/** A mail that was to go later, with all that was asked about it. */
interface Scheduled {
  readonly subject: string;
  readonly calls: readonly Call[];
  /** Each that was answered, once. */
  readonly ids: readonly string[];
  readonly moves: readonly Call[];
  readonly cancels: readonly Call[];
}

/** By their subjects, which a repeated call has again. */
function scheduledIn({ calls }: Observed): readonly Scheduled[] {
  const about = groupBy(
    calls.filter((call) => asksFor('move send')(call) || asksFor('cancel send')(call)),
    ({ path }) => path,
  );
  return [...groupBy(mailCalls(calls).filter(asksFor('schedule')), ({ body }) => body.subject as string)].map(([subject, asked]) => {
    const ids = [...new Set(asked.filter(({ status }) => status === 202).map(({ answer }) => answer.id as string))];
    const changes = ids.flatMap((id) => about.get(`/sends/${id}`) ?? []);
    return { subject, calls: asked, ids, moves: changes.filter(asksFor('move send')), cancels: changes.filter(asksFor('cancel send')) };
  });
}

/** A call that was answered so did nothing; of any other it is not known or it did. */
const didNothing = ({ status }: Call): boolean => status === 422;
/** Repeated after a lost answer it is not found. */
const isCancelled = ({ cancels }: Scheduled): boolean => cancels.some(({ status }) => status === 200 || status === 404);

/** The instant before which it must not go, by the last answer that is sure. */
function notBefore({ calls, moves }: Scheduled): number {
  const instants = [
    { sendAt: calls[0]!.body.sendAt, isSure: true },
    ...moves.filter((move) => !didNothing(move)).map(({ body, status }) => ({ sendAt: body.sendAt, isSure: status === 200 })),
  ];
  const since = instants.findLastIndex(({ isSure }) => isSure);
  return Math.min(...instants.slice(since).map(({ sendAt }) => Date.parse(sendAt)));
}

/** docs/contract/sends.md 47 to 55. */
export const SCHEDULED_PROMISES: readonly Promised[] = [
  {
    promise: 'a call for a scheduled mail makes at most one, and one key has one id',
    source: 'docs/contract/sends.md 10, 52',
    find(observed) {
      const arrived = groupBy(observed.mails, ({ subject }) => subject);
      return scheduledIn(observed).flatMap(({ subject, calls, ids }) => {
        const most = calls[0]!.key === undefined ? calls.length : 1;
        const came = arrived.get(subject)?.length ?? 0;
        return ids.length <= most && came <= most ? [] : [{ about: [subject, ...ids], message: `${ids.length} ids, ${came} mails` }];
      });
    },
  },
  {
    promise: 'a scheduled mail that nobody cancelled has its row in the end',
    source: 'docs/contract/sends.md 52, 53',
    find(observed) {
      const rows = new Set([...observed.sends, ...observed.outcomeUnknown].map(({ id }) => id));
      return scheduledIn(observed)
        .filter(({ cancels }) => cancels.every(didNothing))
        .flatMap(({ subject, ids }) =>
          ids.filter((id) => !rows.has(id)).map((id) => ({ about: [id], message: `"${subject}" has no row` })),
        );
    },
  },
  {
    promise: 'a scheduled mail that was cancelled never goes',
    source: 'docs/contract/sends.md 55',
    find(observed) {
      const arrived = groupBy(observed.mails, ({ subject }) => subject);
      const rows = new Set(observed.sends.map(({ id }) => id));
      return scheduledIn(observed)
        .filter(isCancelled)
        .filter(({ subject, ids }) => arrived.has(subject) || ids.some((id) => rows.has(id)))
        .map(({ subject, ids }) => ({ about: ids, message: `"${subject}" arrived ${arrived.get(subject)?.length ?? 0} times` }));
    },
  },
  {
    promise: 'a scheduled mail goes no sooner than it is to',
    source: 'docs/contract/sends.md 52, 54',
    find(observed) {
      const arrived = groupBy(observed.mails, ({ subject }) => subject);
      return scheduledIn(observed).flatMap((one) =>
        (arrived.get(one.subject) ?? [])
          .filter(({ receivedAt }) => receivedAt < notBefore(one))
          .map(({ messageId, receivedAt }) => ({ about: [messageId, ...one.ids], message: `${notBefore(one) - receivedAt} ms too soon` })),
      );
    },
  },
  {
    promise: 'each mail of a batch has its answer, and a bad one fails alone',
    source: 'docs/contract/sends.md 47, 49',
    find: ({ calls }) =>
      calls
        .filter(({ kind, status }) => kind === 'batch' && status === 200)
        .filter(({ body, answer }) => {
          const { mails } = body as { mails: readonly { template?: string }[] };
          const isBad = (place: number): boolean => answer.results[place]?.code === 'unknown_template';
          return answer.results.length !== mails.length || mails.some(({ template }, place) => (template === NO_TEMPLATE) !== isBad(place));
        })
        .map(({ key, body, answer }) => ({
          about: [key ?? 'no key', body.mails[0].subject],
          message: JSON.stringify(answer.results).slice(0, 300),
        })),
  },
];
