import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';

/** What a tool answered. */
export interface Told {
  readonly isError: boolean;
  /** What an agent reads. */
  readonly text: string;
  readonly says: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of many shapes
  readonly data: any;
}

/** The official client, as tests use it. */
export interface McpClient {
  readonly client: Client;
  toolNames(): Promise<string[]>;
  /** Calls a tool, and checks that its answer is of the schema that the server lists. */
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Told>;
  /** The same of a call that has to work: throws what was refused. */
  done(name: string, given?: Readonly<Record<string, unknown>>): Promise<Told>;
}

/** Over HTTP, straight to /mcp of the shared instance. */
export async function overHttp(key: string, { allowSend = false }: { readonly allowSend?: boolean } = {}): Promise<McpClient> {
  const headers = { authorization: `Bearer ${key}`, ...(allowSend ? { 'everpost-allow-send': 'true' } : {}) };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', testEnvironment().apiUrl), { requestInit: { headers } });
  return connected(transport as Transport);
}

/** The client on a transport; it ends with the file. */
export async function connected(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: 'everpost-test', version: '1.0.0' });
  await client.connect(transport);
  afterFile(() => client.close());
  const call: McpClient['call'] = async (name, given = {}) => {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: given });
    const { says, data } = structuredContent as { says: string[]; data?: unknown };
    const [first] = content as [{ text: string }];
    return { isError: isError as boolean, text: first.text, says: says.join('\n'), data };
  };
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call,
    async done(name, given) {
      const told = await call(name, given);
      if (told.isError) throw new Error(`${name} was refused: ${told.text}`);
      return told;
    },
  };
}

/** The token that a prepare_ tool reads back. */
export function tokenOf({ says }: Told): string {
  const [, token] = /: (\S+\.\S+)$/.exec(says) ?? [];
  if (!token) throw new Error(`there is no token in: ${says}`);
  return token;
}
