import { readProjectSecrets } from '../../db/queries/projects/project-secrets.ts';
import { DEMO_SLUG, keptDemoKey } from '../../local/demo-key.ts';
import { consoleLink, inboundAddress } from '../../local/welcome.ts';
import type { Command } from './command.ts';
import { projectOf } from './project-commands.ts';
import { AdminError } from './values.ts';

/** What the first start has printed, once more. */
export const demoCommand: Command = {
  name: 'demo',
  args: [],
  async run(context) {
    const key = await keptDemoKey(context.dataDir);
    if (key === undefined) throw new AdminError(`npm start has made no demo project on ${context.dataDir} (DATA_DIR)`);
    const em = await context.em();
    const { inboundId, ...secrets } = await readProjectSecrets(em, context.vault(), (await projectOf(em, DEMO_SLUG)).id);
    const api = context.apiUrl;
    if (api === null) return { key, inboundId, ...secrets };
    return { key, console: consoleLink(api, key), inbound: inboundAddress(api, inboundId), ...secrets };
  },
};
