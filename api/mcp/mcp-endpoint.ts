import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';
import { grants, type Scope } from '../../domain/projects/scopes.ts';
import { holderOfKey, refuseSuspended } from '../admission.ts';
import type { AppOptions, RequestState } from '../app-options.ts';
import { readJson } from '../middleware/read-json.ts';
import { methodNotAllowed } from '../unrouted.ts';
import { errorMessage, RpcError, readMessage } from './json-rpc.ts';
import { ownCalls } from './own-calls.ts';
import { answerCall, PROTOCOL_VERSIONS } from './protocol.ts';
import { RouteRefused, type ToolContext } from './tool.ts';

const PATH = '/mcp';

type Context = Koa.ParameterizedContext<RequestState>;

/**
 * POST /mcp: tools for agents by the Model Context Protocol, streamable HTTP without sessions: each message is answered by itself, as JSON.
 * `answering`: the middleware that a request to the API below `api` goes through, by which tools call its routes. docs/contract/mcp.md.
 */
export function mcpEndpoint(
  options: AppOptions,
  api: string,
  answering: readonly Koa.Middleware<RequestState>[],
): Koa.Middleware<RequestState> {
  const { log, rateLimit, services } = options;
  const own = originsOf(services.publicUrl);
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    refuseOrigin(ctx, own);
    // No stream is opened here, and no session ended: there is neither.
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx.method, ['POST']);
    const { project, keyId, scopes } = await holderOfKey(ctx.get('authorization'), options.authenticate);
    refuseSuspended(project);
    ctx.set('Cache-Control', 'no-store');
    const call = ownCalls(ctx, api, answering);
    const context: ToolContext = {
      ...{ vault: services.vault, now: services.now, newId: services.newId, call },
      key: { projectId: project.id, keyId },
      hasScope: (scope: Scope) => grants(scopes, scope),
      async ask<Body>(asked: Parameters<typeof call>[0]): Promise<Body> {
        const answer = await call(asked);
        if (answer.status >= 400) throw new RouteRefused(answer);
        return answer.body as Body;
      },
    };
    await answerMessage(ctx, (method) => {
      // A tool takes of the bucket by the calls that it makes.
      if (method !== 'tools/call' && rateLimit) ctx.set({ ...rateLimit.take(project.id) });
      return { context, mayAct: ctx.get('everpost-allow-send') === 'true', log, requestId: ctx.state.requestId };
    });
  };
}

/** By DNS rebinding a page anywhere can call a server on the reader's own machine; its Origin tells. */
function refuseOrigin(ctx: Context, own: readonly string[]): void {
  const origin = ctx.get('origin');
  if (origin !== '' && !own.includes(origin)) throw new Refusal('forbidden', `pages of another origin than ${own[0]} cannot use /mcp`);
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** That of a URL, and of one on this machine the same by the other names of the machine itself: no page elsewhere can have those. */
function originsOf(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl);
  if (!LOOPBACK.includes(hostname)) return [origin];
  return [origin, ...LOOPBACK.map((name) => `${protocol}//${name}${port && `:${port}`}`)];
}

type Asked = Parameters<typeof answerCall>[1];

async function answerMessage(ctx: Context, admit: (method: string | undefined) => Asked): Promise<void> {
  let id: string | number | undefined;
  try {
    refuseVersion(ctx.get('mcp-protocol-version'));
    const message = readMessage(await readBody(ctx));
    id = message?.id;
    const asked = admit(message?.method);
    if (message?.id === undefined) {
      // A notification, or the answer to something: taken, and nothing is to be done.
      ctx.body = null;
      ctx.status = 202;
      return;
    }
    ctx.body = await answerCall(message, asked);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    // Only what could not be taken as a message is a bad request.
    if (id === undefined) ctx.status = 400;
    ctx.body = errorMessage(id, error);
  }
}

function refuseVersion(version: string): void {
  if (version !== '' && !PROTOCOL_VERSIONS.includes(version))
    throw new RpcError('invalidRequest', `MCP-Protocol-Version: this server knows ${PROTOCOL_VERSIONS.join(' and ')}`);
}

async function readBody(ctx: Context): Promise<unknown> {
  try {
    return await readJson(ctx, { arrayName: 'messages' }, ctx.state.deadline);
  } catch (error) {
    // JSON, but neither an object nor an array.
    if (error instanceof Refusal && error.message === 'the body must be a JSON object') throw new RpcError('invalidRequest', error.message);
    if (error instanceof Refusal && error.code === 'invalid_json') throw new RpcError('parseError', error.message);
    if (error instanceof Refusal && error.code === 'invalid_request') throw new RpcError('invalidRequest', error.message);
    throw error;
  }
}
