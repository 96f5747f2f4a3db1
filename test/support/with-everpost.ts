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
    const project = await newProject({ everpost: stack });
    await enableTemplates(project, 'newsletter');
    await run({ stack, project, arrived: () => mailCount(`@to.${project.domain}`) });
  } finally {
    await stack.stop();
  }
}
