import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, requireFreePort } from '../../local/ports.ts';

test('a port in use is named together with its variable', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    await expect(requireFreePort('MAILBOX_PORT', port, '127.0.0.1')).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use; stop what listens there or set MAILBOX_PORT to another port`,
    );
  } finally {
    server.close();
  }
});

test('a free port passes', async () => {
  const port = await freePort();
  await expect(requireFreePort('PORT', port, '127.0.0.1')).resolves.toBe(port);
});

test('a free port is none that a connection may be given before somebody listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  // From here on Linux gives them to connections; others from 49152.
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
