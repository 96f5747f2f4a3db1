import { parseArgs } from 'node:util';
import { type Api, createApi } from './api.ts';
import { asGiven, type Values } from './as-given.ts';
import type { Command, Given, Options } from './command.ts';
import { COMMANDS } from './commands.ts';
import { type Ending, listenForEnding, untilEnding } from './ending.ts';
import { EXIT, Failure, UsageFailure } from './failure.ts';
import { helpOf, overview } from './help.ts';
import { createOutput } from './output.ts';
import { findProfile } from './profiles.ts';
import { version } from './version.ts';

/** Options of every command. */
export const COMMON: Options = {
  profile: { type: 'string', value: '<name>', description: 'a profile that login has kept, in place of the environment' },
  url: { type: 'string', value: '<address>', description: 'where Everpost is (EVERPOST_URL)' },
  json: { type: 'boolean', description: 'print data as JSON' },
  'no-color': { type: 'boolean', description: 'print without colors (NO_COLOR)' },
  help: { type: 'boolean', description: 'what the command does and takes' },
};

/** Runs one command and answers with the exit code of the process. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const ending = listenForEnding();
  let isEndless = false;
  try {
    const code = await runCommand(argv, env, ending.signal, (command) => {
      isEndless = command.isEndless === true;
    });
    if (!ending.came() || isEndless) return code;
  } catch (error) {
    if (ending.came() && isEndless) return EXIT.fine;
    const message = ending.came() ? stoppedBy(ending) : messageOf(error);
    if (asksForJson(argv))
      process.stdout.write(`${JSON.stringify({ error: { code: ending.came() ? 'stopped' : codeOf(error), message } })}\n`);
    if (!ending.came()) {
      process.stderr.write(`${error instanceof Failure && error.isPlaced ? '' : 'everpost: '}${message}\n`);
      return error instanceof Failure ? error.exitCode : EXIT.refused;
    }
  } finally {
    ending.stopListening();
  }
  process.stderr.write(`everpost: ${stoppedBy(ending)}\n`);
  return ending.exitCode();
}

function stoppedBy(ending: Ending): string {
  return `stopped by ${ending.came()}; what was done before stays done`;
}

/** Known also where the command is written wrong. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).includes('--json');
}

function codeOf(error: unknown): string {
  return error instanceof Failure ? error.code : 'unexpected_error';
}

async function runCommand(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  ending: AbortSignal,
  begins: (command: Command) => void,
): Promise<number> {
  const { before, words } = withoutLeadingOptions(argv);
  const [first] = words;
  if (before.includes('--version') || before.includes('-v')) {
    process.stdout.write(`${version}\n`);
    return EXIT.fine;
  }
  const isHelp = first === 'help' || before.includes('--help') || before.includes('-h');
  if (isHelp || argv.length === 0) {
    process.stdout.write(helpAbout(first === 'help' ? words.slice(1) : words));
    return EXIT.fine;
  }
  if (first === undefined) throw new UsageFailure(`no command follows ${before.join(' ')}; everpost --help lists them`);
  const command = commandOf(words);
  if (!command) return unknown(words);
  const { values, positionals } = parsed(command, [...before, ...words.slice(command.name.split(' ').length)]);
  if (values.help) {
    process.stdout.write(helpOf(command, COMMON));
    return EXIT.fine;
  }
  const [least, most] = command.takes ?? [0, 0];
  if (positionals.length < least || positionals.length > most)
    throw new UsageFailure(`usage: everpost ${command.name} ${command.usage ?? ''}`.trimEnd());
  const hasColors = process.stdout.isTTY === true && !env.NO_COLOR && !values['no-color'];
  const out = createOutput({ isJson: values.json === true, hasColors });
  const last = (name: string): string | undefined => {
    const value = values[name];
    return Array.isArray(value) ? value.at(-1) : typeof value === 'string' ? value : undefined;
  };
  const profile = await findProfile(env, { name: command.makesProfile ? undefined : last('profile'), url: last('url') });
  let api: Api | undefined;
  const given: Given = {
    ...{ positionals, out, profile, ending, cwd: process.cwd() },
    text: last,
    texts: (name) => [values[name] ?? []].flat().map(String),
    flag: (name) => values[name] === true,
    choice(name, choices) {
      const value = last(name);
      const known = choices.find((choice) => choice === value);
      if (value !== undefined && known === undefined) throw new UsageFailure(`--${name} ${value}: must be one of ${choices.join(', ')}`);
      return known;
    },
    number(name, least) {
      const value = last(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,9}$/.test(value) || Number(value) < least)
        throw new UsageFailure(`--${name} ${value}: must be a whole number of at least ${least}`);
      return Number(value);
    },
    get api(): Api {
      if (profile.apiKey === undefined)
        throw new Failure(`there is no key for ${profile.url}: set EVERPOST_API_KEY, or run: everpost login`);
      if (api === undefined) {
        api = createApi(profile, (path) => asGiven(path, command, values));
        // One that goes on until then ends its calls itself, and may have some to make at its end.
        if (!command.isEndless) api = untilEnding(api, ending);
      }
      return api;
    },
  };
  begins(command);
  return (await command.run(given)) ?? EXIT.fine;
}

/** Options of every command may stand before its name, too. */
function withoutLeadingOptions(argv: readonly string[]): { readonly before: readonly string[]; readonly words: readonly string[] } {
  let at = 0;
  while (argv[at]?.startsWith('-')) {
    const [, name = '', value] = /^--([^=]+)(=.*)?$/s.exec(argv[at] ?? '') ?? [];
    const isKnown = Object.hasOwn(COMMON, name) || ['--version', '-v', '-h'].includes(argv[at] ?? '');
    if (!isKnown)
      throw new UsageFailure(
        `${argv[at]} is not an option of every command (${Object.keys(COMMON)
          .map((one) => `--${one}`)
          .join(', ')}); options of one command go after its name`,
      );
    at += COMMON[name]?.type === 'string' && value === undefined ? 2 : 1;
  }
  return { before: argv.slice(0, at), words: argv.slice(at) };
}

