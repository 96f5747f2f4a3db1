import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  readonly from: string;
  /** A path below the root for our own files, otherwise the package's name. */
  readonly to: string;
  readonly own: boolean;
  readonly typesOnly: boolean;
  /** What is imported by name, types too; `*` where it is all of the file. */
  readonly names: readonly string[];
}

/** Whom each layer may import; what is not listed, it may not. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  workflows: ['workflows', 'domain'],
  db: ['db', 'domain', 'workflows/contracts.ts'],
  platform: ['platform', 'domain', 'db', 'workflows/contracts.ts'],
  sending: ['sending', 'domain', 'platform', 'db', 'workflows/contracts.ts'],
  webhooks: ['webhooks', 'domain', 'platform', 'db', 'workflows/contracts.ts'],
  usecases: ['usecases', 'sending', 'domain', 'platform', 'db', 'workflows/contracts.ts'],
  activities: ['activities', 'usecases', 'sending', 'webhooks', 'domain', 'platform', 'db', 'workflows/contracts.ts'],
  api: ['api', 'usecases', 'sending', 'webhooks', 'domain', 'platform', 'db', 'workflows/contracts.ts'],
  smtp: ['smtp', 'api', 'usecases', 'sending', 'domain', 'platform', 'db'],
};
const LAYERS = Object.keys(MAY_IMPORT);
/** They wire everything together. */
const ABOVE = ['bin', 'local'];

/** The queries that are effects by themselves: they write events, messages and signals for those who ask. */
const PRIMITIVES = [
  'db/queries/operations/outbox.ts',
  'db/queries/sequences/enrollment-signals.ts',
  'db/queries/webhooks/delivery-signals.ts',
  'db/queries/webhooks/emit.ts',
];
/** Of domain/errors.ts: what says that something is wrong, and is no answer of the API. */
const NO_REFUSALS = ['Issue', 'MAX_ISSUES'];

const files = [...LAYERS, ...ABOVE].flatMap((layer) =>
  readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(layer, name)),
);
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s(?:(type)\s)?((?:[^;'"]*?)\sfrom\s)?['"]([^'"]+)['"]/gm);
  const dynamic = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, to]) => toImport(file, to!, false, ['*']));
  return [
    ...[...statements].map(([, type, names = '', to]) =>
      toImport(file, to!, type !== undefined || namesOnlyTypes(names), partsOf(names).map(nameOf)),
    ),
    ...dynamic,
  ];
}

/** `{ type A, type B }` leaves nothing at run time for a bundler to follow. */
function namesOnlyTypes(names: string): boolean {
  const parts = partsOf(names);
  return parts.length > 0 && parts.every((part) => part.startsWith('type '));
}

