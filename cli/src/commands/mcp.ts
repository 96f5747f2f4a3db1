import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';

export const mcp: Command = {
  name: 'mcp',
  isEndless: true,
  summary: 'Serve tools for an agent over stdin and stdout',
  options: { 'allow-send': { type: 'boolean', description: 'tools that send and change too, and not only those that read and draft' } },
  async run({ profile, flag, ending }) {
    const { url, apiKey } = profile;
    if (apiKey === undefined) throw new Failure(`there is no key for ${url}: set EVERPOST_API_KEY, or run: everpost login`);
    // Loaded only here: no other command needs what it brings along.
    const { runMcp } = await import('../mcp.ts');
    await runMcp({ url, apiKey, allowSend: flag('allow-send'), ending });
    return undefined;
  },
};
