import { HOUR_MS } from './campaigns-under-way.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** Hours of a window as they are given; by UTC unless told. */
export interface Hours {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

const timeOf = (instant: number): string => new Date(instant).toISOString().slice(11, 16);
const closingTime = (instant: number): string => timeOf(instant).replace('00:00', '24:00');

/** A window that is open for an hour still, and has been for one. */
export function openNow(): Hours {
  const now = Date.now();
  return { from: timeOf(now - HOUR_MS), to: closingTime(now + HOUR_MS), timezone: 'Etc/UTC' };
}

/** A window that opens in two hours and more, on the minute: `opensAt`. */
export function closedNow(): Hours & { readonly opensAt: Date } {
  const opens = Math.ceil((Date.now() + 2 * HOUR_MS) / 60_000) * 60_000;
  return { from: timeOf(opens), to: closingTime(opens + HOUR_MS), timezone: 'Etc/UTC', opensAt: new Date(opens) };
}

/** A window that opens with one of the next two minutes. */
export function openingSoon(): Hours & { readonly opensAt: Date } {
  const opens = Math.ceil((Date.now() + 20_000) / 60_000) * 60_000;
  return { from: timeOf(opens), to: closingTime(opens + HOUR_MS), timezone: 'Etc/UTC', opensAt: new Date(opens) };
}

/** As a body takes it. */
export function windowOf(hours: Hours, others: object = {}): object {
  const { from, to, timezone } = hours;
  return { from, to, timezone, ...others };
}

/** Sets the window of a project; null: none. */
export async function setWindow(project: Pick<TestProject, 'api'>, window: object | null): Promise<void> {
  must(await project.api.call('PATCH', '/project', { sendWindow: window }), 200);
}
