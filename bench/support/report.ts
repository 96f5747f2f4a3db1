import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';

/** One JSON document on standard output; what happens meanwhile goes to standard error. */
export function report(bench: string, result: object): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
  process.stdout.write(`${JSON.stringify({ bench, commit, machine, ...result }, null, 2)}\n`);
}

export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The value below which this share of the samples lies, by the nearest rank. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return Number((sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(2));
}

/** Milliseconds of many of one kind, for a report. */
export function spread(samples: readonly number[]): object {
  return { count: samples.length, p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99), worstMs: percentile(samples, 1) };
}
