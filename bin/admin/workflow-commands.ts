import { type AdminContext, type Command, text, WrongUsage } from './command.ts';
import { projectOf } from './project-commands.ts';

const ID = 'enrollment|campaign|delivery|endpoint id';

/** An id, or the workflow id that ends with it. */
function askedFor(argument: string): { readonly id: string; readonly prefix: string | undefined } {
  const [, prefix, id] = /^(?:([a-z-]+)\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(argument) ?? [];
  if (id === undefined) throw new WrongUsage(`"${argument}" is neither an id nor the id of a workflow, such as campaign/<id>`);
  return { id: id.toLowerCase(), prefix: prefix?.toLowerCase() };
}

/** Loaded where it is needed: with Temporal's client it is the half of what the program takes to start. */
async function actions(): Promise<typeof import('./workflow-actions.ts')> {
  return import('./workflow-actions.ts');
}

const stuck: Command = {
  name: 'workflow stuck',
  args: [],
  options: { project: 'string' },
  usage: '[--project P]',
  async run(context, _args, options) {
    const slug = text(options, 'project', (value) => value);
    const project = slug === undefined ? undefined : await projectOf(await context.em(), slug);
    return (await actions()).listStuck(context, project);
  },
};

function changing(name: 'retry' | 'terminate'): Command {
  return {
    name: `workflow ${name}`,
    args: [ID],
    async run(context: AdminContext, [argument = '']) {
      const asked = askedFor(argument);
      return (await actions())[name](context, asked);
    },
  };
}

/** What an on-call engineer does about workflows: docs/contract/admin.md 3, 7. */
export const workflowCommands: readonly Command[] = [stuck, changing('retry'), changing('terminate')];
