import { afterAll } from 'vitest';
import { type Everpost, type EverpostOptions, startEverpost } from './everpost.ts';
import { mailCount } from './mail.ts';
import { newProject, type TestProject } from './project.ts';
import { enableTemplates } from './sequences.ts';

export interface WithEverpost {
  readonly stack: Everpost;
  /** May send newsletters. */
  readonly project: TestProject;
  /** Mails that arrived so far. */
  arrived(): Promise<number>;
}

/** Servers of its own for one test: most of what such tests do is waiting, so they wait beside each other. */
export async function withEverpost(options: EverpostOptions, run: (given: WithEverpost) => Promise<void>): Promise<void> {
  const stack = await startEverpost(options);
  try {
    await withProject(stack, run);
  } finally {
    await stack.stop();
  }
}

/** The same for tests that may share their servers: each has a project of its own. Call it once for the file. */
export function sharingEverpost(options: EverpostOptions): (run: (given: WithEverpost) => Promise<void>) => Promise<void> {
  let starting: Promise<Everpost> | undefined;
  afterAll(async () => {
    await (await starting?.catch(() => undefined))?.stop();
  });
  return async (run) => {
    starting ??= startEverpost(options);
    await withProject(await starting, run);
  };
}

async function withProject(stack: Everpost, run: (given: WithEverpost) => Promise<void>): Promise<void> {
  const project = await newProject({ everpost: stack });
  await enableTemplates(project, 'newsletter');
  await run({ stack, project, arrived: () => mailCount(`@to.${project.domain}`) });
}
