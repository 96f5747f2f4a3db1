import { afterEach, expect, test } from 'vitest';
import { nameServerResolve } from '../../../platform/http/resolve.ts';
import { createSafeHttp, type SafeAnswer } from '../../../platform/http/safe-http.ts';
import { type NameServerDouble, nameServer, type Say, type Zones, zones } from '../../support/name-server.ts';
import { CERTIFICATE } from './certificate.ts';
import { receiver } from './servers.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** 2d00::/8 is given out to nobody, and public by its form. */
const NOWHERE = '2d00::1';
const INSIDE = zones({ 'inside.example': { A: ['10.0.0.1'] } });

async function asking(
  say: Say,
  { clock = () => performance.now() } = {},
): Promise<{ dns: NameServerDouble; post: (host: string, timeoutSeconds?: number) => Promise<SafeAnswer>; wait: (ms: number) => void }> {
  const dns = await nameServer(say);
  let ahead = 0;
  const http = createSafeHttp({
    allowPrivate: false,
    resolve: nameServerResolve([dns.address]),
    ca: CERTIFICATE,
    now: () => clock() + ahead,
  });
  open.push(dns, http);
  return {
    dns,
    post: (host, timeoutSeconds = 5) =>
      http.request({ url: `https://${host}/`, method: 'POST', headers: {}, body: '{}', timeoutSeconds, keepFor: 'project' }),
    wait: (ms) => {
      ahead += ms;
    },
  };
}

const NOT_PUBLIC = {
  ok: false,
  refused: 'address',
  message: 'the host name leads to an address that is not public',
  mayHaveArrived: false,
};

test('a name that is private when asked again was asked once for the connection, and is refused the next time', async () => {
  const server = await receiver((response) => response.end(), { tls: true });
  open.push(server);
  const { dns, post, wait } = await asking((asked) =>
    zones({ 'hooks.example': asked.timesBefore === 0 ? { AAAA: [NOWHERE] } : { A: ['127.0.0.1'] } })(asked),
  );
  expect(await post(`hooks.example:${server.port}`, 3)).toMatchObject({ ok: false, mayHaveArrived: false });
  expect([...dns.asked].sort()).toEqual(['A hooks.example', 'AAAA hooks.example']);
  wait(1000);
  expect(await post(`hooks.example:${server.port}`)).toMatchObject(NOT_PUBLIC);
  expect(dns.asked).toHaveLength(4);
  expect(server.received).toEqual([]);
});

test.each<[string, Zones]>([
  ['a private address beside a public one', { 'hooks.example': { A: ['93.184.216.34', '10.0.0.1'] } }],
  ['a public address, and a private one of the other kind', { 'hooks.example': { A: ['93.184.216.34'], AAAA: ['fd00::1'] } }],
  ['the same the other way round', { 'hooks.example': { A: ['192.168.0.1'], AAAA: [NOWHERE] } }],
  ['a private address that is mapped', { 'hooks.example': { AAAA: ['::ffff:169.254.169.254'] } }],
  ['an alias of a private name', { 'hooks.example': { CNAME: 'inside.example' }, 'inside.example': { A: ['10.0.0.1'] } }],
  [
    'an alias of an alias of this machine',
    {
      'hooks.example': { CNAME: 'one.example' },
      'one.example': { CNAME: 'two.example' },
      'two.example': { CNAME: 'localhost.example' },
      'localhost.example': { AAAA: ['::1'] },
    },
  ],
  ['the address that means any', { 'hooks.example': { A: ['0.0.0.0'] } }],
])('a name with %s is refused', async (_what, records) => {
  const { post } = await asking(zones(records));
  expect(await post('hooks.example')).toMatchObject(NOT_PUBLIC);
});

test.each<[string, Zones, string]>([
  ['that does not exist', {}, 'hooks.example'],
  ['without an address', { 'hooks.example': {} }, 'hooks.example'],
  ['that is an alias of nothing', { 'hooks.example': { CNAME: 'gone.example' } }, 'hooks.example'],
  ['that is an alias of itself', { 'hooks.example': { CNAME: 'hooks.example' } }, 'hooks.example'],
  ['with a label that is too long', {}, `${'a'.repeat(64)}.example`],
  ['that is too long', {}, `${'a.'.repeat(500)}example`],
])('a name %s is told as one that could not be looked up', async (_what, records, host) => {
  const { post } = await asking(zones(records));
  expect(await post(host)).toMatchObject({
    ok: false,
    refused: 'dns',
    message: 'the host name could not be looked up',
    mayHaveArrived: false,
  });
});

test('a name server that never answers costs the time limit of its own name, and no other name', async () => {
  const { post } = await asking((asked) => (asked.name === 'silent.example' ? undefined : INSIDE(asked)));
  const silent = Array.from({ length: 20 }, () => post('silent.example', 5));
  expect(await post('inside.example', 4.9)).toMatchObject(NOT_PUBLIC);
  for (const answer of await Promise.all(silent)) {
    expect(answer).toMatchObject({ ok: false, refused: 'timeout', message: 'no answer within 5 seconds', mayHaveArrived: false });
  }
});

test('requests that ask for one name within a second share a look-up; a later one asks again', async () => {
  // A clock that stands still but for the waits: how long a busy machine takes does not count.
  const { dns, post, wait } = await asking(INSIDE, { clock: () => 0 });
  await Promise.all(Array.from({ length: 100 }, () => post('inside.example')));
  wait(900);
  await post('inside.example');
  expect([...dns.asked].sort()).toEqual(['A inside.example', 'AAAA inside.example']);
  wait(100);
  await post('inside.example');
  expect(dns.asked).toHaveLength(4);
});
