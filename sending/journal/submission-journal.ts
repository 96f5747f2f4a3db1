import { closeSync, futimesSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../platform/logger.ts';
import type { Submitted } from '../submitted.ts';
import { answerLine, bootId, doneLine, headerLine, submissionLine } from './format.ts';

/**
 * What this process submits, written down where it survives the process: the outcome of an intent of a process that was killed is unknown only when its
 * mail was submitted and not answered. A file and not marks in PostgreSQL: two lines cost a mail half of the CPU of a mark shared by twenty
 * mails, and none of them waits for a commit (bench/journal.ts).
 */
export interface SubmissionJournal {
  /** Stands with every intent of this process. null: there is no journal, and all of its intents would have an unknown outcome. */
  readonly id: string | null;
  /** To be called just before a mail is submitted to a provider. False: it could not be written down, so the mail must not be submitted. */
  submitting(sendId: string, provider: string): boolean;
  /** What the provider said of a mail. */
  answered(sendId: string, answer: Submitted): void;
  /** Its outcome stands in the database. */
  recorded(sendId: string): void;
  /** To be called when every outcome is recorded: the files are not needed any more. */
  close(): void;
}

/** Of all processes that share this configuration's `DATA_DIR`. */
export function journalFolder({ dataDir }: { readonly dataDir: string }): string {
  return join(dataDir, 'journals');
}

/** Where nothing can be written down. */
export const NO_JOURNAL: SubmissionJournal = {
  id: null,
  submitting: () => true,
  answered: () => undefined,
  recorded: () => undefined,
  close: () => undefined,
};

/** A file that is larger is followed by another one, and goes when all of its mails are recorded. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Where the next one cannot be begun, that is tried again after so much. */
const BEGIN_AGAIN_BYTES = 64 * 1024;
/** The file of a process that has nothing to write is touched so often: those of nobody are removed (read-journals.ts). */
const TOUCH_MS = 3_600_000;

/** A file, and how many mails in it have no recorded outcome. */
interface JournalFile {
  readonly number: number;
  readonly path: string;
  readonly fd: number;
  bytes: number;
  unrecorded: number;
}

/**
 * Opens a journal of its own for this process. Nothing is flushed to the disk: what a process has written survives its end, though not that
 * of the machine, and whoever reads it knows (format.ts). Where the folder cannot be written a warning says so.
 */
export async function openJournal({ folder, id, log }: { folder: string; id: string; log: Logger }): Promise<SubmissionJournal> {
  try {
    return new FileJournal(folder, id, await bootId(), log);
  } catch (error) {
    log.warn('journal.unavailable', { folder, reason: (error as Error).message });
    return NO_JOURNAL;
  }
}

class FileJournal implements SubmissionJournal {
  readonly id: string;
  readonly #folder: string;
  readonly #boot: string;
  readonly #log: Logger;
  /** Those without a recorded outcome, by the file that says that they were submitted. */
  readonly #fileOf = new Map<string, JournalFile>();
  #number = 0;
  #file: JournalFile;
  /** More than FILE_BYTES while the next one cannot be begun. */
  #rotatesAt = FILE_BYTES;
  /** Answers go with the next submission, or a moment later. */
  #answers = '';
  #flush: NodeJS.Immediate | undefined;
  #isFailing = false;
  /** The disk took a part of a line only. */
  #isTorn = false;
  #isClosed = false;
  readonly #touching: NodeJS.Timeout;

  constructor(folder: string, id: string, boot: string, log: Logger) {
    this.#folder = folder;
    this.id = id;
    this.#boot = boot;
    this.#log = log;
    this.#file = this.#next();
    this.#touching = setInterval(() => this.#touch(), TOUCH_MS).unref();
  }

  submitting(sendId: string, provider: string): boolean {
    if (!this.#write(this.#answers + submissionLine(sendId, provider))) return false;
    this.#answers = '';
    const file = this.#file;
    const before = this.#fileOf.get(sendId);
    if (before === file) return true;
    file.unrecorded++;
    this.#fileOf.set(sendId, file);
    if (before) this.#settle(before);
    return true;
  }

  answered(sendId: string, answer: Submitted): void {
    if (!this.#fileOf.has(sendId)) return;
    this.#answers += answerLine(sendId, answer);
    this.#flush ??= setImmediate(() => this.#flushAnswers());
    if (answer.outcome === 'later') this.recorded(sendId);
  }

  recorded(sendId: string): void {
    const file = this.#fileOf.get(sendId);
    if (!file) return;
    this.#fileOf.delete(sendId);
    this.#settle(file);
  }

  close(): void {
    clearInterval(this.#touching);
    this.#flushAnswers();
    this.#isClosed = true;
    closeSync(this.#file.fd);
    // What has no recorded outcome is for others to read.
    if (this.#fileOf.size === 0) remove(this.#file);
  }

  #settle(file: JournalFile): void {
    file.unrecorded--;
    if (file.unrecorded > 0 || file === this.#file) return;
    // A reader misses one that is not said to be done with.
    if (this.#write(doneLine(file.number))) remove(file);
  }

  #flushAnswers(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    // An answer that cannot be written leaves the outcome of its mail unknown, should this process be killed; nothing is sent twice by it.
    if (this.#answers && this.#write(this.#answers)) this.#answers = '';
  }

  #write(lines: string): boolean {
    if (this.#isClosed) return false;
    try {
      if (this.#file.bytes >= this.#rotatesAt) this.#rotate();
      const line = Buffer.from(this.#isTorn ? `\n${lines}` : lines);
      const written = writeSync(this.#file.fd, line);
      this.#file.bytes += written;
      this.#isTorn = written < line.length;
      if (this.#isTorn) throw new Error('the disk took a part of it only');
      if (this.#isFailing) this.#log.info('journal.written_again', { folder: this.#folder });
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (!this.#isFailing) this.#log.error('journal.not_written', { folder: this.#folder, reason: (error as Error).message });
      this.#isFailing = true;
      return false;
    }
  }

  #touch(): void {
    const now = new Date();
    futimesSync(this.#file.fd, now, now);
  }

  /**
   * Where the next file cannot be begun the present one grows. If somebody has removed that, mails go without a journal: whoever reads finds no
   * file, or later one that names the missing one, and takes nothing for not submitted.
   */
  #rotate(): void {
    const before = this.#file;
    const wasBegun = this.#rotatesAt === FILE_BYTES;
    try {
      this.#file = this.#next();
    } catch (error) {
      this.#rotatesAt = before.bytes + BEGIN_AGAIN_BYTES;
      if (wasBegun) this.#log.warn('journal.unavailable', { folder: this.#folder, reason: (error as Error).message });
      return;
    }
    if (!wasBegun) this.#log.info('journal.written_again', { folder: this.#folder });
    this.#rotatesAt = FILE_BYTES;
    closeSync(before.fd);
    if (before.unrecorded === 0) remove(before);
  }

  /** In the folder, which somebody may have removed. */
  #next(): JournalFile {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const number = this.#number++;
    const path = join(this.#folder, `${this.id}.${number}.log`);
    const fd = openSync(path, 'ax', 0o600);
    const file = { number, path, fd, bytes: 0, unrecorded: 0 };
    const before = Array.from(new Set(this.#fileOf.values()), (earlier) => earlier.number);
    const header = Buffer.from(headerLine(this.#boot, before));
    try {
      file.bytes = writeSync(fd, header);
      if (file.bytes < header.length) throw new Error('the disk took a part of it only');
    } catch (error) {
      closeSync(fd);
      remove(file);
      throw error;
    }
    return file;
  }
}

/** Should it stay, it is removed with those of processes that have died. */
function remove({ path }: JournalFile): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody has cleared the folder.
  }
}
