import type { Api } from './api.ts';
import type { Output } from './output.ts';
import type { Profile } from './profiles.ts';

/** An option of a command, as `--help` shows it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly description: string;
  /** What stands for the value in the help, like `<key>`. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: boolean;
}

export type Options = Readonly<Record<string, Option>>;

/** What a command was given, read. */
export interface Given {
  readonly positionals: readonly string[];
  /** The last value of an option that takes one. */
  text(name: string): string | undefined;
  /** Every value of an option that may come several times. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
  /** The value of an option that takes one of these; any other is a usage failure. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined;
  /** The value of an option that takes a whole number from `least` on; any other is a usage failure. */
  number(name: string, least: number): number | undefined;
  readonly out: Output;
  readonly profile: Profile;
  /** Calls with the key of the profile; without one that is a failure which says how to give it. */
  readonly api: Api;
  readonly cwd: string;
  /** Aborted when the command is to end: Ctrl-C. */
  readonly ending: AbortSignal;
}

/** One command; its name may be of two words. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The positionals, as the help shows them. */
  readonly usage?: string;
  /** How many positionals it takes: at least, at most. */
  readonly takes?: readonly [least: number, most: number];
  /** It makes the profile that it is given: one that is not there yet is none to refuse. */
  readonly makesProfile?: boolean;
  /** It goes on until Ctrl-C, which is its proper end: exit code 0. */
  readonly isEndless?: boolean;
  /** What the help says beneath the options. */
  readonly details?: string;
  readonly options?: Options;
  /** Fields of the API that an option of another name gives, like `sendAt` for `at`: what is wrong with them is told by that name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Answers with the exit code where it is not 0. */
  run(given: Given): Promise<number | undefined>;
}
