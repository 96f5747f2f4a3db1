import type { Readable, Writable } from 'node:stream';
import type { Client } from '@temporalio/client';
import type { EntityManager } from '../../db/orm.ts';
import type { Vault } from '../../domain/projects/crypto.ts';

/** What a command reads and writes beside its context. */
export interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  readonly errors: Writable & { readonly isTTY?: boolean };
}

/** What a command works on; nothing is connected before it is used. */
export interface AdminContext {
  readonly databaseUrl: string;
  /** DATA_DIR. */
  readonly dataDir: string;
  /** Of the instance that runs on it; null when none does. */
  readonly apiUrl: string | null;
  readonly em: () => Promise<EntityManager>;
  /** Its server has answered. Throws ConfigError when it does not, or none is configured. */
  readonly temporal: () => Promise<Client>;
  /** Says on standard error what the answer does not. */
  readonly note: (text: string) => void;
  /** Shows a person who waits how far it is. */
  readonly progress: (text: string) => void;
  /** What stands on standard input, without the line break at its end. */
  readonly input: () => Promise<string>;
  /** Throws when SECRET_KEY cannot be found. */
  readonly vault: () => Vault;
}

export type OptionTypes = Readonly<Record<string, 'string' | 'boolean'>>;
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** One line of the usage text and what it does. */
export interface Command {
  /** `project create` */
  readonly name: string;
  /** The names of its arguments, all required. */
  readonly args: readonly string[];
  /** What it reads from standard input: a secret, which an argument would show to everybody on the machine. */
  readonly input?: string;
  readonly options?: OptionTypes;
  /** Options that must be given. */
  readonly required?: readonly string[];
  /** The options as the usage text shows them. */
  readonly usage?: string;
  /** What a person should know of the answer, said on standard error without --json. */
  readonly remark?: string;
  /** The rows of the table that people are shown instead of the answer. */
  readonly shown?: (answer: unknown) => readonly Readonly<Record<string, unknown>>[];
  /** Answers with a record, or an array of records. */
  run(context: AdminContext, args: readonly string[], options: OptionValues): Promise<unknown>;
}

/** The text of an option, passed through its check. */
export function text<T>(options: OptionValues, name: string, check: (value: string, option: string) => T): T | undefined {
  const value = options[name];
  return typeof value === 'string' ? check(value, `--${name}`) : undefined;
}

/** Not a command of the usage text, or not as it stands there. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
