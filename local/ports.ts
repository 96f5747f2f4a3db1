import { ConfigError } from '../platform/config.ts';
import { listenOnce } from '../platform/listen-once.ts';

/** A port of 127.0.0.1 that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  return listenOnce(0, '127.0.0.1');
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
