import { Everpost } from '@everpost/client';
import { expect, test, vi } from 'vitest';
import { apiDocument } from '../../../local/console-types.ts';
import type { Document } from '../../docs/openapi-document.ts';

type Method = (...args: unknown[]) => Promise<unknown>;
type Groups = Readonly<Record<string, Method | Readonly<Record<string, Method>>>>;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

const document: Document = JSON.parse(apiDocument());
const operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Document>(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    name: operation.operationId as string,
  })),
);

/** A client whose requests go nowhere, and the last of them. */
function recording(): { readonly everpost: Everpost; readonly last: () => Asked } {
  let last: Asked | undefined;
  const fetch = async (url: string, { method, headers, body }: RequestInit) => {
    last = { method: method!, path: url.replace('https://mail.example', ''), headers: new Headers(headers), body };
    return Response.json({ ok: true });
  };
  const everpost = new Everpost({ apiKey: 'ep_test_any', url: 'https://mail.example', fetch: fetch as typeof globalThis.fetch });
  return { everpost, last: () => last! };
}

function methodOf(groups: Groups, name: string): Method | undefined {
  const [group, method] = name.split('.') as [string, string?];
  const found = groups[group];
  return typeof found === 'function' ? found : found?.[method!];
}

/** A body of the kind that the operation takes, and how it arrives. */
function bodyOf(operation: Document): { readonly given: unknown[]; readonly type?: string } {
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  if (type === undefined) return { given: [] };
  if (type === 'application/json') return { given: [{ some: 'thing' }], type };
  if (type === 'multipart/form-data') return { given: [{ file: new File(['bytes'], 'list.csv'), settings: { paused: true } }] };
  return { given: ['From: a@b.example'], type };
}

