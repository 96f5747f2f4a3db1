import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LazyClient, lazyClient } from '../../../platform/temporal/connection.ts';
import { type Api, api } from '../../support/api.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { startInboundApi } from '../../support/inbound-api.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';

let postgres: TcpProxy;
let temporal: TcpProxy;
let client: LazyClient;
let served: Awaited<ReturnType<typeof startInboundApi>>;
let open: Api;

beforeAll(async () => {
  const { databaseUrl, temporalAddress } = testEnvironment();
  const direct = new URL(databaseUrl);
  postgres = await tcpProxy(direct.host);
  temporal = await tcpProxy(temporalAddress);
  client = lazyClient({ temporalAddress: temporal.address, temporalEmbedded: true });
  direct.host = postgres.address;
  served = await startInboundApi({ databaseUrl: direct.href, pingTemporal: client.check });
  open = api(undefined, served.url);
});

afterAll(async () => {
  await served?.stop();
  await client?.close();
  await Promise.all([postgres?.close(), temporal?.close()]);
});

const READY = { status: 200, body: { checks: { database: 'ok', temporal: 'ok' } } };
const notReady = (checks: object) => ({ status: 503, body: { ok: false, code: 'not_ready', checks } });
const isReady = () => eventually(async () => (await open.get('/ready')).status === 200);

test('ready does not wait for a server that hangs, and says so as of one that is away', async () => {
  await isReady();
  postgres.freeze();
  await eventually(async () => (await open.get('/ready')).body.checks.database === 'down');
  // More often than there are connections: none that has been given up is held.
  for (let times = 0; times < 8; times++) {
    expect(await open.get('/ready')).toMatchObject(notReady({ database: 'down', temporal: 'ok' }));
  }
  temporal.freeze();
  await eventually(async () => (await open.get('/ready')).body.checks.temporal === 'down');
  expect(await open.get('/ready')).toMatchObject(notReady({ database: 'down', temporal: 'down' }));
  postgres.thaw();
  await eventually(async () => (await open.get('/ready')).body.checks.database === 'ok');
  expect(await open.get('/ready')).toMatchObject(notReady({ database: 'ok', temporal: 'down' }));
  temporal.thaw();
  await isReady();
  expect(await open.get('/ready')).toMatchObject(READY);
});

test('ready gives up a ping that never comes to an end, at once where there was no answer before', async () => {
  const never = new Promise<void>(() => {});
  const deaf = await startInboundApi({ pingTemporal: () => never });
  expect(await api(undefined, deaf.url).get('/ready')).toMatchObject(notReady({ database: 'ok', temporal: 'down' }));
  await deaf.stop();

  let asked = 0;
  const first = await startInboundApi({ pingTemporal: async () => (++asked === 1 ? undefined : never) });
  const { get } = api(undefined, first.url);
  expect(await get('/ready')).toMatchObject(READY);
  // It is slow now: it has answered a moment ago.
  expect(await get('/ready')).toMatchObject(READY);
  await eventually(async () => (await get('/ready')).status === 503);
  // Those who asked meanwhile have waited for the same ping.
  expect(asked).toBe(2);
  await first.stop();
});

test('ready says at once what refuses', async () => {
  let refuses = false;
  const pingTemporal = async () => {
    if (refuses) throw new Error('away');
  };
  const { url, stop } = await startInboundApi({ pingTemporal });
  expect(await api(undefined, url).get('/ready')).toMatchObject(READY);
  refuses = true;
  expect(await api(undefined, url).get('/ready')).toMatchObject(notReady({ database: 'ok', temporal: 'down' }));
  await stop();
});
