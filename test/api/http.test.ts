import { beforeAll, describe, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { newContact } from '../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const envelope = (code: string) => ({ ok: false, error: expect.any(String), code });

describe('addresses and methods', () => {
  test('an unknown path is 404 before the key is looked at', async () => {
    for (const path of ['/nothing', '/contacts/', '/Contacts', '//contacts', '/contacts/a/b/c']) {
      const { status, body } = await api().get(path);
      expect({ path, status, body }).toEqual({ path, status: 404, body: envelope('not_found') });
    }
  });

  test('a known path with another method is 405 and says which would do', async () => {
    for (const [method, path, allowed] of [
      ['DELETE', '/contacts', ['GET', 'HEAD', 'POST']],
      ['GET', '/send', ['POST']],
      ['PUT', '/health', ['GET', 'HEAD', 'POST']],
      ['POST', '/openapi.json', ['GET', 'HEAD']],
      // Not of a segment whose id would be "preview".
      ['PATCH', '/segments/preview', ['POST']],
      ['DELETE', '/segments/preview', ['POST']],
      ['GET', '/segments/preview', ['POST']],
      ['OPTIONS', '/segments/preview', ['POST']],
    ] as const) {
      const { status, headers, body } = await api().call(method, path);
      expect({ status, body }).toEqual({ status: 405, body: envelope('method_not_allowed') });
      expect(headers.get('allow')?.split(', ').sort()).toEqual(allowed);
    }
  });

  test('an id in a path that is no UUID, or cannot even be decoded, is 404', async () => {
    for (const id of ['1', 'not-an-id', '%00', '%zz', '%ff', `${'a'.repeat(3000)}`, '01990000-0000-7000-8000-00000000000g']) {
      const { status, body } = await project.api.get(`/contacts/${id}`);
      expect({ id, status, code: body.code }).toEqual({ id, status: 404, code: 'not_found' });
    }
  });

  test('HEAD answers as GET does, without a body', async () => {
    const head = await project.api.call('HEAD', '/contacts');
    const get = await project.api.get('/contacts');
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await api().call('HEAD', '/contacts')).status).toBe(401);
  });

  test('there are no CORS headers, no cookies and no redirects', async () => {
    const { status, headers } = await api().call('OPTIONS', '/contacts', undefined, {
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    });
    expect(status).toBe(405);
    const read = await project.api.get('/contacts', { headers: { origin: 'https://example.com' } });
    for (const answer of [headers, read.headers]) {
      expect([...answer.keys()].filter((name) => /^access-control-|^set-cookie$|^location$/.test(name))).toEqual([]);
    }
  });

  test("every answer carries X-Request-Id: the caller's plain one, else a new one", async () => {
    const given = await api().get('/nothing', { headers: { 'x-request-id': 'mine-1' } });
    expect(given.headers.get('x-request-id')).toBe('mine-1');
    const replaced = await project.api.get('/contacts', { headers: { 'x-request-id': 'not plain' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('no answer is kept or guessed at by anything on its way', async () => {
  const answers = [await project.api.get('/contacts'), await project.api.post('/contacts', {}), await api().get('/contacts')];
  for (const { headers } of [...answers, await api().get('/nothing'), await api().get('/health'), await api().get('/openapi.json')]) {
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
  }
});

describe('queries', () => {
  test('a parameter given twice, an empty limit, or one out of bounds is 422', async () => {
    for (const query of [
      'limit=1&limit=2',
      'limit=',
      'limit=0',
      'limit=251',
      'limit=1.5',
      'limit=-1',
      'limit=1e2',
      'limit=abc',
      'q=a&q=b',
      'status=nope',
      'direction=up',
    ]) {
      const { status, body } = await project.api.get(`/contacts?${query}`);
      expect({ query, status, code: body.code }).toEqual({ query, status: 422, code: 'invalid_request' });
      expect(body.issues[0].path).toBe(query.split('=')[0]);
    }
    expect((await project.api.get('/contacts?limit=250')).status).toBe(200);
  });

  test('NUL is refused, and bytes that are no UTF-8 match nothing', async () => {
    const { status, body } = await project.api.get('/contacts?q=a%00b');
    expect([status, body.issues]).toEqual([422, [{ path: 'q', message: expect.any(String) }]]);
    expect((await project.api.get('/contacts?q=%ED%A0%80')).body).toMatchObject({ contacts: [], totalCount: 0 });
  });
});

describe('records', () => {
  test('timestamps are UTC with milliseconds and ids are UUIDv7', async () => {
    const id = await newContact(project, project.address());
    const { contact } = (await project.api.get(`/contacts/${id}`)).body;
    expect(contact.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    for (const name of ['created_at', 'updated_at', 'consent_at'])
      expect(contact[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('pages without a key', () => {
  test('health says that the process lives, by GET and POST, whatever is sent along', async () => {
    for (const answer of [await api().get('/health'), await api().post('/health'), await api().post('/health', { any: 1 })]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ok: true,
        status: 'ok',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        uptimeSeconds: expect.any(Number),
      });
    }
  });

  test('ready says that the database and Temporal answer', async () => {
    const { status, body } = await api().get('/ready');
    expect([status, body]).toEqual([200, { ok: true, checks: { database: 'ok', temporal: 'ok' } }]);
  });

  test('docs is a page under a strict policy that loads only its own scripts', async () => {
    const { apiUrl } = testEnvironment();
    const page = await fetch(`${apiUrl}/docs`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const [, src] of html.matchAll(/<script src="([^"]+)"/g)) {
      const script = await fetch(new URL(src!, `${apiUrl}/docs`));
      expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
      expect((await script.text()).length).toBeGreaterThan(100);
      const again = await fetch(new URL(src!, `${apiUrl}/docs`), {
        headers: { 'if-none-match': script.headers.get('etag')!, 'cache-control': 'max-age=0' },
      });
      expect(again.status).toBe(304);
    }
  });
});
