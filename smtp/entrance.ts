import type { AddressInfo } from 'node:net';
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { v7 as uuidv7 } from 'uuid';
import { normalizeEmail } from '../domain/contacts/email-address.ts';
import { MAX_RECIPIENTS } from '../domain/sends/send-details.ts';
import { listenError } from '../platform/listen-error.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Acceptance } from './acceptance.ts';
import { asError, type SmtpAnswer, smtpAnswer } from './answers.ts';
import { CLIENT_LIMITS, type Client, type ClientLimits, Clients, end } from './clients.ts';
import { EnhancedServer } from './enhanced-server.ts';
import { type Logins, mayLogIn } from './logins.ts';
import { beginOf, type ReturnedMail } from './returned-mail.ts';
import type { Spool } from './spool.ts';
import type { TlsPair } from './tls-files.ts';

export interface EntranceOptions {
  readonly host: string;
  readonly port: number;
  /** What the server calls itself. */
  readonly name: string;
  /** undefined: there is none, and nobody logs in but from this machine. */
  readonly tls: TlsPair | undefined;
  /** TLS from the first byte on (RFC 8314 3.3). */
  readonly isImplicit: boolean;
  /** Connections at once. */
  readonly mostConnections: number;
  readonly mostBytes: number;
  readonly limits?: ClientLimits;
}

export interface EntranceDeps {
  readonly logins: Logins;
  readonly acceptance: Acceptance;
  readonly spool: Spool;
  /** undefined: bounces do not come here. */
  readonly returnedMail?: ReturnedMail | undefined;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'messageAnswered' | 'watch'>;
  /** Whether a password may cross a connection. */
  readonly mayLogIn?: typeof mayLogIn;
}

export interface Entrance {
  readonly port: number;
  /** For connections from now on. */
  renew(tls: TlsPair): void;
  /** Messages under way end, others are told to come again; then every connection is closed. */
  stop(): Promise<void>;
}

const FAILED_LOGINS = 3;
/** Without a byte from the client. */
const IDLE_MS = 60_000;
/** Longer than a message may take that has come whole. */
const CLOSE_MS = 55_000;
const MAX_COMMAND_LENGTH = 4096;
/** What nobody needs. */
const DISABLED = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'];

const TOO_MANY = smtpAnswer(421, '4.7.0', 'too many connections from this address');
const STOPPING = smtpAnswer(421, '4.3.2', 'the server stops; try again');
const TOO_MANY_LOGINS = smtpAnswer(421, '4.7.0', 'too many failed logins');
const LOG_IN_FIRST = smtpAnswer(530, '5.7.0', "log in first (AUTH): the user is the project's slug, the password an API key");
const TLS_FIRST = smtpAnswer(530, '5.7.0', 'STARTTLS first, then log in (AUTH)');
const NOT_WITHIN_A_MAIL = smtpAnswer(503, '5.5.1', 'log in (AUTH) before MAIL, or after RSET');
/** Others are told by mails of their own: each is about one mail. */
const ONE_AT_A_TIME = smtpAnswer(452, '4.5.3', 'one return path at a time');
const NO_ADDRESS = smtpAnswer(550, '5.1.3', 'not an address that a mail can be sent to');

/** What a message's stream says when its client has gone. */
const GONE = new Set(['ECONNECTION', 'ERR_STREAM_PREMATURE_CLOSE']);

type Done = (error?: Error | null) => void;

/** Listens for SMTP clients (RFC 5321, 6409) whose messages are mails of their projects. Throws ConfigError when it may not listen there. */
export async function openEntrance(options: EntranceOptions, deps: EntranceDeps): Promise<Entrance> {
  const { host, port, limits = CLIENT_LIMITS } = options;
  const { log, metrics } = deps;
  const clients = new Clients(limits);
  const state = { isStopping: false };
  const server = new EnhancedServer(serverOptions(options, deps, clients, state), (connection) => clients.connect(connection));
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(listenError(error, { port, host, portVariable: 'SMTP_PORT', hostVariable: 'SMTP_HOST' }));
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      // What clients do to their connections is no fault of ours.
      server.on('error', (error) => log.debug('smtp.connection_failed', { error }));
      resolve();
    });
  });
  const connections = { name: 'everpost_smtp_connections', help: 'Connections of SMTP clients that are open' };
  metrics.watch({ ...connections, labels: [], type: 'gauge' }, async () => [{ labels: {}, value: clients.count }]);
  return {
    port: (server.server.address() as AddressInfo).port,
    renew: (tls) => server.updateSecureContext(tls),
    stop() {
      state.isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(resolve));
      for (const client of [...clients.all()]) if (!client.isBusy) end(client, STOPPING);
      return closed;
    },
  };
}

