import { v7 as uuidv7 } from 'uuid';
import { findApiKey } from '../../db/queries/projects/administration.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { type Command, text } from './command.ts';
import { projectOf } from './project-commands.ts';
import { AdminError, idOf, nameOf, scopesOf } from './values.ts';

const create: Command = {
  name: 'key create',
  args: ['project'],
  options: { scopes: 'string', name: 'string', test: 'boolean' },
  required: ['scopes'],
  usage: '--scopes a,b|*|<preset> [--name N] [--test]',
  remark: 'the key is shown once: only its hash is stored',
  async run(context, [project], options) {
    const scopes = text(options, 'scopes', scopesOf) ?? [];
    const name = text(options, 'name', nameOf);
    const em = await context.em();
    const { id: projectId } = await projectOf(em, project);
    return createApiKey(em, { id: uuidv7(), projectId, scopes, name, isTest: options.test === true });
  },
};

const list: Command = {
  name: 'key list',
  args: ['project'],
  async run(context, [project]) {
    const em = await context.em();
    return listApiKeys(em, (await projectOf(em, project)).id);
  },
};

/** Revoking a revoked key is no error: it does not work, which is what was wanted. */
const revoke: Command = {
  name: 'key revoke',
  args: ['id'],
  async run(context, [text = '']) {
    const id = idOf(text);
    const em = await context.em();
    await revokeApiKey(em, id, new Date());
    const key = await findApiKey(em, id);
    if (!key) throw new AdminError(`no key has the id ${id}`);
    return key;
  },
};

export const keyCommands: readonly Command[] = [create, list, revoke];
