import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;

/** An answer that brings its enhanced status code is not given that of its kind, which the library has one of for each code. */
class EnhancedConnection extends SMTPConnection {
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    super.send(code, data, typeof data === 'string' && ENHANCED.test(data) ? false : context);
  }
}

/** The library's server, with the connections of it. */
export class EnhancedServer extends SMTPServer {
  readonly #connected: (connection: SMTPConnection) => void;

  /** `connected`: told of each connection before anything is said. */
  constructor(options: SMTPServerOptions, connected: (connection: SMTPConnection) => void) {
    super(options);
    this.#connected = connected;
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new EnhancedConnection(this, socket, options ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.on('connect', (data) => this._onClientConnect(data));
    this.#connected(connection);
    connection.init();
  }
}
