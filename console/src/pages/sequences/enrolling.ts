import { answerOf, api, type Schemas } from '../../api/client.ts';
import { asFailure, type Failure } from '../../api/failure.ts';
import { isByEarlierRuns, refusalWords } from './run-words.ts';

/** Each is a call of its own, so that everybody who cannot enter is named with the reason. */
export const MOST_ADDRESSES = 100;
/** A call that is one too many is made again. */
const MOST_TRIES = 20;

type Who = { readonly contactId: string } | { readonly email: string };

/** Why somebody cannot enter. */
export interface Refusal {
  readonly words: string;
  /** It keeps out who was in the sequence before. */
  readonly isByEarlierRuns: boolean;
}

/** What became of one. */
export interface Outcome {
  /** The address; the id where a contact was chosen. */
  readonly who: string;
  /** undefined: has entered. */
  readonly refusal: Refusal | undefined;
  /** The run that has begun. */
  readonly run?: string;
}

/**
 * Enrolls one after the other, and tells of each. `keyOf`: the same for the same one as long as it is the same attempt, so that a second try after a
 * lost answer enrolls nobody twice. Throws Failure where a call did not get as far as an answer about the contact.
 */
export async function enrollAll(
  sequence: string,
  all: readonly Who[],
  keyOf: (who: string) => string,
  tell: (outcome: Outcome) => void,
): Promise<void> {
  for (const one of all) {
    const who = 'email' in one ? one.email : one.contactId;
    tell({ who, ...(await enrollOne(sequence, one, keyOf(who))) });
  }
}

async function enrollOne(key: string, body: Who, idempotencyKey: string): Promise<Omit<Outcome, 'who'>> {
  for (let tries = 1; ; tries++) {
    try {
      const { enrollmentId } = await answerOf(
        api.POST('/sequences/{key}/enroll', { params: { path: { key }, header: { 'Idempotency-Key': idempotencyKey } }, body }),
      );
      return { refusal: undefined, run: enrollmentId };
    } catch (error) {
      const failure = asFailure(error);
      const refusal = refusalIn(failure);
      if (refusal !== undefined) return { refusal };
      if (failure.kind !== 'rate' || tries === MOST_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, (failure.details.retryAfterSeconds ?? 1) * 1000));
    }
  }
}

/** undefined: it is not about the contact. */
function refusalIn({ kind, message, details }: Failure): Refusal | undefined {
  if (details.code === 'enroll_failed') {
    const reason = details.reason as Schemas['EnrollRefusal'];
    return { words: refusalWords(reason), isByEarlierRuns: isByEarlierRuns(reason) };
  }
  // The sequence may be gone too, which is not about the contact.
  if (kind === 'missing' && message.startsWith('no such contact')) return { words: 'Not a contact', isByEarlierRuns: false };
  return details.issues?.some(({ path }) => path === 'email') ? { words: 'Not a valid address', isByEarlierRuns: false } : undefined;
}
