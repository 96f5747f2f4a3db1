import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isDatabaseUnavailable, isSchemaMissing } from '../../db/errors.ts';
import { insteadOf } from '../../domain/nearest-name.ts';
import { SealedWithOtherKey } from '../../domain/projects/crypto.ts';
import { type Config, otherSecretKey } from '../../platform/config.ts';
import { ConfigError } from '../../platform/config-error.ts';
import { problemText } from '../run.ts';
import { type Command, type OptionValues, type Streams, WrongUsage } from './command.ts';
import { openContext } from './context.ts';
import { demoCommand } from './demo-command.ts';
import { inboundCommands } from './inbound-commands.ts';
import { keyCommands } from './key-commands.ts';
import { migrateCommands } from './migrate-commands.ts';
import { readable } from './print.ts';
import { projectCommands } from './project-commands.ts';
import { pruneCommand } from './prune-command.ts';
import { secretCommands } from './secret-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { AdminError } from './values.ts';
import { workflowCommands } from './workflow-commands.ts';

const commands: readonly Command[] = [
  ...projectCommands,
  ...inboundCommands,
  ...keyCommands,
  ...sessionCommands,
  ...workflowCommands,
  ...secretCommands,
  ...migrateCommands,
  pruneCommand,
  demoCommand,
];

interface Invocation {
  readonly command: Command;
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly json: boolean;
}

/**
 * Does what one command line asks for. Answers with the exit code: 1 for what failed, 2 for wrong usage. `config` is asked for once the
 * command line is understood, and may throw ConfigError.
 */
export async function runAdmin(argv: readonly string[], config: () => Config, streams: Streams): Promise<0 | 1 | 2> {
  try {
    await perform(argv, config, streams);
    return 0;
  } catch (error) {
    const usageToo = error instanceof WrongUsage;
    streams.errors.write(usageToo ? mended(error, argv) : `everpost: ${problemText(explained(error))}\n`);
    return usageToo ? 2 : 1;
  }
}

async function perform(argv: readonly string[], config: () => Config, streams: Streams): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    streams.output.write(usage(concerned(argv)));
    return;
  }
  const { command, args, options, json } = parse(argv);
  const context = await openContext(config(), streams);
  try {
    const result = await command.run(context, args, options);
    if (command.remark && !json) context.note(command.remark);
    streams.output.write(`${json ? JSON.stringify(result, null, 2) : readable(command.shown?.(result) ?? result)}\n`);
  } finally {
    await context.close();
  }
}

function parse(argv: readonly string[]): Invocation {
  // A command is its first word or two, wherever --json stands.
  const words = argv.filter((word) => !word.startsWith('--'));
  const name = words.slice(0, 2).join(' ');
  const command = commands.find((candidate) => candidate.name === name || candidate.name === words[0]);
  if (!command) throw new WrongUsage(name ? `unknown command "${name}"` : 'which command?');
  const declared = Object.entries(command.options ?? {}).map(([option, type]) => [option, { type }] as const);
  const known = { ...Object.fromEntries(declared), json: { type: 'boolean' as const } };
  const unknown = unknownOption(argv, known);
  if (unknown) throw new WrongUsage(unknown);
  const { values, positionals } = understand(() => parseArgs({ args: [...argv], allowPositionals: true, options: known }));
  const args = positionals.slice(command.name.split(' ').length);
  if (args.length !== command.args.length) {
    const reads = command.input ? `, and ${command.input} on standard input` : '';
    throw new WrongUsage(`${command.name} takes ${command.args.length} argument(s)${reads}, not ${args.length}`);
  }
  const options = values as OptionValues;
  const missing = command.required?.find((option) => options[option] === undefined);
  if (missing) throw new WrongUsage(`${command.name} needs --${missing}`);
  return { command, args, options, json: options.json === true };
}

/** What is wrong with the first option that the command does not have. */
function unknownOption(argv: readonly string[], known: NonNullable<ParseArgsConfig['options']>): string | undefined {
  const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options: known });
  const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(known, token.name));
  if (unknown?.kind !== 'option') return undefined;
  const names = Object.keys(known).map((name) => `--${name}`);
  return `unknown option ${unknown.rawName}; ${insteadOf(unknown.rawName, names)}`;
}

function understand<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

const PROGRAM = 'npm run -s admin --';

/** The command that these words begin with, else those of its group: all when the first word names none. */
function concerned(argv: readonly string[]): readonly Command[] {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const group = commands.filter(({ name }) => name.split(' ')[0] === first);
  return (
    [group.filter(({ name }) => name === `${first} ${second}` || name === first), group, commands].find((some) => some.length > 0) ?? []
  );
}

function usage(shown: readonly Command[]): string {
  const lines = shown.map(({ name, args, usage: options = '', input }) =>
    ['  ', name, ...args.map((arg) => ` <${arg}>`), options && ` ${options}`, input && ` < ${input}`].join(''),
  );
  return [`${PROGRAM} <command> [--json]`, '', ...lines, ''].join('\n');
}

/** What is wrong, and below it no more than a person needs to get it right. */
function mended(wrong: WrongUsage, argv: readonly string[]): string {
  const shown = concerned(argv);
  const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0]))].join(', ');
  const help =
    shown === commands && argv.length > 0 ? `The commands begin with ${groups}; ${PROGRAM} --help lists them all\n` : usage(shown);
  return `everpost: ${wrong.message}\n\n${help}`;
}

/** What a person has to mend is told in one line. */
function explained(error: unknown): unknown {
  if (isSchemaMissing(error)) return new ConfigError('the database is not migrated yet; run: npm run -s admin -- migrate up');
  if (isDatabaseUnavailable(error)) return new ConfigError(`the database cannot be reached: ${(error as Error).message}`);
  if (error instanceof SealedWithOtherKey) return otherSecretKey('SECRET_KEY');
  return error instanceof AdminError ? new ConfigError(error.message) : error;
}
