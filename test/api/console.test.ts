import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Koa from 'koa';
import { afterAll, describe, expect, test } from 'vitest';
import { consolePage } from '../../api/console.ts';
import { type ConsoleState, writeConsoleState } from '../../api/console-state.ts';
import { errorEnvelope } from '../../api/middleware/error-envelope.ts';
import { createLogger } from '../../platform/logger.ts';
import { startBrowser } from '../support/browser.ts';
import { testEnvironment } from '../support/environment.ts';

const SCRIPT = `${'console.log("some text that is worth compressing");'.repeat(50)}`;
const INDEX =
  '<!doctype html>\n<html lang="en">\n<head>\n<script type="module" src="./assets/index-a1.js"></script>\n</head>\n<body></body>\n</html>\n';
const BUILD = '0123456789abcdef';

const servers: Server[] = [];

afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

interface Served {
  readonly url: string;
  become(state: ConsoleState): Promise<void>;
}

/** The console's middleware alone, on a folder of builds of its own. */
async function serve(state?: ConsoleState): Promise<Served> {
  const dist = await mkdtemp(join(testEnvironment().scratchDir, 'console-'));
  await mkdir(join(dist, BUILD, 'assets'), { recursive: true });
  await writeFile(join(dist, BUILD, 'index.html'), INDEX);
  await writeFile(join(dist, BUILD, 'assets', 'index-a1.js'), SCRIPT);
  await writeFile(join(dist, BUILD, 'assets', 'index-a1.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(dist, BUILD, 'assets', 'index-a1.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(dist, 'secret.txt'), 'not to be read');
  if (state) await writeConsoleState(state, dist);
  const app = new Koa();
  app.use(errorEnvelope(createLogger('silent', {})) as Koa.Middleware);
  app.use(consolePage(dist));
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, become: (next) => writeConsoleState(next, dist) };
}

const ready: ConsoleState = { state: 'ready', build: BUILD };

describe('the page', () => {
  test('is the same at every address below /console, and finds its files from there', async () => {
    const { url } = await serve(ready);
    for (const path of ['/console', '/console/', '/console/contacts', '/console/contacts/0190', '/console/a/b/c%2Fd?q=1']) {
      const address = new URL(path, url);
      const response = await fetch(address);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const [, script = ''] = /src="([^"]+)"/.exec(await response.text()) ?? [];
      expect([path, new URL(script, address).pathname]).toEqual([path, '/console/assets/index-a1.js']);
    }
  });

  test('may load nothing from elsewhere, runs no inline script, and is never kept', async () => {
    const { url } = await serve(ready);
    const answers = await Promise.all([1, 2].map(() => fetch(`${url}/console`)));
    const policies = answers.map(({ headers }) => headers.get('content-security-policy')!);
    expect(answers[0]!.headers.get('cache-control')).toBe('no-cache');
    expect(answers[0]!.headers.get('etag')).toBeNull();
    for (const policy of policies) {
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
    }
    const nonces = policies.map((policy) => /'nonce-([^']+)'/.exec(policy)?.[1]);
    expect(new Set(nonces).size).toBe(2);
    expect(await answers[0]!.text()).toContain(`nonce="${nonces[0]}"`);
  });

  test('takes GET and HEAD only', async () => {
    const { url } = await serve(ready);
    expect((await fetch(`${url}/console`, { method: 'HEAD' })).status).toBe(200);
    const refused = await fetch(`${url}/console`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('its files', () => {
  test('are kept for good and come as small as the browser can take them', async () => {
    const { url } = await serve(ready);
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await fetch(`${url}/console/assets/index-a1.js`, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(await response.text()).toBe(SCRIPT);
    }
  });

  test('are those of the build and no others', async () => {
    const { url } = await serve(ready);
    for (const name of ['index-a2.js', '..%2f..%2fsecret.txt', '%2e%2e/%2e%2e/secret.txt', '../../secret.txt', '']) {
      const response = await fetch(`${url}/console/assets/${name}`);
      expect(await response.text()).not.toContain('not to be read');
      if (new URL(`${url}/console/assets/${name}`).pathname.startsWith('/console/assets/')) expect(response.status).toBe(404);
    }
  });
});

describe('while there is no build', () => {
  test('a page says so and looks again by itself, until the console is there, and keeps the key of the link', async () => {
    const { url, become } = await serve();
    const missing = await fetch(`${url}/console/contacts`);
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([503, 'no-store']);
    // Where no script runs.
    expect(await missing.text()).toMatch(/http-equiv="refresh"[\s\S]*is not built[\s\S]*npm run build:console/);
    const browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(`${url}/console/contacts#key=secret`);
    await page.getByText('npm run build:console').first().waitFor();
    await become({ state: 'building' });
    await page.getByText('The console is being built').waitFor();
    expect(await (await fetch(`${url}/console`)).text()).toMatch(/http-equiv="refresh"[\s\S]*is being built/);
    await become(ready);
    expect((await fetch(`${url}/console`)).status).toBe(200);
    await page.locator('script[src$="assets/index-a1.js"]').waitFor({ state: 'attached' });
    expect(page.url()).toBe(`${url}/console/contacts#key=secret`);
    await browser.close();
  });

  test('a failed build is told in words, as text', async () => {
    const { url } = await serve({ state: 'failed', message: 'error TS2339: <b>no property</b>' });
    const response = await fetch(`${url}/console`);
    expect(response.status).toBe(503);
    expect(await response.text()).toMatch(/could not be built[\s\S]*error TS2339: &lt;b&gt;no property/);
  });
});

test('the frame for previews runs no script, and loads pictures of other hosts only where that is asked for', async () => {
  const policyOf = async (query: string): Promise<string[]> => {
    const response = await fetch(`${testEnvironment().apiUrl}/console/preview-frame${query}`);
    expect([response.status, response.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    return response.headers.get('content-security-policy')!.split('; ');
  };
  const [own, all] = [await policyOf(''), await policyOf('?pictures=all')];
  for (const policy of [own, all]) {
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'self'", "form-action 'none'"]));
    expect(policy.filter((directive) => directive.startsWith('script-src'))).toEqual([]);
  }
  expect(own).toContain("img-src 'self' data:");
  expect(all).toContain("img-src 'self' data: https: http:");
});

test('the running API serves it without a key', async () => {
  const response = await fetch(`${testEnvironment().apiUrl}/console`);
  expect([200, 503]).toContain(response.status);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
});
