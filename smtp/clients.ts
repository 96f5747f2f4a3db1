import type { SMTPServerSession } from 'smtp-server';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { type SmtpAnswer, smtpAnswer } from './answers.ts';
import type { Login } from './logins.ts';

/** Connections at once. */
export interface ClientLimits {
  readonly perAddress: number;
  readonly perProject: number;
  /** From the connection to the login. */
  readonly loginMs: number;
  /** From the login, or the message before, to the end of a message. */
  readonly messageMs: number;
}

export const CLIENT_LIMITS: ClientLimits = { perAddress: 50, perProject: 50, loginMs: 60_000, messageMs: 5 * 60_000 };

/** A client that is connected. */
export interface Client {
  readonly connection: SMTPConnection;
  readonly remoteAddress: string;
  login: Login | undefined;
  failedLogins: number;
  /** A message of it has begun and is not answered. */
  isBusy: boolean;
  /** Ends the connection when its time is over. */
  patience: NodeJS.Timeout | undefined;
}

const TOO_LATE = smtpAnswer(421, '4.4.2', 'the time for a login or a message is over');

/** Who is connected, and for how long yet. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #of = new Map<SMTPServerSession, Client>();
  readonly #perAddress = new Map<string, number>();
  readonly #perProject = new Map<string, number>();

  constructor(limits: ClientLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#of.size;
  }

  all(): Iterable<Client> {
    return this.#of.values();
  }

  /** One too many of an address is not let in. */
  connect(connection: SMTPConnection): void {
    const { session, remoteAddress } = connection;
    if ((this.#perAddress.get(remoteAddress) ?? 0) >= this.#limits.perAddress) return;
    const client: Client = { connection, remoteAddress, login: undefined, failedLogins: 0, isBusy: false, patience: undefined };
    this.#of.set(session as SMTPServerSession, client);
    add(this.#perAddress, remoteAddress, 1);
    this.waitFor(client, 'login');
  }

  /** undefined: it was not let in, or has gone. */
  of(session: SMTPServerSession): Client | undefined {
    return this.#of.get(session);
  }

  /** Why it may not, if so. */
  logIn(client: Client, login: Login): SmtpAnswer | undefined {
    if ((this.#perProject.get(login.projectId) ?? 0) >= this.#limits.perProject)
      return smtpAnswer(454, '4.7.0', `at most ${this.#limits.perProject} connections of one project`);
    this.logOut(client);
    client.login = login;
    add(this.#perProject, login.projectId, 1);
    this.waitFor(client, 'message');
    return undefined;
  }

  logOut(client: Client): void {
    if (client.login) add(this.#perProject, client.login.projectId, -1);
    client.login = undefined;
  }

  waitFor(client: Client, what: 'login' | 'message' | 'nothing'): void {
    clearTimeout(client.patience);
    if (what === 'nothing') return;
    const ms = what === 'login' ? this.#limits.loginMs : this.#limits.messageMs;
    client.patience = setTimeout(() => end(client, TOO_LATE), ms).unref();
  }

  disconnected(session: SMTPServerSession): void {
    const client = this.#of.get(session);
    if (!client) return;
    clearTimeout(client.patience);
    this.logOut(client);
    this.#of.delete(session);
    add(this.#perAddress, client.remoteAddress, -1);
  }
}

/** Says why, and closes the connection. */
export function end({ connection }: Client, { code, text }: SmtpAnswer): void {
  connection.send(code, text);
  connection.close();
}

function add(counts: Map<string, number>, of: string, change: 1 | -1): void {
  const count = (counts.get(of) ?? 0) + change;
  if (count > 0) counts.set(of, count);
  else counts.delete(of);
}
