import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from './members.ts';
import type { Random } from './random.ts';

/** Something that happens to a member. */
export interface Fault {
  /** Since the start of the load. Milliseconds. */
  readonly at: number;
  readonly member: string;
  readonly kind: 'kill' | 'pause';
  /** Of a pause. */
  readonly lastsMs: number;
}

const GAP_MS = { least: 3_000, most: 12_000 };
const PAUSE_MS = { least: 1_000, most: 25_000 };
/** Everybody has begun to work. */
const FIRST_AT_MS = 5_000;

/**
 * Every fault of a run, decided before it begins: the same for the same seed. Each sort of member is killed and paused once before any is
 * again, so that a short run has everything too. Of "api 1" and "api 2" the sort is "api".
 */
export function planFaults(random: Random, members: readonly string[], durationMs: number): Fault[] {
  const faults: Fault[] = [];
  const bySort = [...Map.groupBy(members, (name) => name.split(' ')[0]).values()];
  let deck: { readonly members: readonly string[]; readonly kind: Fault['kind'] }[] = [];
  for (let at = FIRST_AT_MS; at < durationMs; at += random.between(GAP_MS.least, GAP_MS.most)) {
    if (deck.length === 0) deck = bySort.flatMap((same) => (['kill', 'pause'] as const).map((kind) => ({ members: same, kind })));
    const { kind, ...of } = deck.splice(random.between(0, deck.length - 1), 1)[0]!;
    faults.push({
      at,
      member: random.one(of.members),
      kind,
      lastsMs: kind === 'pause' ? random.between(PAUSE_MS.least, PAUSE_MS.most) : 0,
    });
  }
  return faults;
}

/** Carries them out. One whose member is down or stopped at that moment is left out. Resolves when every member runs again, with what was done. */
export async function carryOut(faults: readonly Fault[], members: readonly Member[], progress: (line: string) => void): Promise<Fault[]> {
  const begunAt = Date.now();
  const busy = new Set<string>();
  const done: Fault[] = [];
  const under: Promise<void>[] = [];
  for (const fault of faults) {
    await sleep(Math.max(0, begunAt + fault.at - Date.now()));
    const member = members.find(({ name }) => name === fault.member)!;
    if (busy.has(member.name)) continue;
    busy.add(member.name);
    done.push(fault);
    progress(`${new Date().toISOString()} ${fault.kind} ${member.name}${fault.kind === 'pause' ? ` for ${fault.lastsMs} ms` : ''}`);
    const over = fault.kind === 'kill' ? member.kill() : member.pause(fault.lastsMs);
    under.push(over.finally(() => busy.delete(member.name)));
  }
  await Promise.all(under);
  return done;
}
