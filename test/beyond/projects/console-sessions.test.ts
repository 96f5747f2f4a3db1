import { beforeAll, describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../../db/queries/projects/api-keys.ts';
import { openConsoleSession } from '../../../db/queries/projects/console-sessions.ts';
import { MOST_SESSIONS, SESSION_IDLE_MS, SESSION_MS } from '../../../domain/projects/console-sessions.ts';
import { sha256 } from '../../../domain/projects/crypto.ts';
import { changeProject } from '../../../usecases/projects/change-project.ts';
import { admin } from '../../support/admin.ts';
import { askConsole, cookieOf, type Seat, signInToConsole } from '../../support/console-sessions.ts';
import { testEnvironment } from '../../support/environment.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const nobody = { status: 401, body: { ok: false, code: 'unauthorized' } };

async function isOut(seat: Seat): Promise<void> {
  expect(await seat.ask('GET', '/api/v1/me')).toMatchObject(nobody);
  expect(await askConsole('GET', '/session', { cookie: seat.cookie })).toMatchObject(nobody);
}

async function adminJson(args: readonly string[]) {
  const { databaseUrl, secretKey } = testEnvironment();
  const { code, stdout, stderr } = await admin([...args, '--json'], { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** As if it had been opened, or used last, so long ago. */
async function age(seat: Seat, column: 'created_at' | 'last_used_at', ms: number): Promise<void> {
  const em = await database();
  await em.execute(`update console_sessions set ${column} = ${column} - interval '${ms} milliseconds' where id = '${seat.id}'`);
}

describe('signing in', () => {
  test('stores nothing that lets anybody in: neither the key nor the secret of the session', async () => {
    const seat = await signInToConsole(project.key);
    const secret = seat.cookie.split('=')[1]!;
    const [row] = await (await database()).execute(`select * from console_sessions where id = '${seat.id}'`);
    expect(row!.hash).toEqual(sha256(secret));
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.stringify(row)).not.toContain('ep_live');
  });

  test('takes no unknown or revoked key, and none of a suspended project', async () => {
    const { id, key } = await project.newKey(['*']);
    await revokeApiKey(await database(), id, new Date());
    const suspended = await newProject();
    await changeProject(await database(), suspended.id, { status: 'suspended' });
    for (const given of [{}, { authorization: 'Bearer nonsense' }, { authorization: `Bearer ${key}` }]) {
      const told = await askConsole('POST', '/session', given);
      expect(told).toMatchObject(nobody);
      expect(told.headers.getSetCookie()).toEqual([]);
    }
    expect(await askConsole('POST', '/session', { authorization: `Bearer ${suspended.key}` })).toMatchObject({
      status: 403,
      body: { code: 'project_suspended' },
    });
  });

  test('with the key of another project is instead of the session before, which ends', async () => {
    const other = await newProject();
    const before = await signInToConsole(project.key);
    const after = await signInToConsole(other.key, before.cookie);
    await isOut(before);
    expect((await after.ask('GET', '/api/v1/me')).body.project.slug).toBe(other.slug);
  });
});

describe('a session', () => {
  test('may exactly what its key may', async () => {
    const { key, api: by } = await project.newKey(['contacts:read']);
    const seat = await signInToConsole(key);
    expect((await seat.ask('GET', '/api/v1/me')).body.scopes).toEqual(['contacts:read']);
    expect((await seat.ask('GET', '/api/v1/contacts')).status).toBe(200);
    const contact = { email: project.address('beyond') };
    for (const [method, path, body] of [
      ['POST', '/contacts', contact],
      ['POST', '/send', { to: contact.email, template: 'welcome' }],
      ['GET', '/keys', undefined],
    ] as const) {
      const [ofKey, ofSession] = [await by.call(method, path, body), await seat.ask(method, `/api/v1${path}`, body)];
      expect(ofSession).toMatchObject({ status: 403, body: ofKey.body });
    }
    expect((await project.api.get(`/contacts?q=${contact.email}`)).body.contacts).toEqual([]);
  });

  test('of a test key is one of a test key', async () => {
    const seat = await signInToConsole((await project.newKey(['*'], true)).key);
    expect((await seat.ask('GET', '/api/v1/me')).body.key.is_test).toBe(true);
    expect(await seat.ask('POST', '/api/v1/contacts', { email: project.address() })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });

  test('ends at once when its key is revoked', async () => {
    const { id, key } = await project.newKey(['*']);
    const seat = await signInToConsole(key);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(200);
    await revokeApiKey(await database(), id, new Date());
    await isOut(seat);
  });

  test('of a suspended project is refused as its key is, until that goes on', async () => {
    const suspended = await newProject();
    const seat = await signInToConsole(suspended.key);
    await changeProject(await database(), suspended.id, { status: 'suspended' });
    expect(await seat.ask('GET', '/api/v1/contacts')).toMatchObject({ status: 403, body: { code: 'project_suspended' } });
    await changeProject(await database(), suspended.id, { status: 'active' });
    expect((await seat.ask('GET', '/api/v1/contacts')).status).toBe(200);
  });

  test('ends when nobody used it for two hours', async () => {
    const seat = await signInToConsole(project.key);
    await age(seat, 'last_used_at', SESSION_IDLE_MS - 60_000);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(200);
    // That was a use, from which the time begins anew.
    await age(seat, 'last_used_at', SESSION_IDLE_MS - 60_000);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(200);
    await age(seat, 'last_used_at', SESSION_IDLE_MS + 1);
    await isOut(seat);
  });

  test('ends twelve hours after signing in, used or not', async () => {
    const seat = await signInToConsole(project.key);
    await age(seat, 'created_at', SESSION_MS - 60_000);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(200);
    await age(seat, 'created_at', 60_000);
    await isOut(seat);
  });

  test('ends when it signs out, and the cookie with it; signing out again is as good', async () => {
    const seat = await signInToConsole(project.key);
    for (const deleted of [true, false]) {
      const { status, headers, body } = await seat.ask('DELETE', '/session');
      expect([status, body.deleted]).toEqual([200, deleted]);
      expect(headers.getSetCookie()[0]).toMatch(/^everpost_[0-9a-f]{8}=; .*Max-Age=0$/);
    }
    await isOut(seat);
  });

  test('counts as a use of its key', async () => {
    const { id, key } = await project.newKey(['keys:read']);
    const seat = await signInToConsole(key);
    await (await database()).execute(`update api_keys set last_used_at = now() - interval '1 day' where id = '${id}'`);
    const used = (await seat.ask('GET', '/api/v1/keys')).body.keys.find((one: { id: string }) => one.id === id).last_used_at;
    expect(Date.now() - Date.parse(used)).toBeLessThan(3_600_000);
  });
});

describe('sessions are listed and ended', () => {
  test('by another of the same key, and by no one else', async () => {
    const { key } = await project.newKey(['contacts:read']);
    const [first, second] = [await signInToConsole(key), await signInToConsole(key)];
    const stranger = await signInToConsole(project.key);
    const { sessions } = (await second.ask('GET', '/sessions')).body;
    expect(sessions.map(({ id, is_current }: { id: string; is_current: boolean }) => [id, is_current]).sort()).toEqual(
      [
        [first.id, false],
        [second.id, true],
      ].sort(),
    );
    expect(Object.keys(sessions[0]).sort()).toEqual(['created_at', 'id', 'is_current', 'last_used_at', 'user_agent']);
    for (const id of [first.id, 'none']) {
      expect(await stranger.ask('DELETE', `/sessions/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await first.ask('GET', '/api/v1/me')).status).toBe(200);
    expect((await second.ask('DELETE', `/sessions/${first.id}`)).body).toEqual({ ok: true, deleted: true });
    await isOut(first);
    expect((await second.ask('GET', '/api/v1/me')).status).toBe(200);
  });

  test('by the operator, of a whole project', async () => {
    const own = await newProject();
    const seats = [await signInToConsole(own.key), await signInToConsole((await own.newKey([])).key)];
    const listed = (await adminJson(['session', 'list', own.slug])) as { id: string; hash?: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(seats.map(({ id }) => id).sort());
    expect(listed.filter(({ hash }) => hash)).toEqual([]);
    await adminJson(['session', 'end', seats[0]!.id]);
    await isOut(seats[0]!);
    expect((await seats[1]!.ask('GET', '/api/v1/me')).status).toBe(200);
  });

  test('beyond fifty of a key those used least lately end by themselves', async () => {
    const { id: keyId, key } = await project.newKey([]);
    const first = await signInToConsole(key);
    await age(first, 'last_used_at', 60_000);
    const em = await database();
    for (let count = 1; count < MOST_SESSIONS; count++) {
      await openConsoleSession(em, { id: crypto.randomUUID(), keyId, userAgent: undefined, replaces: undefined }, new Date());
    }
    expect((await askConsole('GET', '/session', { cookie: first.cookie })).status).toBe(200);
    await age(first, 'last_used_at', 120_000);
    const last = await signInToConsole(key);
    await isOut(first);
    expect((await last.ask('GET', '/sessions')).body.sessions.length).toBe(MOST_SESSIONS);
  });
});

test('what is there takes the methods that it has, and no others', async () => {
  const told = await askConsole('PUT', '/session');
  expect([told.status, told.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  expect(cookieOf(told.headers)).toBe('');
});
