import { setTimeout as sleep } from 'node:timers/promises';
import { stoppedCampaigns } from '../db/queries/campaigns/campaign-batches.ts';
import { findCampaignById } from '../db/queries/campaigns/campaigns.ts';
import { every, type Repeating } from '../platform/every.ts';
import { createSlots } from '../platform/slots.ts';
import { CampaignSender, NOTHING_DONE, type SenderDeps, type SenderResult, type WaitInPlace } from './campaign-sender.ts';
import { createPlacesInTurns } from './places-in-turns.ts';

export interface CampaignSenders {
  /** Sends batch after batch until there is none, the campaign stops, the provider is away, or the time is over. */
  run(campaignId: string, options: SenderOptions): Promise<SenderResult>;
  /** Lets every sender end its batches and take no new ones. */
  stop(): void;
}

export interface SenderOptions {
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Told what the sender has done so far, now and then. */
  readonly progress: (soFar: SenderResult) => void;
}

export interface CampaignSendersDeps extends SenderDeps {
  /** Has those of these campaigns pause that are beyond a limit of their project. */
  readonly pauseBeyondLimits: (ids: readonly string[]) => Promise<void>;
  /** How many senders this process has at once. */
  readonly places: number;
}

/** Batches whose mails are made while others are submitted: one for each thread. They are in memory beside what is in flight. */
const MADE_AT_ONCE = 2;
/** How soon a cancellation or a pause reaches mails that are in flight and not yet submitted. */
const LOOK_MS = 200;
/** How soon a campaign pauses that is beyond a limit of its project. */
const LIMITS_MS = 5_000;
const PROGRESS_MS = 1_000;

/** A campaign that senders of this process send. */
interface RunningCampaign {
  senders: number;
  readonly stopped: AbortController;
}

/** The senders of this process. */
export function createCampaignSenders(deps: CampaignSendersDeps): CampaignSenders {
  const stopping = new AbortController();
  const running = new Map<string, RunningCampaign>();
  let looks: readonly Repeating[] = [];
  const making = createPlacesInTurns(MADE_AT_ONCE);

  /** Senders that wait for their rate may hold half of the places; the others are for senders that have something to do. */
  const waitingPlaces = createSlots(Math.floor(deps.places / 2));
  const waitInPlace: WaitInPlace = async (milliseconds, signal) => {
    const release = waitingPlaces.tryTake();
    if (!release) return false;
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    release();
    return true;
  };

  const stopThoseThatEnded = async (): Promise<void> => {
    const ids = [...running.keys()];
    for (const id of ids.length > 0 ? await stoppedCampaigns(deps.em, ids) : []) {
      // Senders that begin after it has gone on again are not stopped with these.
      running.get(id)?.stopped.abort(new Error('the campaign has stopped'));
      running.delete(id);
    }
  };
  const pauseThoseBeyond = (): Promise<void> => deps.pauseBeyondLimits([...running.keys()]);
  const enter = (id: string): RunningCampaign => {
    const state = running.get(id) ?? { senders: 0, stopped: new AbortController() };
    state.senders++;
    running.set(id, state);
    // What cannot be read now is read the next time; the gate of each batch looks for itself.
    if (looks.length === 0)
      looks = [every(LOOK_MS, stopThoseThatEnded, () => undefined), every(LIMITS_MS, pauseThoseBeyond, () => undefined)];
    return state;
  };
  /** Resolves when nothing is asked for it any more. */
  const leave = async (id: string, state: RunningCampaign): Promise<void> => {
    if (--state.senders === 0 && running.get(id) === state) running.delete(id);
    if (running.size > 0) return;
    const last = looks;
    looks = [];
    await Promise.all(last.map((look) => look.stop()));
  };

  return {
    async run(campaignId, { milliseconds, signal, progress }) {
      const campaign = await findCampaignById(deps.em, campaignId);
      if (!campaign) return NOTHING_DONE;
      const state = enter(campaign.id);
      const stopped = state.stopped.signal;
      // Whose workflow an operator has ended, its row does not know yet.
      const sender = new CampaignSender(deps, campaign, { isStopped: () => stopped.aborted || signal.aborted, waitInPlace, making });
      const timer = setInterval(() => progress(sender.soFar), PROGRESS_MS);
      try {
        return await sender.run(performance.now() + milliseconds, AbortSignal.any([signal, stopping.signal, stopped]));
      } finally {
        clearInterval(timer);
        await leave(campaign.id, state);
      }
    },
    stop: () => stopping.abort(new Error('the process stops')),
  };
}
