import { readdir, readFile } from 'node:fs/promises';

/** USER_HZ: what /proc counts in on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly seconds: number;
}

/** CPU seconds, user and system, that a process and its descendants have used so far, those that ended included. Linux only. */
export async function cpuSeconds(root: number): Promise<number> {
  const processes = new Map<number, ProcessTimes>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const times = await readTimes(Number(name));
    if (times) processes.set(Number(name), times);
  }
  let total = 0;
  for (const [pid, { seconds }] of processes) if (descends(pid, root, processes)) total += seconds;
  return total;
}

/** What each process used between two readings. */
export function cpuBetween<Name extends string>(
  before: Readonly<Record<Name, number>>,
  after: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(after) as Name[];
  return Object.fromEntries(names.map((name) => [name, Number((after[name] - before[name]).toFixed(2))])) as Record<Name, number>;
}

/** CPU seconds of each process for a thousand mails, and their sum without the client: what the mails cost the machine. */
export function cpuPer1000(cpu: Readonly<Record<string, number>>, mails: number): Record<string, number> {
  const per1000 = (seconds: number): number => Number(((seconds / Math.max(mails, 1)) * 1000).toFixed(3));
  const used = Object.entries(cpu).filter(([, seconds]) => seconds > 0);
  const total = used.reduce((sum, [name, seconds]) => sum + (name === 'client' ? 0 : seconds), 0);
  return { ...Object.fromEntries(used.map(([name, seconds]) => [name, per1000(seconds)])), total: per1000(total) };
}

/** The most memory, in MB, that a process has had so far, without its children. Linux only. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

function descends(pid: number, root: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at; at = processes.get(at)?.parent) if (at === root) return true;
  return false;
}

async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field, the name, may hold spaces and parentheses: proc_pid_stat(5).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}
