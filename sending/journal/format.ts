import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import type { SubmissionState } from '../../domain/sends/outcome-unknown.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';

export const NOT_SUBMITTED: SubmissionState = { state: 'not submitted' };
export const UNKNOWN: SubmissionState = { state: 'unknown' };

/** The first line of a file. */
interface Header {
  readonly boot: string;
}

export function headerLine(boot: string): string {
  return `${JSON.stringify({ boot } satisfies Header)}\n`;
}

/** Written before a mail is submitted. */
export function submissionLine(sendId: string): string {
  return `> ${sendId}\n`;
}

/** Written when it is answered. */
export function answerLine(sendId: string, answer: ProviderAnswer): string {
  return `= ${sendId} ${JSON.stringify(stateOf(answer))}\n`;
}

function stateOf(answer: ProviderAnswer): SubmissionState {
  switch (answer.outcome) {
    case 'accepted':
      return { state: 'answered', outcome: { status: 'sent', providerId: answer.providerId } };
    case 'rejected': {
      const { message, badAddress } = answer;
      return { state: 'answered', outcome: { status: 'failed', reason: 'provider_rejected', message, badAddress } };
    }
    case 'later':
      return NOT_SUBMITTED;
    case 'unknown':
      return UNKNOWN;
    default:
      return answer satisfies never;
  }
}

/**
 * Adds what one file says to what those before it said. False: it cannot be relied on, since the machine was started anew meanwhile: what was
 * written last may never have reached the disk.
 */
export function readJournal(text: string, boot: string, states: Map<string, SubmissionState>): boolean {
  const lines = text.split('\n');
  // Cut off by the end of its process: what it tells of had not been done yet.
  lines.pop();
  const [header = '', ...entries] = lines;
  if (headerOf(header)?.boot !== boot) return false;
  for (const line of entries) {
    const sendId = line.slice(2, 2 + UUID_LENGTH);
    if (line.startsWith('> ')) states.set(sendId, UNKNOWN);
    else if (line.startsWith('= ')) states.set(sendId, readState(line.slice(3 + UUID_LENGTH)));
  }
  return true;
}

const UUID_LENGTH = 36;

function readState(json: string): SubmissionState {
  try {
    return JSON.parse(json) as SubmissionState;
  } catch {
    // The disk was full in the middle of it.
    return UNKNOWN;
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
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return id.trim() || `since ${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
}
