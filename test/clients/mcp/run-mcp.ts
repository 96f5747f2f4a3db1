import { runMcp } from '../../../cli/src/mcp.ts';

/** `everpost mcp` as the tests run it: the bridge alone. */
const { EVERPOST_URL: url = '', EVERPOST_API_KEY: apiKey = '' } = process.env;
await runMcp({ url, apiKey, allowSend: process.argv.includes('--allow-send') });
