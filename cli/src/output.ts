import { EXIT } from './failure.ts';

/** Where a command prints: data to stdout, all else to stderr. */
export interface Output {
  /** Whether data is to be printed as JSON. */
  readonly isJson: boolean;
  /** Whether stdout shows colors. */
  readonly hasColors: boolean;
  /** One line of what was asked for. */
  line(text?: string): void;
  /** One line beside it: warnings, what is left. */
  note(text: string): void;
  /**
   * Runs a step for each item, in order, and says on stderr how far it is: on a terminal by a line that replaces itself, elsewhere by one line once
   * it takes long. Nothing is said where data is printed as JSON. No item is begun once `isOver` says so.
   */
  each<T>(items: readonly T[], doing: string, run: (item: T) => Promise<void>, isOver?: () => boolean): Promise<void>;
  /** The data, as JSON where that was asked for, else as `shown` prints it. */
  data(value: unknown, shown: () => void): void;
  /** One record of a stream: a line of JSON. */
  record(value: unknown, shown: () => void): void;
  paint(color: Color, text: string): string;
}

export type Color = keyof typeof CODES;

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, cyan: 36, dim: 2, bold: 1 } as const;

/** What takes less needs no progress. */
const QUIET_MS = 1_500;
const CLEAR_LINE = '\r\u001b[K';

export function createOutput({ isJson, hasColors }: Pick<Output, 'isJson' | 'hasColors'>): Output {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads has seen enough, as `head` has.
    if (error.code === 'EPIPE') process.exit(EXIT.fine);
    throw error;
  });
  const isTerminal = process.stderr.isTTY === true;
  let isProgressShown = false;
  const clearProgress = (): void => {
    if (isProgressShown) process.stderr.write(CLEAR_LINE);
    isProgressShown = false;
  };
  const line = (text = ''): void => {
    clearProgress();
    process.stdout.write(`${text}\n`);
  };
  const note = (text: string): void => {
    clearProgress();
    process.stderr.write(`${text}\n`);
  };
  return {
    ...{ isJson, hasColors, line },
    note,
    async each(items, doing, run, isOver = () => false) {
      const began = Date.now();
      let isSaid = false;
      const say = (done: number): void => {
        if (isJson || Date.now() - began < QUIET_MS) return;
        const text = `${doing}: ${done} of ${items.length}`;
        if (!isTerminal && isSaid) return;
        if (isTerminal) process.stderr.write(`${CLEAR_LINE}${text}`);
        else note(text);
        isProgressShown = isTerminal;
        isSaid = true;
      };
      try {
        for (const [done, item] of items.entries()) {
          if (isOver()) break;
          say(done);
          await run(item);
        }
      } finally {
        clearProgress();
      }
    },
    data(value, shown) {
      if (isJson) line(JSON.stringify(value, null, 2));
      else shown();
    },
    record(value, shown) {
      if (isJson) line(JSON.stringify(value));
      else shown();
    },
    paint: (color, text) => (hasColors ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text),
  };
}

/** Rows below each other, each column as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Other people's text on a terminal: without what moves its cursor or changes its colors. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

/** `1 run`, `2 runs`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
