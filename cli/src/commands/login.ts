import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { createApi } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { untilEnding } from '../ending.ts';
import { EXIT, UsageFailure } from '../failure.ts';
import { dropProfile, profilesFile, storeProfile } from '../profiles.ts';

/** The key that was typed, which is not shown, or that was piped in. */
async function readKey(ending: AbortSignal): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write('API key (it is not shown): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, signal: ending, ...(isTerminal ? { output: silent, terminal: true } : {}) });
  // While it reads, a terminal sends no signal for Ctrl-C.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    for await (const line of reader) return line.trim();
    return '';
  } finally {
    reader.close();
    if (isTerminal && !ending.aborted) process.stderr.write('\n');
  }
}

async function run({ text, out, profile, ending }: Given): Promise<undefined> {
  const apiKey = await readKey(ending);
  if (!apiKey) throw new UsageFailure('no key came: type it, or pipe it in: echo "$KEY" | everpost login');
  const me = await untilEnding(createApi({ url: profile.url, apiKey }), ending).call('me');
  const name = text('profile') ?? profile.name;
  const file = await storeProfile(process.env, name, { url: profile.url, apiKey });
  out.data({ profile: name, url: profile.url, project: me.project.slug, scopes: me.scopes, file }, () => {
    out.line(`Logged in to ${me.project.name} (${me.project.slug}) at ${profile.url}.`);
    out.line(`Kept in ${file} as the profile ${name}.`);
  });
  return undefined;
}

export const login: Command = {
  name: 'login',
  summary: 'Keep an API key and the address of Everpost',
  makesProfile: true,
  details:
    'Asks for the key, or reads it from stdin, and tries it. It is kept in $XDG_CONFIG_HOME/everpost (~/.config/everpost), where nobody\n' +
    'else can read it. EVERPOST_API_KEY and EVERPOST_URL go before what is kept; --profile goes before both.',
  run,
};

export const logout: Command = {
  name: 'logout',
  summary: 'Forget a kept key',
  async run({ profile, out }) {
    if (await dropProfile(process.env, profile.name)) {
      out.data({ profile: profile.name, forgotten: true }, () => out.line(`The profile ${profile.name} is forgotten.`));
      return undefined;
    }
    out.note(`there is no profile ${profile.name} in ${profilesFile(process.env)}`);
    return EXIT.refused;
  },
};
