import type { Command, Options } from './command.ts';
import { table } from './output.ts';

/** What `everpost --help` prints. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, usage = '', summary }) => [`  everpost ${name} ${usage}`.trimEnd(), summary]);
  return `${[
    'Everpost at the command line.',
    '',
    ...table(rows),
    '',
    'everpost <command> --help says more. A key: everpost login, or EVERPOST_API_KEY and EVERPOST_URL.',
    'Exit codes: 0 fine; 1 refused, failed, or a difference was found; 2 the command was written wrong.',
  ].join('\n')}\n`;
}

/** What `everpost <command> --help` prints. */
export function helpOf({ name, usage = '', summary, details, options = {} }: Command, common: Options): string {
  return `${[
    `everpost ${name} ${usage}`.trimEnd(),
    '',
    `  ${summary}`,
    ...(details ? ['', ...details.split('\n').map((line) => (line ? `  ${line}` : ''))] : []),
    ...(Object.keys(options).length > 0 ? ['', 'Options', ...table(rowsOf(options))] : []),
    '',
    'Of every command',
    ...table(rowsOf(common)),
  ].join('\n')}\n`;
}

function rowsOf(options: Options): string[][] {
  return Object.entries(options).map(([name, { value, description, multiple }]) => [
    `  --${name}${value ? ` ${value}` : ''}`,
    `${description}${multiple ? '; may be given several times' : ''}`,
  ]);
}
