import { mkdtemp } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningMailbox, startMailbox } from '../../local/mailbox.ts';
import { freePort } from '../../local/ports.ts';
import { startBrowser } from '../support/browser.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

let mailbox: RunningMailbox;
let port: number;

beforeAll(async () => {
  port = await freePort();
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'mailbox-'));
  mailbox = await startMailbox({ dataDir, pagePort: port, progress: () => {} });
});

afterAll(async () => {
  await mailbox?.process.stop();
});

interface Answer {
  /** undefined: the connection was closed without one. */
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

function ask(path: string, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, ...options }, async (response) => {
      resolve({ status: response.statusCode, body: await text(response), headers: response.headers });
    });
    call.once('upgrade', ({ statusCode, headers }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, body: '', headers });
    });
    call.once('error', () => resolve({ status: undefined, body: '', headers: {} }));
    call.end();
  });
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const POLLING = '/socket.io/?EIO=4&transport=polling';
const WEBSOCKET = '/socket.io/?EIO=4&transport=websocket';

describe('the local mailbox', () => {
  test('answers its own page and programs on this machine', async () => {
    expect(await ask('/email', {})).toMatchObject({ status: 200, body: '[]' });
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost:9999']) {
      const headers = { host, origin: `http://${host}` };
      expect(await ask('/', { headers })).toMatchObject({ status: 200, body: expect.stringContaining('MailDev') });
      expect(await ask('/email', { headers })).toMatchObject({ status: 200, body: '[]' });
      expect(await ask(POLLING, { headers })).toMatchObject({ status: 200 });
      expect(await ask(WEBSOCKET, { headers: { ...headers, ...UPGRADE } })).toMatchObject({ status: 101 });
    }
  });

  test.each([
    ['another site', { origin: 'https://site.example' }],
    ['another program of this machine with a page', { origin: 'http://localhost:5173' }],
    ['a page without an origin', { origin: 'null' }],
    ['a site whose name leads to this machine', { host: 'site.example' }],
    ['a site whose name leads to this machine and says so', { host: 'site.example', origin: 'http://site.example' }],
  ])('answers nothing to %s', async (_, headers) => {
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const answer = await ask('/email/all', { method, headers });
      expect(answer).toMatchObject({ status: 403, body: expect.not.stringContaining('[') });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect((await ask(POLLING, { headers })).status).toBe(403);
    expect((await ask(WEBSOCKET, { headers: { ...headers, ...UPGRADE } })).status).toBeUndefined();
  });

  test("shows a mail's HTML without its scripts, with its styles and links", async () => {
    const sender = createTransport(mailbox.smtpUrl.href);
    const html = [
      '<style>p { color: rgb(1, 2, 3) }</style><p>Hello</p><a href="https://site.example/">there</a>',
      "<script>document.querySelector('p').textContent = 'ran'</script>",
      `<img src="data:," onerror="document.querySelector('p').textContent = 'ran'">`,
    ].join('');
    const page = { filename: 'page.html', content: '<script>document.title = "ran"</script>' };
    await sender.sendMail({ from: 'a@one.example', to: 'b@two.example', subject: 'Hi', html, attachments: [page] });
    // It says that it has the mail a moment before it shows it.
    const [{ id, attachments }] = await eventually(async () => {
      const mails = JSON.parse((await ask('/email', {})).body);
      return mails.length > 0 && mails;
    });
    const attached = `/email/${id}/attachment/${attachments[0].generatedFileName}`;
    for (const path of [`/email/${id}/html`, `/EMAIL/${id}/html`, attached, `/email/${id}/source`]) {
      const { status, headers } = await ask(path, {});
      expect([status, headers['content-security-policy']]).toEqual([
        200,
        expect.stringMatching(/^sandbox (?!.*allow-scripts).*default-src 'none'/),
      ]);
    }
    const browser = await startBrowser();
    try {
      const shown = await browser.newPage();
      await shown.goto(`http://localhost:${port}/#/email/${id}`);
      const frame = shown.frameLocator('iframe').first();
      // The page does that half a second after it has the mail: it still reaches into the frame.
      await frame.locator('base[target=_blank]').waitFor({ state: 'attached' });
      expect(await frame.locator('p').textContent()).toBe('Hello');
      expect(await frame.locator('p').evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element).color)).toBe(
        'rgb(1, 2, 3)',
      );
      await Promise.all([shown.waitForEvent('popup'), frame.getByText('there').click()]);
      expect(shown.url()).toBe(`http://localhost:${port}/#/email/${id}`);
      const alone = await browser.newPage();
      await alone.goto(`http://localhost:${port}/email/${id}/html`);
      expect(await alone.locator('p').textContent()).toBe('Hello');
      await alone.goto(`http://localhost:${port}${attached}`);
      expect(await alone.title()).toBe('');
    } finally {
      await browser.close();
    }
  });

  test('tells no browser that another origin may read an answer', async () => {
    expect((await ask('/email', {})).headers).not.toHaveProperty('access-control-allow-origin');
  });
});
