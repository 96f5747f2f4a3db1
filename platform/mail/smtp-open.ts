import { createHmac } from 'node:crypto';
import { connect, isIP, type LookupFunction } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { AnswerLimit } from '../answer-limit.ts';
import { replyText, type SmtpReply } from './smtp-reply.ts';
import { mayCarryCredentials, type SmtpCredentials, type SmtpServer } from './smtp-server.ts';
import { SmtpUnavailable, SmtpWire } from './smtp-wire.ts';

/** What EHLO told: the keywords of RFC 1869 in capitals, each with its parameters. */
export type SmtpExtensions = ReadonlyMap<string, readonly string[]>;

export interface OpenWire {
  readonly wire: SmtpWire;
  readonly extensions: SmtpExtensions;
}

type Mechanism = (wire: SmtpWire, credentials: SmtpCredentials) => Promise<SmtpReply>;

/** In order of preference. The first two give the password away, so what they may go over was looked at before. */
const MECHANISMS: ReadonlyMap<string, Mechanism> = new Map([
  ['PLAIN', authPlain],
  ['LOGIN', authLogin],
  ['CRAM-MD5', authCramMd5],
]);

/**
 * Connects, greets, secures and logs in, up to where mail may be sent. Throws SmtpUnavailable when that fails or is not
 * done in time; the connection is closed then. lookup: how a name gets its address, the system's way when omitted.
 */
export async function openWire(server: SmtpServer, timeoutMs: number, lookup?: LookupFunction): Promise<OpenWire> {
  const opening = new Opening(server, lookup);
  const limit = new AnswerLimit(timeoutMs, () => opening.wire.break('the mail server did not answer in time'));
  try {
    const extensions = await opening.run();
    return { wire: opening.wire, extensions };
  } catch (error) {
    opening.wire.break('the connection is given up');
    throw error;
  } finally {
    limit.clear();
  }
}

class Opening {
  readonly #server: SmtpServer;
  /** The one in use; STARTTLS changes it. */
  wire: SmtpWire;

  constructor(server: SmtpServer, lookup: LookupFunction | undefined) {
    this.#server = server;
    const target = { host: server.host, port: server.port, ...(lookup ? { lookup } : {}) };
    this.wire = new SmtpWire(server.implicitTls ? connectTls({ ...target, ...this.#tlsOptions() }) : connect(target));
  }

  async run(): Promise<SmtpExtensions> {
    const { implicitTls, requireTls, credentials } = this.#server;
    expectSuccess(await this.wire.ask());
    let extensions = await this.#hello();
    if (!implicitTls && extensions.has('STARTTLS')) {
      await this.#startTls();
      // RFC 3207 4.2: what the server said before counts no more.
      extensions = await this.#hello();
    } else if (requireTls && !implicitTls) throw new SmtpUnavailable(this.#noTls());
    if (credentials) await this.#logIn(credentials, extensions);
    return extensions;
  }

  async #hello(): Promise<SmtpExtensions> {
    const name = this.#server.clientName ?? machineName();
    const reply = await this.wire.ask(`EHLO ${name}`);
    if (reply.code < 300) return extensionsOf(reply);
    // RFC 5321 3.2: a server that does not know EHLO knows HELO.
    if (reply.code >= 500) expectSuccess(await this.wire.ask(`HELO ${name}`));
    else expectSuccess(reply);
    return new Map();
  }

  async #startTls(): Promise<void> {
    const reply = await this.wire.ask('STARTTLS');
    if (reply.code >= 300) throw new SmtpUnavailable('the mail server offers STARTTLS and then refuses it');
    const { host } = this.#server;
    const socket = connectTls({ socket: this.wire.release(), host, ...this.#tlsOptions() });
    this.wire = new SmtpWire(socket);
    await this.wire.secured();
  }

  #tlsOptions(): { servername?: string; rejectUnauthorized: boolean } {
    const { host, verifyCertificate } = this.#server;
    // RFC 6066 3: an address is no server name.
    return { rejectUnauthorized: verifyCertificate, ...(isIP(host) === 0 ? { servername: host } : {}) };
  }

  async #logIn(credentials: SmtpCredentials, extensions: SmtpExtensions): Promise<void> {
    if (!mayCarryCredentials(this.#server.host, this.wire)) throw new SmtpUnavailable(this.#noTls());
    const offered = extensions.get('AUTH') ?? [];
    const [, log] = [...MECHANISMS].find(([name]) => offered.includes(name)) ?? [undefined, authPlain];
    const { code } = await log(this.wire, credentials);
    if (code !== 235) throw new SmtpUnavailable(`the mail server refused the credentials (${code})`);
  }

  #noTls(): string {
    return this.#server.credentials
      ? 'the mail server offers no TLS, and credentials go only over an encrypted connection, except to the own machine'
      : 'the mail server offers no TLS, which the settings require';
  }
}

function expectSuccess(reply: SmtpReply): void {
  if (reply.code < 200 || reply.code >= 300) throw new SmtpUnavailable(`the mail server refused the connection: ${replyText(reply)}`);
}

/** The lines after the first one. Some servers write "AUTH=LOGIN" for clients of the last century. */
function extensionsOf(reply: SmtpReply): SmtpExtensions {
  const extensions = new Map<string, readonly string[]>();
  for (const line of reply.text.toUpperCase().trim().split('\n').slice(1)) {
    const [keyword = '', ...parameters] = line
      .slice(4)
      .trim()
      .split(/[\s=]+/);
    extensions.set(keyword, [...(extensions.get(keyword) ?? []), ...parameters]);
  }
  return extensions;
}

/** RFC 5321 4.1.4: a name that resolves, else an address. */
function machineName(): string {
  const name = hostname();
  return name.includes('.') && isIP(name) === 0 ? name : '[127.0.0.1]';
}

/** RFC 4616. A server that takes no initial response asks for it with 334. */
async function authPlain(wire: SmtpWire, { user, pass }: SmtpCredentials): Promise<SmtpReply> {
  const response = base64(`\0${user}\0${pass}`);
  const reply = await wire.ask(`AUTH PLAIN ${response}`);
  return reply.code === 334 ? wire.ask(response) : reply;
}

async function authLogin(wire: SmtpWire, { user, pass }: SmtpCredentials): Promise<SmtpReply> {
  let reply = await wire.ask('AUTH LOGIN');
  for (const answer of [user, pass]) {
    if (reply.code !== 334) return reply;
    reply = await wire.ask(base64(answer));
  }
  return reply;
}

/** RFC 2195. */
async function authCramMd5(wire: SmtpWire, { user, pass }: SmtpCredentials): Promise<SmtpReply> {
  const reply = await wire.ask('AUTH CRAM-MD5');
  if (reply.code !== 334) return reply;
  const challenge = Buffer.from(reply.text.slice(4).trim(), 'base64');
  return wire.ask(base64(`${user} ${createHmac('md5', pass).update(challenge).digest('hex')}`));
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
