/** What a process ends with. */
export const EXIT = { fine: 0, refused: 1, usage: 2 } as const;

/** What went wrong, in words for whoever ran the command: told without a stack, and the process ends with its code. */
export class Failure extends Error {
  readonly exitCode: number;
  /** What programs tell it by, like the codes of the API. */
  readonly code: string;
  /** Whether the message says by itself where, as lines of `path:line: what`, which editors and annotations of CI read. */
  readonly isPlaced: boolean = false;

  constructor(message: string, { exitCode = EXIT.refused, code = 'failed' }: { readonly exitCode?: number; readonly code?: string } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** What is wrong with a file that somebody wrote: `path:line: what`. */
export class FileFailure extends Failure {
  override readonly isPlaced = true;

  constructor(file: string, line: number, what: string) {
    super(`${file}:${line}: ${what}`, { code: 'invalid_file' });
  }
}

/** A command that was written wrong. */
export class UsageFailure extends Failure {
  constructor(message: string) {
    super(message, { exitCode: EXIT.usage, code: 'usage' });
  }
}
