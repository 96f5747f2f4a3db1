import * as z from 'zod';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { awaitMailsInFlight } from '../../../usecases/sends/await-mails-in-flight.ts';
import { acceptEvent } from '../../../usecases/sequences/accept-event.ts';
import { noteSeenType } from '../../../usecases/sequences/note-event-type.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { withStoredAnswer } from '../../idempotency.ts';
import { Answer, defineRoute, type Route } from '../../route.ts';
import { Email, EventData, EventType, eitherOf, FilterText, Id } from '../../schemas.ts';
import { logStartedRuns } from '../../started-runs.ts';

const EventBody = eitherOf(
  z.object({
    type: EventType,
    email: Email.nullish().meta({ description: 'Required unless contactId is given; an unknown one becomes a contact' }),
    contactId: Id.nullish().meta({ description: 'Takes precedence over email' }),
    data: EventData.nullish(),
    exitSequences: boundedArray(FilterText, 1000, { error: 'at most 1000 keys' })
      .nullish()
      .meta({ description: 'Keys of sequences; one that nobody has is ignored' }),
  }),
  'email',
  'contactId',
).meta({ id: 'EventInput', description: 'What happened, and to whom' });

const Accepted = z.object({
  contactId: z.uuid().meta({ description: 'Whom it happened to' }),
  enrolled: z.int().meta({ description: 'New enrollments' }),
  reArmed: z.int().meta({ description: 'Waiting enrollments that this event advanced' }),
  goals: z.int().meta({ description: 'Enrollments that this event ended by their goal' }),
  exited: z.int().meta({ description: 'Cancelled enrollments' }),
  gathered: z.int().optional().meta({
    description:
      'In so many sequences a digest counts this event, or it is kept for the next one, and dropped should the contact not enter again; absent where there are none',
  }),
  duplicate: z.boolean().meta({ description: 'The Idempotency-Key completed before; nothing was done again' }),
});

const accept = defineRoute({
  method: 'post',
  path: '/events',
  scope: 'sequences:write',
  summary: 'Track a product event',
  description:
    'Upserts the contact, cancels its enrollments in exitSequences, re-arms flows that wait for the event, and enrolls it into every ' +
    'active sequence whose trigger is this type. Where a run of the contact gathers such events, the event is counted into its digest and enrolls nobody ' +
    'there. The consent record of a contact that it makes is that of the calling request; POST ' +
    "/contacts takes the person's own in `consent`. Of an unsubscribed contact nothing is written but that the event was refused, which its " +
    'timeline shows.',
  body: EventBody,
  status: 200,
  reply: Accepted,
  errors: ['not_found', 'no_brand', 'contact_unsubscribed'],
  idempotency: 'in_answer',
  takesTestKeys: true,
  examples: examples.event,
  async handle(context, { body }) {
    const { project, caller, isTestKey, now, newId } = context;
    let exitedIds: readonly string[] = [];
    let enrolledIds: readonly string[] = [];
    // Before anything is done that a repetition after an error would do again.
    if (!isTestKey) await noteSeenType(context.em, project.id, body.type, now());
    const answer = await withStoredAnswer(context, 'post /events', body, async ({ em }) => {
      const {
        exitedIds: ended,
        enrolledIds: started,
        gathered,
        ...accepted
      } = await em.transactional((tx) =>
        acceptEvent(tx, {
          project,
          type: body.type,
          recipient: body.contactId ? { contactId: body.contactId } : { email: body.email as string },
          data: body.data ?? {},
          exitSequences: body.exitSequences ?? [],
          isSandboxed: isTestKey,
          caller,
          now: now(),
          newId,
        }),
      );
      exitedIds = ended;
      enrolledIds = started;
      return new Answer(200, { ok: true, ...accepted, ...(gathered > 0 ? { gathered } : {}), duplicate: false });
    });
    logStartedRuns(context.log, enrolledIds);
    await awaitMailsInFlight(context.em, { enrollmentIds: exitedIds });
    if (answer.headers['Idempotent-Replayed'] === undefined) return answer;
    const { contactId } = answer.body as { contactId: string };
    return { contactId, enrolled: 0, reArmed: 0, goals: 0, exited: 0, duplicate: true };
  },
});

export const routes: readonly Route[] = [accept];
