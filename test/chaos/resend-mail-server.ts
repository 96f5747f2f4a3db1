import { setTimeout as sleep } from 'node:timers/promises';
import {
  BAD_GATEWAY,
  RATE_LIMITED,
  type ResendFault,
  type ResendRequest,
  startResendServer,
  UNAVAILABLE,
} from '../support/resend-server.ts';
import { type ChaosMailServer, QUICK } from './mail-server.ts';
import type { Member } from './members.ts';
import type { Random } from './random.ts';

/** A provider that honours idempotency keys. As a member it goes away when it is killed, and holds every request while it is paused. */
export interface ChaosResend extends ChaosMailServer {
  readonly member: Member;
}

/** Of the requests for the quick domain: so many meet a fault. More, and the pauses of an outage would last longer than the run. */
const FAULTY = 0.05;
/** Of those that should come later, in the other domain. */
const LATER = 0.3;
const AWAY_MS = 1_500;

const NOT_TAKEN: readonly ResendFault[] = [
  { refused: 'cut' },
  { refused: RATE_LIMITED },
  { refused: UNAVAILABLE },
  { refused: BAD_GATEWAY },
];
/** Never with an answer that says that nothing was taken, like 503: what a provider says is believed (docs/contract/sends.md 12). */
const TAKEN_AND_LOST: readonly ResendFault[] = [{ lost: 'cut' }, { lost: BAD_GATEWAY }];
const NO_SUCH_USER: ResendFault = { refused: { status: 422, name: 'validation_error', message: 'Invalid `to` field.' } };

/**
 * Keeps its keys for 24 hours as it promises: one that forgets them earlier would make a mail twice, whoever asks. What a mail meets depends
 * on its domain as at the SMTP server, and on the numbers of the seed.
 */
export async function startResendMailServer(random: Random): Promise<ChaosResend> {
  const server = await startResendServer();
  let isHealed = false;
  let held: Promise<void> | undefined;
  let restarts = 0;
  /** Keys whose answer was lost before. */
  const lost = new Map<string, number>();

  const faultFor = ({ to, key = to }: ResendRequest): ResendFault => {
    const roll = random.next();
    switch (to.slice(to.indexOf('@') + 1)) {
      case QUICK: {
        if (isHealed || roll > FAULTY) return { delayMs: 20 };
        return random.one([...NOT_TAKEN, ...TAKEN_AND_LOST, { delayMs: 2_000 }]);
      }
      case 'slow.example':
        return { delayMs: 800 };
      case 'lost.example': {
        // Taken and lost, then perhaps not even looked at: only an answer under the same key says what became of the first request.
        const before = lost.get(key) ?? 0;
        lost.set(key, before + 1);
        if (before === 0) return random.one(TAKEN_AND_LOST);
        return isHealed || roll < 0.3 ? {} : random.one([...NOT_TAKEN, ...TAKEN_AND_LOST]);
      }
      case 'refused.example':
        return NO_SUCH_USER;
      default:
        return isHealed || roll > LATER ? {} : random.one(NOT_TAKEN);
    }
  };
  server.always((request) => ({ ...faultFor(request), ...(held ? { heldUntil: held } : {}) }));

  return {
    providerUrl: server.providerUrl,
    mails: async () => server.taken().map(({ id, to, subject, at }) => ({ messageId: id, to, subject, receivedAt: at })),
    async unsubscribeLinks(to) {
      const found = server.taken(to).map(({ headers }) => /<([^>]+)>/.exec(headers['List-Unsubscribe'] ?? '')?.[1]);
      return found.filter((link) => link !== undefined);
    },
    heal() {
      isHealed = true;
    },
    stop: () => server.close(),
    member: {
      name: 'provider resend',
      get restarts() {
        return restarts;
      },
      async kill() {
        await server.goAway();
        await sleep(AWAY_MS);
        await server.comeBack();
        restarts++;
      },
      async pause(milliseconds) {
        held = sleep(milliseconds);
        await held;
        held = undefined;
      },
      stop: () => server.close(),
    },
  };
}
