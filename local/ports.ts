import { randomInt } from 'node:crypto';
import { ConfigError } from '../platform/config-error.ts';
import { listenOnce } from '../platform/listen-once.ts';

/** Below those of which systems take one for each connection that they open: such a port may be gone again before anybody listens on it. */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const TRIES = 100;

/** A port of 127.0.0.1 that nobody listens on at the moment, and that no connection is given from this side. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await listenOnce(randomInt(LOWEST, HIGHEST + 1), '127.0.0.1').catch(() => undefined);
    if (port !== undefined) return port;
  }
  return listenOnce(0, '127.0.0.1');
}

/** An address of this machine. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * A free port that no page on the internet finds, whatever name it gives this machine: of an address of the loopback network drawn at random,
 * where the system has more of them than 127.0.0.1 (Linux; macOS has one).
 */
export async function hiddenEndpoint(): Promise<Endpoint> {
  const host = [127, randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
  const port = await freePort();
  const found = await listenOnce(port, host).catch(() => undefined);
  return { host: found === undefined ? '127.0.0.1' : host, port };
}

/** Throws ConfigError naming the variable when someone listens there already. Port 0 stands for any free one and is returned as such. */
export async function requireFreePort(variable: string, port: number, host: string): Promise<number> {
  try {
    return await listenOnce(port, host);
  } catch (error) {
    throw portError(variable, port, host, error);
  }
}

/** What to tell a person when listening failed. */
export function portError(variable: string, port: number, host: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    return new ConfigError(`port ${port} of ${host} is in use; stop what listens there or set ${variable} to another port`);
  if (code === 'EACCES') return new ConfigError(`port ${port} of ${host} may not be used by this user; set ${variable} to one above 1023`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError(`${host} is no address of this machine; set HOST to one that is`);
  return error as Error;
}
