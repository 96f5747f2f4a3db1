import { type Call, type EnrollmentSeen, groupBy, type Mail, type Observed, type Promised, subjects } from '../observed.ts';

const visitOf = ({ to, subject }: { readonly to: string; readonly subject: string }): string => `${to} | ${subject}`;

/** Mails of the steps of sequences, by address and subject, which names sequence and node. */
function stepMails({ mails }: Observed): ReadonlyMap<string, readonly Mail[]> {
  return groupBy(
    mails.filter(({ subject }) => /^[mt] step /.test(subject)),
    visitOf,
  );
}

/** The mail steps of every enrollment, by the same. Several enrollments of one contact have several of one name. */
function mailSteps({ enrollments }: Observed) {
  const steps = enrollments.flatMap((enrollment) =>
    enrollment.steps
      .filter(({ kind }) => kind === 'send_email')
      .map((step) => ({ ...step, enrollment, name: `${enrollment.email} | step ${enrollment.sequence_key} ${step.node_id}` })),
  );
  return groupBy(steps, ({ name }) => name);
}

const withoutType = (visit: string): string => visit.replace(/ \| [mt] step /, ' | step ');

const enrolls = ({ kind, body }: Call): boolean => kind === 'event' && body.type.startsWith('start ');

/** docs/contract/events.md 3, 7, 16 to 22, 24. */
export const ENROLLMENT_PROMISES: readonly Promised[] = [
  {
    promise: 'an event that was accepted enrolls, once for a key',
    source: 'docs/contract/events.md 3, docs/contract/idempotency.md 3',
    find: ({ calls, enrollments }) =>
      [...groupBy(calls.filter(enrolls), ({ body }) => `${body.email} ${body.type.slice('start '.length)}`)].flatMap(([name, same]) => {
        const found = enrollments.filter(({ email, sequence_key }) => `${email} ${sequence_key}` === name);
        const told = same.filter(({ status }) => status === 200).reduce((sum, { answer }) => sum + answer.enrolled, 0);
        const isDuplicate = same.some(({ answer }) => answer?.duplicate === true);
        const least = Math.max(told, isDuplicate ? 1 : 0);
        const keys = new Set(same.map(({ key }) => key));
        const most = keys.has(undefined) ? same.length : keys.size;
        if (found.length >= least && found.length <= most) return [];
        return [
          {
            about: [same[0]!.body.email, ...found.map(({ id }) => id)],
            message: `${found.length} enrollments, at least ${least}, at most ${most}`,
          },
        ];
      }),
  },
  {
    promise: 'every enrollment comes to its end',
    source: 'docs/contract/events.md 20, 22',
    find: ({ enrollments }) =>
      enrollments
        .filter(({ status }) => status === 'active')
        .map(({ id, email, waiting_for, steps }) => ({
          about: [id, email],
          message: `it is at ${steps.at(-1)?.node_id}, waiting for ${waiting_for}`,
        })),
  },
  {
    promise: 'no enrollment ends but as its sequence or a caller wants it',
    source: 'docs/contract/events.md 25',
    find: ({ enrollments }) =>
      enrollments
        .filter(({ end_reason }) => end_reason !== null && !['exit', 'dead_end', 'cancelled', 'exit_sequences'].includes(end_reason))
        .map(({ id, end_reason }) => ({ about: [id], message: `it ended by ${end_reason}` })),
  },
  {
    promise: 'a step is done once per visit',
    source: 'docs/contract/events.md 16',
    find(observed) {
      const visits = mailSteps(observed);
      return [
        // The flows of the load have no loops: every node is visited once.
        ...observed.enrollments.flatMap(({ id, steps }) => {
          const nodes = steps.map(({ node_id }) => node_id);
          const again = nodes.filter((node, index) => nodes.indexOf(node) !== index);
          return again.length === 0 ? [] : [{ about: [id], message: `${again} was visited twice` }];
        }),
        ...[...stepMails(observed)].flatMap(([visit, arrived]) => {
          const steps = visits.get(withoutType(visit)) ?? [];
          if (arrived.length <= steps.length) return [];
          return [
            {
              about: [visit, ...steps.map(({ enrollment }) => enrollment.id)],
              message: `${arrived.length} mails of ${steps.length} visits`,
            },
          ];
        }),
        ...[
          ...groupBy(
            observed.sends.filter(({ subject }) => /^[mt] step /.test(subject)),
            ({ to_email, subject }) => visitOf({ to: to_email, subject }),
          ),
        ].flatMap(([visit, rows]) => {
          const steps = visits.get(withoutType(visit)) ?? [];
          if (rows.length <= steps.length) return [];
          return [{ about: [visit, ...rows.map(({ id }) => id)], message: `${rows.length} rows of ${steps.length} visits` }];
        }),
      ];
    },
  },
  {
    promise: 'the outcome of a mail step is what came of it',
    source: 'docs/contract/events.md 18, 19, 28',
    find(observed) {
      const rows = groupBy(observed.sends, ({ to_email, subject }) => withoutType(visitOf({ to: to_email, subject })));
      const arrived = new Map([...stepMails(observed)].map(([visit, mails]) => [withoutType(visit), mails.length]));
      return [...mailSteps(observed)].flatMap(([name, steps]) => {
        const mine = rows.get(name) ?? [];
        const by = (outcome: string) => steps.filter((step) => step.outcome === outcome).length;
        const sent = mine.filter(({ status }) => status === 'sent').length;
        const came = arrived.get(name) ?? 0;
        // A run that is cancelled with a mail in flight has a row of it, and no outcome.
        const open = steps.filter(({ outcome }) => outcome === null).length;
        const isRight =
          by('sent') <= sent && sent <= by('sent') + open && came >= by('sent') && mine.length <= steps.length - by('skipped');
        if (isRight) return [];
        const said = steps.map(({ outcome, detail }) => `${outcome} (${detail})`).join(', ');
        return [
          {
            about: [name, ...steps.map(({ enrollment }) => enrollment.id)],
            message: `${said}: ${mine.length} rows, ${sent} sent, ${came} arrived`,
          },
        ];
      });
    },
  },
  {
    promise: 'a webhook node that was called has called, under the id of its visit, and no other visit has',
    source: 'docs/contract/events.md 16, docs/contract/sequences.md 23',
    find({ enrollments, hooks }) {
      const calls = groupBy(
        hooks.filter(({ path }) => path.startsWith('/node')),
        ({ id }) => id,
      );
      const visits = enrollments.flatMap(({ id, steps }) =>
        steps.filter(({ kind }) => kind === 'webhook').map((step) => ({ ...step, id: `${id}.${step.node_id}.1` })),
      );
      const known = new Set(visits.map(({ id }) => id));
      const missing = visits
        .filter(({ id, outcome }) => outcome === 'called' && !(calls.get(id) ?? []).some(({ status }) => status === 200))
        .map(({ id }) => ({ about: [id], message: `it is called done, after ${calls.get(id)?.length ?? 0} calls without a 2xx` }));
      const unknown = [...calls.keys()]
        .filter((id) => !known.has(id))
        .map((id) => ({ about: [id], message: 'no enrollment has this visit' }));
      const unsigned = hooks
        .filter(({ path, isSigned }) => path.startsWith('/node') && !isSigned)
        .map(({ id }) => ({ about: [id], message: 'its signature is wrong' }));
      return [...missing, ...unknown, ...unsigned];
    },
  },
  {
    promise: 'after a cancellation nothing more goes out',
    source: 'docs/contract/events.md 24: cancel is exact',
    find: (observed) =>
      observed.calls.flatMap((call) => {
        const ended = cancelledBy(call, observed.enrollments);
        return ended.flatMap((enrollment) =>
          observed.mails
            .filter(
              ({ to, subject, receivedAt }) => to === enrollment.email && isStepOf(enrollment, subject) && receivedAt > call.answeredAt,
            )
            .map(({ messageId, subject, receivedAt }) => ({
              about: [enrollment.id, enrollment.email, messageId],
              message: `"${subject}" arrived ${receivedAt - call.answeredAt} ms after the answer`,
            })),
        );
      }),
  },
  {
    promise: 'an event that re-arms a wait is the one that ends it',
    source: 'docs/contract/events.md 7',
    find: ({ calls, enrollments }) =>
      [
        ...groupBy(
          calls.filter(({ kind, body }) => kind === 'event' && body.type === 'go'),
          ({ body }) => body.email as string,
        ),
      ].flatMap(([email, same]) => {
        const told = same.reduce((sum, { status, answer }) => sum + (status === 200 ? answer.reArmed : 0), 0);
        const isSure = same.every(({ status, answer }) => status === 200 && answer.duplicate === false);
        const waits = enrollments
          .filter((enrollment) => enrollment.email === email)
          .flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'wait_until'));
        const events = waits.filter(({ outcome }) => outcome === 'event').length;
        const open = waits.filter(({ outcome }) => outcome === null).length;
        const isRight = told <= events + open && (!isSure || events <= told);
        return isRight
          ? []
          : [
              {
                about: [email, ...enrollments.filter((one) => one.email === email).map(({ id }) => id)],
                message: `${told} re-armed, ${events} waits ended by it`,
              },
            ];
      }),
  },
];

function isStepOf({ sequence_key }: EnrollmentSeen, subject: string): boolean {
  return subject.slice(2).startsWith(subjects.step(sequence_key, '', false).slice(2));
}

/** The enrollments that this call has ended and nobody began anew: the only ones of their contact in their sequence. */
function cancelledBy({ kind, path, status, body, answer }: Call, enrollments: readonly EnrollmentSeen[]): readonly EnrollmentSeen[] {
  const isAlone = (one: EnrollmentSeen): boolean =>
    enrollments.filter(({ email, sequence_key }) => email === one.email && sequence_key === one.sequence_key).length === 1;
  if (status !== 200) return [];
  if (kind === 'cancel enrollment') return enrollments.filter((one) => path === `/enrollments/${one.id}` && isAlone(one));
  if (kind !== 'event' || !body.exitSequences || answer.exited !== 1) return [];
  return enrollments.filter((one) => one.email === body.email && body.exitSequences.includes(one.sequence_key) && isAlone(one));
}
