import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { registerSearchAttributes } from '../../platform/temporal/search-attributes.ts';
import type { WorkflowType } from '../../workflows/contracts.ts';
import { type Admin, adminProgram, type Ended, admin as runAdmin } from '../support/admin.ts';
import { testEnvironment } from '../support/environment.ts';
import { startEverpost } from '../support/everpost.ts';
import { type OfEachType, openRows, workflowIds } from '../support/open-rows.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { newSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

/** What `workflow stuck` says of one. */
export interface Stuck {
  readonly workflowId: string;
  readonly type: string;
  readonly project: string | null;
  readonly since: string;
  readonly problem: string;
}

export interface WithoutWorkers {
  readonly em: EntityManager;
  readonly client: Client;
  readonly project: TestProject;
  anotherProject(): Promise<TestProject>;
  rowsOfAnother(): Promise<{ other: TestProject; ids: OfEachType<string> }>;
  /** Of each type an open row. */
  newRows(): Promise<OfEachType<string>>;
  /** Starts the workflows of these rows where nobody works on them: they are open, and nothing is wrong with them. */
  startOpen(ids: OfEachType<string>, ...types: readonly WorkflowType[]): Promise<void>;
  admin(args: readonly string[], run?: Admin): Promise<Ended>;
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own record
  json(...args: readonly string[]): Promise<any>;
  /** The same from a process of its own, which ends by itself. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own record
  jsonOfProgram(...args: readonly string[]): Promise<any>;
  /** What is stuck, of one project or of all. */
  stuck(of?: TestProject): Promise<readonly Stuck[]>;
  stop(): Promise<void>;
}

/** The command line beside servers on which no worker runs: what is broken stays so. */
export async function withoutWorkers(): Promise<WithoutWorkers> {
  const everpost = await startEverpost({ worker: false });
  const em = await database(everpost.databaseUrl);
  const client = await temporalClient(everpost.namespace);
  await registerSearchAttributes(client.connection, everpost.namespace);
  const project = await newProject({ everpost });
  const sequence = await newSequence(project);
  const anotherProject = () => newProject({ everpost });
  const { temporalAddress, secretKey, scratchDir } = testEnvironment();
  const env = {
    ...{ DATABASE_URL: everpost.databaseUrl, SECRET_KEY: secretKey, DATA_DIR: await mkdtemp(join(scratchDir, 'admin-')) },
    ...{ TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: everpost.namespace },
  };
  const admin = (args: readonly string[], run: Admin = runAdmin): Promise<Ended> => run(args, env);
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own record
  const answer = async (args: readonly string[], run: Admin): Promise<any> => {
    const { code, stdout, stderr } = await admin([...args, '--json'], run);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  return {
    ...{ em, client, project, anotherProject, admin },
    newRows: () => openRows({ em, project, sequence }),
    async rowsOfAnother() {
      const other = await anotherProject();
      return { other, ids: await openRows({ em, project: other, sequence: await newSequence(other) }) };
    },
    async startOpen(ids, ...types) {
      const named = workflowIds(ids);
      for (const type of types) await client.workflow.start(type, { workflowId: named[type], taskQueue: 'nobody' });
    },
    json: (...args) => answer(args, runAdmin),
    jsonOfProgram: (...args) => answer(args, adminProgram),
    stuck: (of) => answer(['workflow', 'stuck', ...(of ? ['--project', of.slug] : [])], runAdmin),
    stop: () => everpost.stop(),
  };
}
