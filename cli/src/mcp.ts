import { Failure } from './failure.ts';

/** The tools of the server over stdin and stdout. */
export async function runMcp(_options: { readonly url: string; readonly apiKey: string; readonly allowSend: boolean }): Promise<void> {
  throw new Failure('this build has no MCP server');
}
