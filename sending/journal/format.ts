import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import type { SubmissionState } from '../../domain/sends/outcome-unknown.ts';
import { acceptedOutcome, rejectedOutcome } from '../../domain/sends/send.ts';
import type { Submitted } from '../submitted.ts';

export const NOT_SUBMITTED: SubmissionState = { state: 'not submitted' };

/** The first line of a file. */
interface Header {
  readonly boot: string;
  /** The numbers of the files before it in which mails stood without a recorded outcome. */
  readonly before: readonly number[];
}

export function headerLine(boot: string, before: readonly number[] = []): string {
  return `${JSON.stringify({ boot, before } satisfies Header)}\n`;
}

/** Written before a mail is submitted to this provider. */
export function submissionLine(sendId: string, provider: string): string {
  return `> ${sendId} ${provider}\n`;
}

/** Written when it is answered. */
export function answerLine(sendId: string, answer: Submitted): string {
  return `= ${sendId} ${JSON.stringify(stateOf(answer))}\n`;
}

/** Written before a file goes whose mails are all recorded. */
export function doneLine(number: number): string {
  return `- ${number}.log\n`;
}

const DONE = /^- (\d+)\.log$/;

function stateOf(answer: Submitted): SubmissionState {
  const provider = answer.by;
  switch (answer.outcome) {
    case 'accepted':
      return { state: 'answered', outcome: acceptedOutcome({ ...answer, provider }) };
    case 'rejected':
      return { state: 'answered', outcome: rejectedOutcome({ ...answer, provider }) };
    case 'later':
      return NOT_SUBMITTED;
    case 'unknown':
      return { state: 'unknown', provider };
    default:
      return answer satisfies never;
  }
}

/** What the files of a journal say, read one after the other. */
export interface JournalContent {
  readonly states: Map<string, SubmissionState>;
  /** The numbers of files that the last one follows, and without which nobody knows what else was submitted. */
  readonly needed: Set<number>;
}

/**
 * Adds what one file says to what those before it said. False: it cannot be relied on, since the machine was started anew meanwhile: what was
 * written last may never have reached the disk.
 */
export function readJournal(text: string, boot: string, { states, needed }: JournalContent): boolean {
  const lines = text.split('\n');
  // Cut off by the end of its process: what it tells of had not been done yet.
  lines.pop();
  const [first = '', ...entries] = lines;
  const header = headerOf(first);
  if (header?.boot !== boot) return false;
  needed.clear();
  for (const number of header.before) needed.add(number);
  for (const line of entries) {
    const sendId = line.slice(2, 2 + UUID_LENGTH);
    if (line.startsWith('> ')) states.set(sendId, submittedTo(line.slice(3 + UUID_LENGTH)));
    else if (line.startsWith('= '))
      states.set(sendId, readState(line.slice(3 + UUID_LENGTH)) ?? states.get(sendId) ?? { state: 'unknown' });
    else needed.delete(Number(DONE.exec(line)?.[1]));
  }
  return true;
}

const UUID_LENGTH = 36;

/** Nobody knows to whom where the line is of a version that did not say it. */
function submittedTo(provider: string): SubmissionState {
  return { state: 'unknown', provider: provider || undefined };
}

function readState(json: string): SubmissionState | undefined {
  try {
    return JSON.parse(json) as SubmissionState;
  } catch {
    // The disk was full in the middle of it.
    return undefined;
  }
}

function headerOf(line: string): Header | undefined {
  try {
    return JSON.parse(line) as Header;
  } catch {
    return undefined;
  }
}

/** Names the time since the machine was started: what a killed process had written is on the disk, or on its way there, until that ends. */
export async function bootId(): Promise<string> {
  const id = await readIfThere('/proc/sys/kernel/random/boot_id');
  return id?.trim() || `since ${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
}

/** Undefined when there is no such file; fails when it cannot be read, which tells nothing of what is in it. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