test('every operation of the document is a method that asks for its method, path, query and body', async () => {
  const { everpost, last } = recording();
  for (const { name, method, path, operation } of operations) {
    const inPath = operation.parameters.filter((parameter: Document) => parameter.in === 'path');
    const inQuery = operation.parameters.filter((parameter: Document) => parameter.in === 'query');
    const { given, type } = bodyOf(operation);
    const query = Object.fromEntries(inQuery.map(({ name: parameter }: Document) => [parameter, `a b&${parameter}`]));
    const args = [
      ...inPath.map((_: Document, at: number) => `p/${at}`),
      ...given,
      ...(inQuery.length > 0 ? [query] : []),
      { headers: { 'x-mine': 'yes' } },
    ];
    let at = 0;
    const wanted = `/api/v1${path.replace(/\{\w+\}/g, () => `p%2F${at++}`)}${inQuery.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
    for (const groups of [everpost, everpost.safe] as unknown as Groups[]) {
      await methodOf(groups, name)?.(...args);
      const { headers, body, ...asked } = last();
      expect({ name, ...asked }).toEqual({ name, method, path: wanted });
      expect({ name, mine: headers.get('x-mine'), type: headers.get('content-type') }).toEqual({ name, mine: 'yes', type: type ?? null });
      const takesKey = operation.parameters.some(({ $ref }: Document) => $ref !== undefined);
      expect({ name, hasKey: headers.has('idempotency-key') }).toEqual({ name, hasKey: takesKey });
      expect({ name, authorization: headers.get('authorization') }).toEqual({
        name,
        authorization: operation.security.length > 0 ? 'Bearer ep_test_any' : null,
      });
      if (body instanceof FormData) expect([...body.keys()]).toEqual(['settings', 'file']);
      else expect({ name, body }).toEqual({ name, body: type === 'application/json' ? JSON.stringify(given[0]) : given[0] });
    }
  }
});

test('sends whose data is typed are the same calls', async () => {
  const { everpost, last } = recording();
  const mails = everpost.templates.typed<{ readonly receipt: { readonly total?: string } }>();
  const mail = { template: 'receipt', to: 'ada@example.com' } as const;
  for (const { send, sendBatch } of [mails, mails.safe]) {
    await send(mail);
    expect(last()).toMatchObject({ method: 'POST', path: '/api/v1/send', body: JSON.stringify(mail) });
    await sendBatch({ mails: [mail] });
    expect(last()).toMatchObject({ method: 'POST', path: '/api/v1/send/batch', body: JSON.stringify({ mails: [mail] }) });
  }
  expect(await mails.safe.send(mail)).toEqual({ data: { ok: true }, error: null });
});

test('there is no method that the document does not have', () => {
  const { everpost } = recording();
  const methods = Object.entries(everpost as unknown as Groups).flatMap(([group, of]) =>
    typeof of === 'function' ? [group] : Object.keys(of).map((method) => `${group}.${method}`),
  );
  const own = methods.filter((name) => !name.startsWith('safe.') && name !== 'templates.typed');
  expect(own.sort()).toEqual(operations.map(({ name }) => name).sort());
});

test('what would ask for another operation is refused before it is asked', async () => {
  const { everpost } = recording();
  await expect(everpost.contacts.delete('')).rejects.toThrow('contacts.delete: id is missing');
  for (const options of [{}, { apiKey: '' }]) {
    const keyless = new Everpost({ url: 'https://mail.example', ...options });
    await expect(keyless.contacts.list()).rejects.toThrow('EVERPOST_API_KEY');
  }
});

test('a Date is the instant that it is, in bodies and in queries, and one that is none is refused before it is asked', async () => {
  const { everpost, last } = recording();
  const at = new Date('2026-06-02T14:00:00+02:00');
  await everpost.sends.list({ from: at, to: '2026-06-03T00:00:00Z' });
  expect(last().path).toBe('/api/v1/sends?from=2026-06-02T12%3A00%3A00.000Z&to=2026-06-03T00%3A00%3A00Z');
  await everpost.send({ template: 'receipt', to: 'ada@example.com', sendAt: at, data: { on: [at] } });
  expect(JSON.parse(last().body as string)).toMatchObject({ sendAt: at.toISOString(), data: { on: [at.toISOString()] } });
  const none = new Date('soon');
  const before = last();
  await expect(everpost.send({ template: 'receipt', to: 'ada@example.com', sendAt: none })).rejects.toThrow('sendAt is an invalid Date');
  await expect(everpost.sends.list({ from: none })).rejects.toThrow('from is an invalid Date');
  expect(last()).toBe(before);
});

test.each([
  [{ total: Number.NaN }, /data\.total is NaN/],
  [{ items: [{ price: Number.POSITIVE_INFINITY }] }, /data\.items\.0\.price is Infinity/],
  [{ totals: new Map([['a', 1]]) }, /data\.totals is a Map/],
  [{ tags: new Set(['a']) }, /data\.tags is a Set/],
  [{ name: Promise.resolve('Ada') }, /data\.name is a Promise/],
  [{ total: 10n }, /data\.total is a BigInt/],
  [{ on: [new Date('soon')] }, /data\.on\.0 is an invalid Date/],
])('data that JSON has no form for is refused before it is asked, where it stands: %#', async (data, words) => {
  const { everpost, last } = recording();
  const called = everpost.send({ template: 'receipt', to: 'ada@example.com', data });
  await expect(called).rejects.toThrow(words);
  await expect(called).rejects.toThrow(TypeError);
  expect(last()).toBeUndefined();
});

test('data that knows its own form as JSON goes as that', async () => {
  const { everpost, last } = recording();
  const totals = Object.assign(new Map([['a', 1]]), { toJSON: () => ({ a: 1 }) });
  await everpost.send({ template: 'receipt', to: 'ada@example.com', data: { totals, none: null, left: undefined } });
  expect(JSON.parse(last().body as string).data).toEqual({ totals: { a: 1 }, none: null });
});

test.each(['', '😀', 'two words', 'k'.repeat(201)])(
  'the idempotency key %j is refused before it is asked, as option and as header',
  async (key) => {
    const { everpost, last } = recording();
    const mail = { template: 'receipt', to: 'ada@example.com' };
    for (const options of [{ idempotencyKey: key }, { headers: { 'Idempotency-Key': key } }]) {
      const called = everpost.send(mail, options);
      await expect(called).rejects.toThrow('send: an idempotency key has 1 to 200 visible ASCII characters');
      await expect(called).rejects.toThrow(TypeError);
    }
    expect(last()).toBeUndefined();
  },
);

test('the longest key that the API takes goes as it is', async () => {
  const { maxLength } = document.components.parameters['Idempotency-Key'].schema;
  const key = '~'.repeat(maxLength);
  const { everpost, last } = recording();
  await everpost.send({ template: 'receipt', to: 'ada@example.com' }, { idempotencyKey: key });
  expect(last().headers.get('idempotency-key')).toBe(key);
});

test('a query of a name that the operation does not have is refused before it is asked, since it would find everything', async () => {
  const { everpost, last } = recording();
  for (const query of [{ signal: AbortSignal.timeout(60_000) }, { tagg: 'vip' }] as object[]) {
    const called = everpost.contacts.list(query);
    await expect(called).rejects.toThrow(/^contacts\.list: its query has no (signal|tagg): it takes .*\btag\b/);
    await expect(called).rejects.toThrow(TypeError);
  }
  expect(last()).toBeUndefined();
  await everpost.contacts.list({ tagg: undefined } as object);
  expect(last().path).toBe('/api/v1/contacts');
});

test.each([
  'http://user:hunter2@mail.example.com',
  'https://:hunter2@mail.example.com/api/v1',
  'ftp://user:hunter2@mail.example.com',
  'user:hunter2@mail.example.com',
])('an address with a password is refused when the client is made, in words without it: %#', (url) => {
  vi.stubEnv('EVERPOST_URL', url);
  try {
    for (const [options, name] of [[{ url }, 'url'] as const, [{}, 'EVERPOST_URL'] as const]) {
      const made = () => new Everpost(options);
      expect(made).toThrow(TypeError);
      expect(made).toThrow(new RegExp(`^${name} .*mail\\.example\\.com`));
      expect(made).not.toThrow(/hunter2/);
    }
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each(['nonsense', 'mail.example.com', 'localhost:3000', '', 'ftp://mail.example.com', 'http://'])(
  'the address %j is refused when the client is made, in words that say where it is set',
  (url) => {
    expect(() => new Everpost({ url })).toThrow(`url is ${JSON.stringify(url)}: give a whole address`);
    vi.stubEnv('EVERPOST_URL', url);
    try {
      // An empty one counts as not set.
      if (url === '') expect(new Everpost()).toHaveProperty('me');
      else expect(() => new Everpost()).toThrow(`EVERPOST_URL is ${JSON.stringify(url)}: set it to a whole address`);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);
