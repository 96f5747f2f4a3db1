import { endConsoleSessionById, listConsoleSessions } from '../../db/queries/projects/console-sessions.ts';
import type { Command } from './command.ts';
import { projectOf } from './project-commands.ts';
import { AdminError, idOf } from './values.ts';

const list: Command = {
  name: 'session list',
  args: ['project'],
  async run(context, [project]) {
    const em = await context.em();
    return listConsoleSessions(em, { projectId: (await projectOf(em, project)).id }, new Date());
  },
};

const end: Command = {
  name: 'session end',
  args: ['id'],
  async run(context, [text = '']) {
    const id = idOf(text);
    if (!(await endConsoleSessionById(await context.em(), id))) {
      throw new AdminError(`no session has the id ${id}; it may have ended already: \`session list <project>\` shows those that are open`);
    }
    return { id, ended: true };
  },
};

/** Of the console. */
export const sessionCommands: readonly Command[] = [list, end];
