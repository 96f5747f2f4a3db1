import { createHmac } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import type * as client from '@everpost/client';
import { build, type Rolldown } from 'vite';
import { expect, test, vi } from 'vitest';

/** What browsers, edges, Deno and Bun have in common, beside the language. */
const WEB = {
  ...{ AbortController, Blob, File, FormData, Headers, ReadableStream, Response, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, btoa, clearTimeout, crypto, fetch, setTimeout },
};

test('bundled for a browser the client imports nothing, and calls and verifies where there is nothing but the web', async () => {
  const [bundled] = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: new URL(import.meta.resolve('@everpost/client')).pathname, formats: ['iife'], name: 'everpost' },
    },
  })) as Rolldown.RolldownOutput[];
  const [{ code, imports }, ...others] = bundled!.output;
  expect(others).toEqual([]);
  expect(imports).toEqual([]);
  expect(code).not.toMatch(/node:|\brequire\(|__vite-browser-external/);

  const { Everpost, verifyWebhook } = runInContext(`${code}\neverpost`, createContext({ ...WEB })) as typeof client;
  const fetch = vi.fn(async () => Response.json({ ok: true, id: '1@mail.example' }));
  const everpost = new Everpost({ apiKey: 'ep_test_any', url: 'https://mail.example', fetch });
  expect(await everpost.send({ template: 'receipt', to: 'ada@example.com' })).toEqual({ ok: true, id: '1@mail.example' });
  const secret = Buffer.alloc(32, 1);
  const body = '{"type":"webhook.ping"}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `v1,${createHmac('sha256', secret).update(`msg_1.${timestamp}.${body}`).digest('base64')}`;
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  expect(await verifyWebhook({ headers, body }, `whsec_${secret.toString('base64')}`)).toEqual({ type: 'webhook.ping' });
});
