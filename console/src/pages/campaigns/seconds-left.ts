import { useState } from 'react';
import { durationWords } from '../../show/duration-words.ts';
import { type Campaign, hasEnded } from './campaign-queries.ts';

/** Before so much has been seen of it, how fast it goes is a guess. */
const SEEN_MS = 4_000;

/** In how many seconds every recipient has an outcome if it goes on as it does while this page is open; undefined where nobody can tell. */
export function useSecondsLeft(campaign: Campaign, settled: number): number | undefined {
  const { status, paused, total_recipients: total, rate_per_second: most } = campaign;
  // In local time it waits for clocks.
  const isSending = status === 'sending' && !paused && !campaign.schedule && !hasEnded(campaign);
  const now = Date.now();
  const [first, setFirst] = useState({ isSending, settled, at: now });
  // What was waited while it was held says nothing of how fast it goes.
  if (first.isSending !== isSending) setFirst({ isSending, settled, at: now });
  if (!isSending || total === 0) return undefined;
  const seen = now - first.at;
  const perSecond = seen >= SEEN_MS && settled > first.settled ? ((settled - first.settled) * 1000) / seen : most;
  return perSecond === null ? undefined : (total - settled) / perSecond;
}

/** Like `About 3 minutes left`. */
export function leftWords(seconds: number): string {
  if (seconds < 60) return 'Less than a minute left';
  const minutes = Math.ceil(seconds / 60);
  // To the hour where it takes many.
  return `About ${durationWords(minutes > 180 ? Math.round(minutes / 60) * 60 : minutes)} left`;
}
