import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The service of docker-compose.yml as it runs with an `.env` of these values. */
export interface ComposeService {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

type Values = Readonly<Record<string, string>>;
interface Written {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly command?: readonly (string | number)[];
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Written>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

const FILE = new URL('../../docker-compose.yml', import.meta.url);

function composeFile(): ComposeFile {
  return parse(readFileSync(FILE, 'utf8'), { merge: true }) as ComposeFile;
}

export function composeService(name: string, values: Values): ComposeService {
  const written = composeFile().services[name];
  if (!written) throw new Error(`docker-compose.yml has no service ${name}`);
  const { image, environment = {}, command = [] } = written;
  return {
    image,
    environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filledIn(String(value), values)])),
    command: command.map((argument) => filledIn(String(argument), values)),
  };
}

/** Those that the file gives the command of PostgreSQL: `-c name=value`. */
export function composePostgresSettings(): Record<string, string> {
  const { command } = composeService('postgres', { POSTGRES_PASSWORD: 'not used' });
  const settings = command.filter((argument) => argument.includes('='));
  return Object.fromEntries(settings.map((setting) => setting.split('=', 2) as [string, string]));
}

/** What it mounts into its services. */
export function composeConfig(name: string): string {
  const config = composeFile().configs[name];
  if (!config) throw new Error(`docker-compose.yml has no config ${name}`);
  return filledIn(config.content, {});
}

/** The forms of interpolation that the file uses: ${NAME:-default}, ${NAME:+in its place}, ${NAME:?why it is needed}, ${NAME?why it has to be there} and $$. */
function filledIn(text: string, values: Values): string {
  return text.replace(/\$\$|\$\{(\w+)(:[-+?]|\?)([^}]*)\}/g, (found, name: string | undefined, form: string, rest: string) => {
    if (name === undefined) return found.slice(1);
    const value = values[name] ?? '';
    if (form === ':+') return value === '' ? '' : rest;
    if (value !== '') return value;
    if (form === ':?' || (form === '?' && values[name] === undefined)) throw new Error(`${name}: ${rest}`);
    if (form === '?') return '';
    return rest;
  });
}