/** What stands between the braces, each with its words; `*` for what is no list in braces. */
function partsOf(names: string): string[] {
  const braces = /^\{([\s\S]*)\}\s+from/.exec(names.trim().replace(/\s+from\s*$/, ' from'));
  if (!braces) return ['*'];
  return braces[1]!
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** As the file that is imported calls it. */
function nameOf(part: string): string {
  return part.replace(/^type\s+/, '').replace(/\s+as\s+\S+$/, '');
}

function toImport(from: string, to: string, typesOnly: boolean, names: readonly string[]): Import {
  return to.startsWith('.')
    ? { from, to: relative(ROOT, join(ROOT, dirname(from), to)), own: true, typesOnly, names }
    : { from, to, own: false, typesOnly, names };
}

function layerOf(file: string): string {
  return file.split('/')[0]!;
}

function described({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

/** Every file that is loaded at run time with this one. */
function loadedWith(start: readonly string[]): Set<string> {
  const seen = new Set(start);
  for (const file of seen) for (const found of imports) if (found.from === file && found.own && !found.typesOnly) seen.add(found.to);
  return seen;
}

/** The files from which imports lead back to themselves. */
function inCircles(among: readonly Import[]): string[] {
  const ways = Map.groupBy(
    among.filter(({ own }) => own),
    ({ from }) => from,
  );
  const leadsBack = (start: string): boolean => {
    const reached = new Set(ways.get(start)?.map(({ to }) => to));
    for (const file of reached) for (const { to } of ways.get(file) ?? []) reached.add(to);
    return reached.has(start);
  };
  return [...ways.keys()].filter(leadsBack).toSorted();
}

describe('who may import whom', () => {
  test('the reader of imports sees them', () => {
    expect(imports.length).toBeGreaterThan(300);
    const names = ['createApp'];
    expect(imports).toContainEqual({ from: 'bin/api-process.ts', to: 'api/app.ts', own: true, typesOnly: false, names });
  });

  test('each layer imports only what docs/architecture.md allows it', () => {
    const wrong = imports.filter(({ from, to, own, typesOnly }) => {
      const allowed = MAY_IMPORT[layerOf(from)];
      if (!own || !allowed || to === 'package.json') return false;
      if (layerOf(from) === 'workflows' && layerOf(to) === 'activities') return !typesOnly;
      return !allowed.some((permitted) => to === permitted || layerOf(to) === permitted);
    });
    expect(wrong.map(described)).toEqual([]);
  });

  test('nothing but the programs imports the programs', () => {
    const wrong = imports.filter(({ from, to, own }) => own && ABOVE.includes(layerOf(to)) && !ABOVE.includes(layerOf(from)));
    expect(wrong.map(described)).toEqual([]);
  });

  test('the API has no SQL, no Temporal SDK and no mail library', () => {
    const barred = /^(kysely|pg|nodemailer|smtp-server|postal-mime|@temporalio\/.*|@mikro-orm\/.*)$/;
    expect(imports.filter(({ from, to }) => layerOf(from) === 'api' && barred.test(to)).map(described)).toEqual([]);
  });

  test('SQL and the ORM stay in db; only the migration program opens a connection of its own', () => {
    const wrong = imports.filter(({ from, to }) => /^(kysely|pg|@mikro-orm\/.*)$/.test(to) && layerOf(from) !== 'db');
    expect(wrong.filter(({ from }) => !['bin/migrate.ts', 'local/postgres.ts'].includes(from)).map(described)).toEqual([]);
  });

  test('queries emit no event, enqueue nothing and signal nobody, but as part of a statement', () => {
    expect(PRIMITIVES.filter((file) => !files.includes(file))).toEqual([]);
    const effect = /^(emit|emitAll|enqueue|signal[A-Z].*)$/;
    const found = imports.filter(
      ({ to, names }) => names.some((name) => effect.test(name)) || (PRIMITIVES.includes(to) && names.includes('*')),
    );
    expect(new Set(found.map(({ from }) => layerOf(from)))).toContain('usecases');
    const wrong = found.filter(({ from }) => layerOf(from) === 'db' && !PRIMITIVES.includes(from));
    expect(wrong.map(described)).toEqual([]);
  });

  test('queries refuse nothing: what they found is a result, and who asked makes an error of it', () => {
    const found = imports.filter(({ to, names }) => to === 'domain/errors.ts' && names.some((name) => !NO_REFUSALS.includes(name)));
    expect(new Set(found.map(({ from }) => layerOf(from)))).toContain('usecases');
    expect(found.filter(({ from }) => layerOf(from) === 'db').map(described)).toEqual([]);
  });

  test('domain does no input or output', () => {
    const barred =
      /^(node:)?(fs|net|http|https|http2|dns|dgram|tls|child_process|worker_threads|timers)(\/.*)?$|^(undici|koa|pino|pg|kysely)$/;
    expect(imports.filter(({ from, to }) => layerOf(from) === 'domain' && barred.test(to)).map(described)).toEqual([]);
  });

  test('what is bundled with the workflows holds no zod, ORM or Node built-in', () => {
    const bundled = loadedWith(files.filter((file) => layerOf(file) === 'workflows'));
    const outside = imports.filter(({ from, own, typesOnly }) => bundled.has(from) && !own && !typesOnly);
    const wrong = outside.filter(({ to }) => to !== '@temporalio/workflow' && to !== '@temporalio/common');
    expect(wrong.map(described)).toEqual([]);
    expect(outside.some(({ to }) => builtinModules.includes(to.replace(/^node:/, '')))).toBe(false);
  });

  test('what is bundled with the workflows has no variable of a module: all runs of a thread share its modules', () => {
    const bundled = [...loadedWith(files.filter((file) => layerOf(file) === 'workflows'))].filter((file) => files.includes(file));
    expect(bundled).toContain('workflows/enrollment/run.ts');
    expect(bundled.filter((file) => /^(?:export )?(?:let|var)\b/m.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  test('no process simulates but in a thread that can be ended', () => {
    const loaded = loadedWith(files.filter((file) => ABOVE.includes(layerOf(file))));
    expect(loaded).toContain('sending/compose/authoring.ts');
    expect(loaded).not.toContain('domain/sequences/simulate.ts');
    expect(loadedWith(['sending/compose/authoring-thread.ts'])).toContain('domain/sequences/simulate.ts');
  });
});

/** Like importsOf for every file that a bundler reads: packages and files as they are written. */
const consoleFiles = readdirSync(join(ROOT, 'console/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join('console/src', name));
const consoleImports = consoleFiles.flatMap(importsOf);

test('no file imports itself through others, for a type neither', () => {
  const way = (from: string, to: string): Import => ({ from, to, own: true, typesOnly: false, names: ['*'] });
  expect(inCircles([way('a', 'b'), way('b', 'c'), way('c', 'b'), way('c', 'd')])).toEqual(['b', 'c']);
  expect(inCircles([...imports, ...consoleImports])).toEqual([]);
});

describe('the console', () => {
  test('imports nothing of ours but itself and what is made from the OpenAPI document and the scopes of keys', () => {
    expect(consoleFiles.length).toBeGreaterThan(20);
    const ours = consoleImports.filter(({ own }) => own);
    const outside = ours.filter(
      ({ to, typesOnly }) =>
        !(
          to.startsWith('console/src/') ||
          to === 'console/generated/operation-scopes.ts' ||
          to === 'console/generated/key-scopes.ts' ||
          (to === 'console/generated/api.d.ts' && typesOnly)
        ),
    );
    expect(outside.map(described).filter((line) => !line.endsWith('console/favicon.svg'))).toEqual([]);
    expect(ours.some(({ to }) => to === 'console/generated/api.d.ts')).toBe(true);
  });

  test('is imported by nobody: the API serves what was built of it', () => {
    expect(imports.filter(({ to, own }) => own && to.startsWith('console/')).map(described)).toEqual([]);
  });

  test('has its packages among those that the image does without, but for what the API reads JSON with too', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    const packages = consoleImports.filter(({ own }) => !own).map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)![0]);
    expect(new Set(packages.filter((name) => name in dependencies))).toEqual(new Set(['jsonc-parser']));
  });
});

test('the environment is read in one place, and by the guards that hand it on to child processes', () => {
  const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(readers.filter((file) => LAYERS.includes(layerOf(file)))).toEqual(['platform/config.ts']);
});
