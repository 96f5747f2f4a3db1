import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

/**
 * The least that a sender of webhooks does, as a program of its own: signs and posts so many bodies over kept connections and writes to
 * nothing. Arguments: address, path, count, bodies at once, octets of a body. Prints the seconds it took.
 */
const [origin = '', path = '/', count = '1', atOnce = '50', octets = '500'] = process.argv.slice(2);
const key = randomBytes(32);
const pool = new Pool(origin, { connections: Number(atOnce), pipelining: 1 });
const body = JSON.stringify({ data: 'x'.repeat(Math.max(0, Number(octets) - 11)) });

async function post(): Promise<void> {
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const answer = await pool.request({ path, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
}

const begun = performance.now();
let left = Number(count);
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (left-- > 0) await post();
  }),
);
process.stdout.write(`${(performance.now() - begun) / 1000}\n`);
await pool.close();