function serverOptions(
  { name, tls, isImplicit, mostConnections, mostBytes }: EntranceOptions,
  deps: EntranceDeps,
  clients: Clients,
  state: { readonly isStopping: boolean },
): SMTPServerOptions {
  const disabled = tls ? DISABLED : [...DISABLED, 'STARTTLS'];
  const may = deps.mayLogIn ?? mayLogIn;
  return {
    ...(tls ?? {}),
    minVersion: 'TLSv1.2',
    secure: isImplicit,
    name,
    banner: 'Everpost',
    logger: false,
    disableReverseLookup: true,
    authMethods: ['PLAIN', 'LOGIN'],
    // Whether a client may is asked for each connection: AUTH is not even offered where a password would be seen.
    allowInsecureAuth: true,
    authRequiredMessage: LOG_IN_FIRST.text,
    // Where mail comes back, its recipients decide.
    authOptional: deps.returnedMail !== undefined,
    disabledCommands: disabled,
    size: mostBytes,
    maxRecipients: MAX_RECIPIENTS,
    maxClients: mostConnections,
    maxCommandLength: MAX_COMMAND_LENGTH,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    // Nobody is told how a mail fares (RFC 3461): the send log does that.
    hideENHANCEDSTATUSCODES: false,
    hideDSN: true,
    hideREQUIRETLS: true,
    onConnect(session, done) {
      if (!clients.of(session)) return done(asError(TOO_MANY));
      if (state.isStopping) return done(asError(STOPPING));
      session.disabledCommands = may(session) ? disabled : [...disabled, 'AUTH'];
      done();
    },
    onSecure(_socket, session, done) {
      const client = clients.of(session);
      // RFC 3207 4.2: what was said before is forgotten.
      if (client) clients.logOut(client);
      session.disabledCommands = disabled;
      done();
    },
    onAuth(auth, session, done) {
      // RFC 4954 4. What was begun without a login is for return paths alone.
      if (session.envelope.mailFrom) return done(asError(NOT_WITHIN_A_MAIL));
      void logIn(deps, clients, auth, session).then((refused) => done(refused && asError(refused), userOf(refused)));
    },
    onMailFrom: (_address, session, done) => void beginMail(deps, clients.of(session), may(session)).then(answering(done)),
    onRcptTo({ address }, session, done) {
      const client = clients.of(session);
      if (client?.login) return done(normalizeEmail(address) === undefined ? asError(NO_ADDRESS) : null);
      if (!client || !deps.returnedMail?.isReturnPath(address)) return done(asError(may(session) ? LOG_IN_FIRST : TLS_FIRST));
      if (session.envelope.rcptTo.length > 0) return done(asError(ONE_AT_A_TIME));
      clients.waitFor(client, 'message');
      done();
    },
    onData: (stream, session, done) => void receive(deps, clients, { stream, session, mostBytes }, done, state),
    onClose: (session) => clients.disconnected(session),
  };
}

function answering(done: Done): (refused: SmtpAnswer | undefined) => void {
  return (refused) => done(refused && asError(refused));
}

/** The library asks for somebody; who it is stands with the client. */
function userOf(refused: SmtpAnswer | undefined): { readonly user?: string } {
  return refused ? {} : { user: 'known' };
}

async function logIn(
  { logins, log }: EntranceDeps,
  clients: Clients,
  { username = '', password }: SMTPServerAuthentication,
  session: SMTPServerSession,
): Promise<SmtpAnswer | undefined> {
  const client = clients.of(session);
  if (!client) return TOO_MANY;
  const { remoteAddress } = client;
  const judged = await logins.logIn({ username, password: password ?? '', remoteAddress });
  const refused = 'login' in judged ? clients.logIn(client, judged.login) : judged.refused;
  if (refused) {
    client.failedLogins++;
    log.info('smtp.login_refused', { ip: remoteAddress, code: refused.code });
    // After the answer.
    if (client.failedLogins >= FAILED_LOGINS) setImmediate(() => end(client, TOO_MANY_LOGINS));
  }
  return refused;
}

/** Whether it is for a return path is known by its recipients only. */
async function beginMail(
  { acceptance, returnedMail }: EntranceDeps,
  client: Client | undefined,
  mayUserLogIn: boolean,
): Promise<SmtpAnswer | undefined> {
  if (client && !client.login && returnedMail) return undefined;
  if (!client?.login) return mayUserLogIn ? LOG_IN_FIRST : TLS_FIRST;
  return acceptance.mayBegin(client.login);
}

