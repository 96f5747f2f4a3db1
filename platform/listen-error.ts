import { ConfigError } from './config-error.ts';

/** Where somebody wanted to listen, and the variables that say so. */
export interface ListenPlace {
  readonly port: number;
  readonly host: string;
  readonly portVariable: string;
  readonly hostVariable: string;
}

/** A ConfigError for what a person can mend about it. */
export function listenError(error: NodeJS.ErrnoException, { port, host, portVariable, hostVariable }: ListenPlace): Error {
  if (error.code === 'EADDRINUSE') {
    return new ConfigError(`port ${port} on ${host} is in use by another program; stop it, or set ${portVariable} to a free port`);
  }
  if (error.code === 'EACCES')
    return new ConfigError(`port ${port} on ${host} is not allowed for this user; set ${portVariable} to one above 1023`);
  if (error.code === 'EADDRNOTAVAIL') return new ConfigError(`${hostVariable} is "${host}", which is no address of this machine`);
  return error;
}
