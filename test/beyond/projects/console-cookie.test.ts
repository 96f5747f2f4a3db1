import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { beforeAll, describe, expect, test } from 'vitest';
import { setSessionCookie } from '../../../api/console-session-cookie.ts';
import { SESSION_MS } from '../../../domain/projects/console-sessions.ts';
import { askConsole, type Seat, signInToConsole } from '../../support/console-sessions.ts';
import { testEnvironment } from '../../support/environment.ts';
import { newProject, type TestProject } from '../../support/project.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const nobody = { status: 401, body: { ok: false, code: 'unauthorized' } };

describe('signing in', () => {
  test('gives a cookie that no script reads, no other site sends and no disk keeps, for the path of the console alone', async () => {
    const { status, headers, body } = await askConsole('POST', '/session', { authorization: `Bearer ${project.key}` });
    expect([status, body.session.project, headers.get('cache-control')]).toEqual([201, project.slug, 'no-store']);
    expect(Date.parse(body.session.ends_at) - Date.parse(body.session.created_at)).toBe(SESSION_MS);
    const [name, ...attributes] = headers.getSetCookie()[0]!.split('; ');
    expect(name).toMatch(/^everpost_[0-9a-f]{8}=[0-9A-Za-z]{43}$/);
    // Without Path it is that of the folder, /console; without Max-Age it ends with the browser.
    expect(attributes).toEqual(['HttpOnly', 'SameSite=Strict']);
  });

  test('gives a cookie that goes by https alone where PUBLIC_URL is https', async () => {
    const app = new Koa();
    app.use((ctx) => {
      setSessionCookie(ctx as never, 'https://mail.example', 'secret');
      ctx.body = '';
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/console/session`);
    server.close();
    expect(response.headers.getSetCookie()[0]).toMatch(/^everpost_[0-9a-f]{8}=secret; HttpOnly; SameSite=Strict; Secure$/);
  });
});

describe('the cookie alone', () => {
  let seat: Seat;

  beforeAll(async () => {
    seat = await signInToConsole(project.key);
  });

  test('changes and reads nothing: the name of the session has to stand in a header', async () => {
    const email = project.address('forged');
    for (const named of [{}, { 'everpost-session': '' }, { 'everpost-session': 'another' }]) {
      const headers = { cookie: seat.cookie, ...named };
      expect(await askConsole('POST', '/api/v1/contacts', headers, { email })).toMatchObject(nobody);
      expect(await askConsole('GET', '/api/v1/contacts', headers)).toMatchObject(nobody);
      expect(await askConsole('GET', '/sessions', headers)).toMatchObject(nobody);
      expect(await askConsole('DELETE', `/sessions/${seat.id}`, headers)).toMatchObject(nobody);
    }
    expect(await askConsole('DELETE', '/session', { cookie: seat.cookie })).toMatchObject(nobody);
    expect((await project.api.get(`/contacts?q=${email}`)).body.contacts).toEqual([]);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(200);
  });

  test('a link that saves a file names the session in its address: a GET alone may, and without the cookie it is worth nothing', async () => {
    const seat = await signInToConsole(project.key);
    const named = (path: string, id = seat.id) => `/api/v1${path}?everpost-session=${id}`;
    const own = { cookie: seat.cookie };
    expect(await askConsole('GET', named('/me'), own)).toMatchObject({ status: 200, body: { project: { slug: project.slug } } });
    // It is no filter of what is asked for.
    expect(await askConsole('GET', `${named('/contacts')}&limit=1`, own)).toMatchObject({
      status: 200,
      body: { contacts: expect.any(Array) },
    });
    expect(await askConsole('GET', named('/me'))).toMatchObject(nobody);
    expect(await askConsole('GET', named('/me', 'another'), own)).toMatchObject(nobody);
    expect(await askConsole('POST', named('/contacts'), own, { email: project.address() })).toMatchObject(nobody);
  });

  test('is nothing to the API of programs, which sets none either', async () => {
    const response = await fetch(`${testEnvironment().apiUrl}/api/v1/me`, {
      headers: { cookie: seat.cookie, 'everpost-session': seat.id },
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
  });

  test('no other site may ask whether it could send that header', async () => {
    for (const path of ['/api/v1/contacts', '/session']) {
      const { status, headers } = await askConsole('OPTIONS', path, {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'everpost-session',
      });
      expect(status).toBe(405);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('twice is none: another host of the domain has set one of them', async () => {
    const other = await signInToConsole(project.key);
    const headers = { cookie: `${other.cookie}; ${seat.cookie}`, 'everpost-session': seat.id };
    expect(await askConsole('GET', '/api/v1/me', headers)).toMatchObject(nobody);
  });
});

test('a key is nothing to the calls of the console: they go by a session', async () => {
  expect(await askConsole('GET', '/api/v1/me', { authorization: `Bearer ${project.key}` })).toMatchObject(nobody);
  expect((await askConsole('GET', '/api/v1/health')).status).toBe(200);
});

test('what was meant for one session does not reach another that took its place', async () => {
  const before = await signInToConsole(project.key);
  const after = await signInToConsole((await newProject()).key, before.cookie);
  const told = await askConsole(
    'POST',
    '/api/v1/contacts',
    { cookie: after.cookie, 'everpost-session': before.id },
    {
      email: project.address(),
    },
  );
  expect(told).toMatchObject(nobody);
  expect((await after.ask('GET', '/api/v1/contacts')).body.contacts).toEqual([]);
});
