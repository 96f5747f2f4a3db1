import type { Command, Given, Options } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { isEqual } from '../files/canonical.ts';
import { FORMATS } from '../files/content-files.ts';
import { differingParts, partsOf } from '../files/parts.ts';
import { counted } from '../output.ts';
import { begin, type Compared, compareContent, differenceOf, type Kind, kindsOf, type Which } from './content-work.ts';
import { push } from './push.ts';

async function pull(given: Given, which: Which): Promise<number | undefined> {
  given.choice('format', FORMATS);
  const work = await begin(given);
  const { folder, lock } = work;
  const { out } = given;
  const pulled: { readonly name: string; readonly files: readonly string[] }[] = [];
  const kept: string[] = [];
  const pullKind = async (kind: Kind): Promise<void> => {
    const keys = given.positionals.length > 0 ? given.positionals : await kind.keysThere(given.flag('all'));
    await out.each(keys, `pulling ${kind.name}`, async (key) => {
      const name = `${kind.name}/${key}`;
      const there = await kind.there(key);
      if (!there) throw new Failure(`the server has no ${name}`);
      const here = await kind.here(folder, key, there).catch((error: unknown) => {
        if (given.flag('force')) return undefined;
        throw error;
      });
      const isChangedHere =
        here !== undefined && !isEqual(here, there.model) && differingParts(partsOf(here), lock.get(name) ?? {}).length > 0;
      if (isChangedHere && !given.flag('force')) {
        kept.push(name);
        return;
      }
      const files = await kind.write(folder, key, there.model);
      lock.set(name, partsOf(there.model));
      await lock.save();
      pulled.push({ name, files });
      for (const note of there.notes) out.note(`${name}: ${note}`);
    });
  };
  for (const kind of kindsOf(work, which))
    await pullKind(kind).catch((error: unknown) => {
      if (pulled.length > 0) out.note(`pulled before that: ${pulled.map(({ name }) => name).join(', ')}`);
      throw error;
    });
  out.data({ pulled, kept }, () => {
    for (const { name, files } of pulled) out.line(files.length === 0 ? `${name} is up to date` : `${name}: wrote ${files.join(', ')}`);
    if (pulled.length === 0 && kept.length === 0) out.line('there is nothing to pull');
  });
  if (kept.length === 0) return undefined;
  out.note(`kept, since these files have changes that were not pushed: ${kept.join(', ')}; push them, or pull with --force to lose them`);
  return EXIT.refused;
}

async function diff(given: Given, which: Which): Promise<number | undefined> {
  const work = await begin(given);
  const { all, warnings } = await compareContent(work, which, { withThere: true });
  const { out } = given;
  const left = all.filter(({ state }) => state === 'only on the server' || state === 'more on the server');
  const differing = all.filter((one) => one.state !== 'same' && (given.flag('all') || !left.includes(one)));
  const told = all.map((one) => ({
    ...{ name: one.name, state: one.state, difference: differenceOf(one) },
    ...(one.error !== undefined && { error: one.error }),
  }));
  out.data({ files: told, warnings }, () => {
    for (const one of all.filter(({ state }) => state !== 'same')) {
      out.line(out.paint('bold', `${one.name}: ${one.state}`));
      if (one.here) for (const line of differenceOf(one, out.paint)) out.line(`  ${line}`);
    }
    const compared = countedKinds(given.flag('all') ? all : all.filter(({ state }) => state !== 'only on the server'));
    out.line(differing.length === 0 ? `${compared} as on the server` : `${differing.length} of ${compared} differ`);
    if (left.length > 0 && !given.flag('all'))
      out.line(`on the server beyond the files: ${left.length}, which a push leaves there; --all counts that as a difference`);
  });
  return differing.length === 0 ? undefined : EXIT.refused;
}

/** `2 templates and 1 sequence`. */
function countedKinds(all: readonly Compared[]): string {
  const names = [...new Set(all.map(({ kind }) => kind.name))];
  return names.map((name) => counted(all.filter(({ kind }) => kind.name === name).length, name.replace(/s$/, ''))).join(' and ');
}

function optionsOf(which: Which): { readonly pull: Options; readonly diff: Options; readonly push: Options } {
  const ofTemplates = (options: Options): Options => (which === 'sequences' ? {} : options);
  const ofSequences = (options: Options): Options => (which === 'templates' ? {} : options);
  const place: Options = {
    dir: { type: 'string', value: '<folder>', description: 'where the files are (everpost)' },
    ...ofTemplates({
      brand: {
        type: 'string',
        value: '<slug>',
        description: "whose settings and contents of templates; the project's default brand when omitted",
      },
    }),
  };
  return {
    pull: {
      ...place,
      ...ofTemplates({
        all: { type: 'boolean', description: 'templates of the installation too that nobody has changed' },
        format: {
          type: 'string',
          value: '<format>',
          description: 'yaml, json or md: of blocks that have no file yet (yaml); MJML is written as content.mjml',
        },
      }),
      force: { type: 'boolean', description: 'write over files that were changed since the last pull' },
    },
    diff: {
      ...place,
      all: { type: 'boolean', description: 'count as a difference, too, what is on the server and in no file' },
    },
    push: {
      ...place,
      'dry-run': { type: 'boolean', description: 'say what would be done, and change nothing' },
      force: { type: 'boolean', description: 'write over what somebody has changed on the server' },
      base: { type: 'string', value: '<commit>', description: 'what the server had when these files were changed, by git: for CI' },
      ...ofTemplates({ prune: { type: 'boolean', description: 'take languages of a template away that have no file' } }),
      ...ofSequences({
        migrate: {
          type: 'string',
          value: '<node>=<node>',
          multiple: true,
          description:
            'whoever stands at the first goes on at the second, or ends with <node>=end; <key>:<node>=… for one of several sequences',
        },
      }),
    },
  };
}

function commandsOf(which: Which): Command[] {
  const prefix = which === undefined ? '' : `${which} `;
  const what = which ?? 'templates and sequences';
  const keys = which === undefined ? {} : { usage: '[<key>…]', takes: [0, 200] as const };
  const options = optionsOf(which);
  return [
    {
      name: `${prefix}pull`,
      summary: `Write the project's ${what} to files`,
      ...keys,
      options: options.pull,
      details: 'Files that say the same already are left as they are. Exit code 1: a file has changes that were not pushed.',
      run: (given) => pull(given, which),
    },
    {
      name: `${prefix}diff`,
      summary: `Show how the files of ${what} differ from the server`,
      ...keys,
      options: options.diff,
      details:
        'Lines with - are on the server, lines with + in the files. Exit code 1: there is a difference, so a push would change something.\n' +
        'What is on the server and in no file is listed, and a push leaves it there: it is a difference with --all only.',
      run: (given) => diff(given, which),
    },
    {
      name: `${prefix}push`,
      summary: `Make the server have what the files of ${what} say`,
      ...keys,
      options: options.push,
      details:
        'Conflicts, contents and sequences are judged first: where somebody has changed something on the server since the last pull, nothing is pushed.\n' +
        `${which === 'sequences' ? '' : 'Contents are published. '}What has no file is left as it is. Exit code 1: a conflict, or a refusal of the API.`,
      run: (given) => push(given, which),
    },
  ];
}

/** `pull`, `diff` and `push`, of both kinds and of each. */
export const contentCommands: readonly Command[] = [...commandsOf(undefined), ...commandsOf('templates'), ...commandsOf('sequences')];
