import { useDebouncedValue } from '@mantine/hooks';
import { useEffect } from 'react';
import { asFailure } from '../../api/failure.ts';
import { randomKey } from '../../api/random-key.ts';
import { createStore, useStore } from '../../api/store.ts';
import {
  type CampaignChange,
  changeCampaign,
  createDraft,
  DeletedMeanwhile,
  SavedMeanwhile,
  type WholeCampaign,
} from './campaign-queries.ts';

/** How what is written stands to what is kept. */
export interface SavingShown {
  /** `new`: nothing was written yet. `theirs`: another has saved it meanwhile, or launched it. `deleted`: another has. */
  readonly state: 'new' | 'saved' | 'unsaved' | 'saving' | 'failed' | 'theirs' | 'deleted';
  /** As it was kept last; undefined before the first time. */
  readonly kept: WholeCampaign | undefined;
  /** What somebody else has saved meanwhile. */
  readonly theirs: WholeCampaign | undefined;
  readonly error: unknown;
}

/** Keeps what is written of one campaign: a call at a time, of what differs from what is kept. */
export class DraftSaving {
  readonly shown;
  readonly #onMade: (id: string) => void;
  #kept: CampaignChange;
  #wanted: CampaignChange;
  #running: Promise<void> | undefined;
  /** Of the creation: a second try after a lost answer makes no second draft. */
  #key = { body: '', key: '' };
  /** The version that a change was made from whose answer was lost. */
  #lost: number | undefined;

  /** `first`: what stands in the form to begin with. `onMade`: told the id of a draft that was none before. */
  constructor(whole: WholeCampaign | undefined, first: CampaignChange, onMade: (id: string) => void) {
    this.shown = createStore<SavingShown>({ state: whole ? 'saved' : 'new', kept: whole, theirs: undefined, error: null });
    this.#kept = first;
    this.#wanted = first;
    this.#onMade = onMade;
  }

  /** Of what is kept; undefined while that is not known. */
  get keptAudience(): Pick<CampaignChange, 'audience' | 'topic'> {
    const { audience, topic } = this.#kept;
    return { audience, topic };
  }

  /** What is to be kept. What is absent stays as it is. */
  want(body: CampaignChange): void {
    this.#wanted = body;
    const { state } = this.shown.get();
    if (this.#running || state === 'theirs' || state === 'deleted') return;
    if (this.#hasChanges()) this.#show({ state: 'unsaved' });
    else if (state !== 'new') this.#show({ state: 'saved', error: null });
  }

  /** Resolves with the campaign as it is kept, with all that was wanted. Throws SavedMeanwhile, DeletedMeanwhile and Failure. */
  async flush(): Promise<WholeCampaign> {
    for (;;) {
      const { kept, theirs, state } = this.shown.get();
      if (!this.#running) {
        if (state === 'deleted') throw new DeletedMeanwhile();
        if (theirs) throw new SavedMeanwhile(theirs);
        if (kept && !this.#hasChanges()) return kept;
        this.#running = this.#save().finally(() => {
          this.#running = undefined;
        });
      }
      // Whoever else asks meanwhile waits for the same call, and looks again then.
      await this.#running;
    }
  }

  /** Saves over what somebody else has saved. */
  async replaceTheirs(): Promise<void> {
    const { theirs } = this.shown.get();
    // All of it is written, since any of it may be another there.
    this.#kept = {};
    this.#show({ kept: theirs, theirs: undefined, state: 'unsaved' });
    await this.flush();
  }

  /** Keeps all that is written as a draft of its own, since the one that it was is gone. */
  async keepAnew(): Promise<void> {
    this.#show({ kept: undefined, state: 'unsaved' });
    await this.flush();
  }

  /** What was kept by another call, like an approval. */
  take(kept: WholeCampaign): void {
    this.#show({ kept });
  }

  /** Nothing more of it is to be kept. */
  forget(): void {
    this.#kept = this.#wanted;
    this.#show({ state: 'saved' });
  }

  #changes(): CampaignChange {
    const differs = ([name, value]: [string, unknown]): boolean =>
      JSON.stringify(value) !== JSON.stringify(this.#kept[name as keyof CampaignChange]);
    return Object.fromEntries(Object.entries(this.#wanted).filter(differs));
  }

  #hasChanges(): boolean {
    return Object.keys(this.#changes()).length > 0;
  }

  async #save(): Promise<void> {
    const wanted = this.#wanted;
    const { kept: before } = this.shown.get();
    this.#show({ state: 'saving' });
    try {
      const kept = before ? await this.#change(before) : await this.#create(wanted);
      this.#kept = { ...this.#kept, ...wanted };
      this.#lost = undefined;
      this.#show({ state: this.#hasChanges() ? 'unsaved' : 'saved', kept, error: null });
      if (!before) this.#onMade(kept.campaign.id);
    } catch (error) {
      if (error instanceof SavedMeanwhile) this.#show({ state: 'theirs', theirs: error.theirs });
      else if (error instanceof DeletedMeanwhile) this.#show({ state: 'deleted' });
      else this.#show({ state: 'failed', error });
      throw error;
    }
  }

  #create(body: CampaignChange): Promise<WholeCampaign> {
    const text = JSON.stringify(body);
    if (this.#key.body !== text) this.#key = { body: text, key: randomKey() };
    return createDraft(body, this.#key.key);
  }

  async #change({ campaign, draft }: WholeCampaign): Promise<WholeCampaign> {
    const version = draft?.version ?? 0;
    try {
      return await changeCampaign(campaign.id, this.#changes(), version);
    } catch (error) {
      if (error instanceof SavedMeanwhile && this.#lost === version && error.theirs.draft?.version === version + 1) {
        // It was this page: the change arrived, and its answer did not. What was written since is written over it.
        return changeCampaign(campaign.id, this.#changes(), version + 1);
      }
      if (asFailure(error).kind === 'connection') this.#lost = version;
      throw error;
    }
  }

  #show(change: Partial<SavingShown>): void {
    this.shown.set({ ...this.shown.get(), ...change });
  }
}

const TYPING_MS = 700;

/** Keeps `body` as soon as one stops typing, where that is to happen by itself, and when the page is left. Closing the tab before asks. */
export function useSaving(saving: DraftSaving, body: CampaignChange, byItself: boolean): SavingShown {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  useEffect(() => saving.want(JSON.parse(text)), [saving, text]);
  useEffect(() => {
    if (byItself && settled === text) quietly(saving);
  }, [saving, settled, text, byItself]);
  useEffect(() => (byItself ? () => quietly(saving) : undefined), [saving, byItself]);
  const shown = useStore(saving.shown);
  const isOnItsWay = byItself && (shown.state === 'unsaved' || shown.state === 'saving');
  useEffect(() => {
    if (!isOnItsWay) return;
    const ask = (event: BeforeUnloadEvent): void => {
      quietly(saving);
      event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [saving, isOnItsWay]);
  return shown;
}

/** What goes wrong is shown by the page. */
function quietly(saving: DraftSaving): void {
  const { state } = saving.shown.get();
  if (state === 'unsaved' || state === 'failed') saving.flush().catch(() => undefined);
}
