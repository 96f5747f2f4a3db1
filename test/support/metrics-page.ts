import type { GuardedProcess } from '../../local/guarded-process.ts';
import { eventually } from './eventually.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What is read from the database: ages of queues, scheduled mails, reputations, enrollments. */
export const DATABASE_READS = 5;

/** A page of metrics as a scraper reads it. */
export interface ScrapedPage {
  readonly text: string;
  /** Name and type of each family, in their order. */
  readonly families: readonly (readonly [name: string, type: string])[];
  readonly samples: readonly Sample[];
  /** Of all samples of this name with these labels; undefined where there are none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** The page of a program that runs with METRICS_PORT=0. */
export async function scrape(program: GuardedProcess): Promise<ScrapedPage> {
  const port = await eventually(() => /"event":"metrics\.served","port":(\d+)/.exec(program.lastLines(10_000))?.[1]);
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  return readPage(await answer.text());
}

export function readPage(text: string): ScrapedPage {
  const lines = text.split('\n').filter(Boolean);
  const samples = lines
    .filter((line) => !line.startsWith('#'))
    .map((line): Sample => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
      return {
        name: name!,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, of]) => [key, of])),
        value: Number(value),
      };
    });
  return {
    text,
    families: lines.flatMap((line) => {
      const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
      return name === undefined || type === undefined ? [] : [[name, type] as const];
    }),
    samples,
    sum(name, labels = {}) {
      const found = samples.filter(
        (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}
