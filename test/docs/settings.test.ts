import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { composeService } from '../support/compose.ts';

/** Of the container image, which listens on its own addresses. */
const OF_THE_IMAGE = ['HOST', 'PORT', 'DATA_DIR'];
/** Of what `npm start` brings up, which docker compose has for itself. */
const OF_EMBEDDED_SERVERS = ['TEMPORAL_UI_PORT', 'MAILBOX_PORT', 'TEMPORAL_CLI_PATH', 'XDG_CACHE_HOME'];

const SETTINGS = settingsRead();

function settingsRead(): string[] {
  const names = new Set<string>();
  readConfig(new Proxy<Record<string, undefined>>({}, { get: (_, name) => void names.add(String(name)) }));
  return [...names].sort();
}

test('docs/settings.md has every setting, and no other', () => {
  const rows = readFileSync('docs/settings.md', 'utf8').matchAll(/^\| (`[A-Z].*?) \|/gm);
  const named = [...rows].flatMap(([, names]) => Array.from(names!.matchAll(/`(\w+)`/g), ([, name]) => name));
  expect(named.sort()).toEqual(SETTINGS);
});

/** Of the SMTP entrance, which no other program has. */
const OF_SMTP = SETTINGS.filter((name) => name.startsWith('SMTP_'));
const COMMON = SETTINGS.filter((name) => ![...OF_THE_IMAGE, ...OF_EMBEDDED_SERVERS, ...OF_SMTP].includes(name));

test.each(['api', 'worker', 'migrate', 'smtp'])('docker compose hands every setting that it does not decide on to %s', (service) => {
  const settings = service === 'smtp' ? [...COMMON, ...OF_SMTP] : COMMON;
  const values = Object.fromEntries([...settings, 'POSTGRES_PASSWORD'].map((name) => [name, `of ${name}`]));
  expect(composeService(service, values).environment).toEqual({
    ...Object.fromEntries(settings.map((name) => [name, values[name]])),
    DATABASE_URL: expect.stringContaining('@postgres:5432/'),
    TEMPORAL_ADDRESS: 'temporal:7233',
    // Where it mounts the folder.
    TEMPLATES_DIR: '/templates',
    ...(service === 'smtp' && { SMTP_HOST: '0.0.0.0', SMTP_PORT: '2525', SMTP_TLS_CERT: '/tls/cert.pem', SMTP_TLS_KEY: '/tls/key.pem' }),
  });
});

test('docker compose reads no folder of templates unless it is told one', () => {
  const required = ['POSTGRES_PASSWORD', 'SECRET_KEY', 'EMAIL_PROVIDER_URL', 'PUBLIC_URL'];
  const { environment } = composeService('api', Object.fromEntries(required.map((name) => [name, 'any'])));
  expect(environment.TEMPLATES_DIR).toBe('');
});

test('.env.example names every variable of docker compose, and no other', () => {
  const read = readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+)[:?]/g);
  const named = readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z_]+)=/gm);
  expect(Array.from(named, ([, name]) => name).sort()).toEqual([...new Set(Array.from(read, ([, name]) => name))].sort());
});
