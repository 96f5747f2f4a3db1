import { listInboundSettings, setInboundSetting } from '../../db/queries/inbound/inbound-settings.ts';
import { SETTABLE, SETTABLE_PROVIDERS, type SettableProvider } from '../../domain/inbound/providers.ts';
import type { Command } from './command.ts';
import { projectOf } from './project-commands.ts';
import { AdminError } from './values.ts';

function providerOf(text: string | undefined): SettableProvider {
  const provider = SETTABLE_PROVIDERS.find((name) => name === text);
  if (!provider) throw new AdminError(`the provider should be one of ${SETTABLE_PROVIDERS.join(', ')}`);
  return provider;
}

const set: Command = {
  name: 'inbound set',
  args: ['project', 'provider'],
  input: 'value',
  async run(context, [slug, name]) {
    const provider = providerOf(name);
    const value = await context.input();
    const problem = SETTABLE[provider].settingProblem(value);
    if (problem) throw new AdminError(`the value for ${provider} ${problem}`);
    const em = await context.em();
    const { id: projectId } = await projectOf(em, slug);
    await setInboundSetting(em, context.vault(), { projectId, provider, value });
    return { project: slug, provider, set: true };
  },
};

const clear: Command = {
  name: 'inbound clear',
  args: ['project', 'provider'],
  async run(context, [slug, name]) {
    const provider = providerOf(name);
    const em = await context.em();
    const { id: projectId } = await projectOf(em, slug);
    await setInboundSetting(em, context.vault(), { projectId, provider, value: undefined });
    return { project: slug, provider, set: false };
  },
};

const list: Command = {
  name: 'inbound list',
  args: ['project'],
  async run(context, [slug]) {
    const em = await context.em();
    return listInboundSettings(em, (await projectOf(em, slug)).id);
  },
};

/** What proves the events of delivery providers, stored for a project. */
export const inboundCommands: readonly Command[] = [set, clear, list];