/** Of the command that is named, of a group of them, or of all. */
function helpAbout(words: readonly string[]): string {
  const command = commandOf(words);
  if (command) return helpOf(command, COMMON);
  const group = groupOf(words[0]);
  return overview(group.length > 0 ? group : COMMANDS);
}

function groupOf(first = ''): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
}

function parsed(command: Command, args: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries({ ...COMMON, ...command.options }).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true }) as ReturnType<typeof parsed>;
  } catch (error) {
    const [words = ''] = (error as Error).message.split(/\.\s/);
    const [, option] = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument is ambiguous/.exec(words) ?? [];
    const next = option === undefined ? undefined : args[args.indexOf(option) + 1];
    throw new UsageFailure(
      next === undefined
        ? `${words}; everpost ${command.name} --help says what it takes`
        : `${option} ${next}: what begins with a dash is taken for an option; as a value write ${option}=${next}`,
    );
  }
}

/** The command that is named at the beginning, by two words or one. */
function commandOf(argv: readonly string[]): Command | undefined {
  const words = argv.slice(0, 2).join(' ');
  return COMMANDS.find(({ name }) => name === words) ?? COMMANDS.find(({ name }) => name === argv[0]);
}

function unknown([first = '', second]: readonly string[]): number {
  const group = groupOf(first);
  if (group.length === 0) throw new UsageFailure(`there is no command ${first}; everpost --help lists them`);
  if (second === undefined || second === '--help') {
    process.stdout.write(overview(group));
    return second === undefined ? EXIT.usage : EXIT.fine;
  }
  throw new UsageFailure(`there is no command ${first} ${second}: ${group.map(({ name }) => name).join(', ')}`);
}

function messageOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (error instanceof Error)
    return process.env.EVERPOST_DEBUG ? (error.stack ?? error.message) : `${error.message} (EVERPOST_DEBUG=1 shows where)`;
  return String(error);
}