interface Incoming {
  readonly stream: SMTPServerDataStream;
  readonly session: SMTPServerSession;
  readonly mostBytes: number;
}

async function receive(
  deps: EntranceDeps,
  clients: Clients,
  incoming: Incoming,
  done: Done,
  state: { readonly isStopping: boolean },
): Promise<void> {
  const client = clients.of(incoming.session);
  if (!client) return done(asError(LOG_IN_FIRST));
  client.isBusy = true;
  const answer = client.login ? await take(deps, clients, client, incoming) : await takeReturned(deps, clients, client, incoming);
  client.isBusy = false;
  if (!answer) return;
  deps.metrics.messageAnswered(answer.code);
  if (answer.code === 250) (done as (error: null, message: string) => void)(null, answer.text);
  else done(asError(answer));
  if (clients.of(incoming.session)) clients.waitFor(client, client.login ? 'message' : 'login');
  if (state.isStopping) end(client, STOPPING);
}

/** undefined: the client has gone in the middle of it. */
async function take(
  { spool, acceptance, log }: EntranceDeps,
  clients: Clients,
  client: Client,
  { stream, session, mostBytes }: Incoming,
): Promise<SmtpAnswer | undefined> {
  const { login, remoteAddress } = client;
  if (!login) return LOG_IN_FIRST;
  const begunAt = performance.now();
  const requestId = uuidv7();
  try {
    const spooled = await spool.take(stream, mostBytes);
    if (typeof spooled === 'string') return refusedSize(spooled, client, mostBytes);
    await using content = spooled;
    // It is ours now: whatever it takes, the client waits.
    clients.waitFor(client, 'nothing');
    const recipients = [...new Set(session.envelope.rcptTo.flatMap(({ address }) => normalizeEmail(address) ?? []))];
    const answer = await acceptance.accept({ login, content, recipients, remoteAddress, requestId });
    const milliseconds = Math.round(performance.now() - begunAt);
    const about = { requestId, projectId: login.projectId, code: answer.code, bytes: content.size, recipients: recipients.length };
    log.debug('smtp.answered', { ...about, milliseconds });
    if (answer.code !== 250)
      log.info('smtp.refused', { requestId, projectId: login.projectId, code: answer.code, reason: reasonOf(answer) });
    return answer;
  } catch (error) {
    return answerOfFault(error, log, { requestId });
  }
}

/** undefined: the client has gone. */
function answerOfFault(error: unknown, log: Logger, about: { readonly requestId?: string }): SmtpAnswer | undefined {
  if (GONE.has(String((error as NodeJS.ErrnoException).code))) return undefined;
  log.error('smtp.failed', { ...about, error });
  return smtpAnswer(451, '4.3.0', 'internal error; try again');
}

/** Of somebody who has not logged in, and whose recipients are return paths. undefined: the client has gone in the middle of it. */
async function takeReturned(
  { returnedMail, log }: EntranceDeps,
  clients: Clients,
  client: Client,
  { stream, session, mostBytes }: Incoming,
): Promise<SmtpAnswer | undefined> {
  if (!returnedMail) return LOG_IN_FIRST;
  try {
    const begin = await beginOf(stream, mostBytes);
    clients.waitFor(client, 'nothing');
    if (!begin) return refusedSize('endless', client, mostBytes);
    const { mailFrom, rcptTo } = session.envelope;
    return await returnedMail.take(begin, { sender: mailFrom ? mailFrom.address : '', returnPath: rcptTo[0]?.address ?? '' });
  } catch (error) {
    return answerOfFault(error, log, {});
  }
}

/** The `code` or `reason` of POST /send that an answer begins with; undefined: it is of SMTP alone. */
function reasonOf({ text }: SmtpAnswer): string | undefined {
  return /^[\d.]+ ([a-z_]+):/.exec(text)?.[1];
}

function refusedSize(why: 'too large' | 'endless' | 'no room', client: Client, mostBytes: number): SmtpAnswer | undefined {
  const tooLarge = smtpAnswer(552, '5.3.4', `a message has at most ${mostBytes} bytes`);
  if (why === 'no room') return smtpAnswer(452, '4.3.1', 'no room for a large message just now; try again');
  if (why === 'too large') return tooLarge;
  end(client, tooLarge);
  return undefined;
}
