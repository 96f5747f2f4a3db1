import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { EnrollmentRow, EnrollmentStepRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { eventually, type Patience } from './eventually.ts';
import type { TestProject } from './project.ts';

export interface StepInput {
  readonly template: string;
  readonly subject?: string;
  readonly type?: 'transactional' | 'marketing';
  readonly delayMinutes?: number;
}

export interface SequenceInput {
  readonly steps?: readonly StepInput[];
  readonly status?: string;
  readonly trigger?: string;
}

export interface TestSequence {
  readonly id: string;
  readonly key: string;
  /** The event type that enrolls; no other sequence has it unless it was given. */
  readonly trigger: string;
  enroll(email: string): Promise<string>;
}

/** Long enough that no test sees its end. */
export const DAY_MINUTES = 1440;
/** Waits until the next day before its only mail. */
export const WAITS: readonly StepInput[] = [{ template: 'welcome', delayMinutes: DAY_MINUTES }];

/** Calls again while it is answered 503: just started on a busy machine, an API may wait for its database longer than it lets a call wait. */
export async function unlessBusy<T extends { status: number; body: unknown }>(call: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    const answer = await call();
    if (answer.status === 503) throw new Error(`answered 503: ${JSON.stringify(answer.body)}`);
    return answer;
  });
}

export async function enableTemplates(project: Pick<TestProject, 'api'>, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) must(await unlessBusy(() => project.api.put(`/templates/${key}`, { enabled: true })), 200);
}

/** An active sequence; its only step waits for a day unless steps are given. */
export async function newSequence(project: Pick<TestProject, 'api'>, input: SequenceInput = {}): Promise<TestSequence> {
  const name = randomBytes(5).toString('hex');
  const key = `s-${name}`;
  const { steps = WAITS, status = 'active', trigger = `t-${name}` } = input;
  const body = { key, name: `Sequence ${name}`, status, trigger, steps };
  const { id } = must(await unlessBusy(() => project.api.post('/sequences', body)), 201);
  return {
    ...{ id, key, trigger },
    async enroll(email) {
      return must(await project.api.post(`/sequences/${key}/enroll`, { email }), 200).enrollmentId;
    },
  };
}

/** Creates the contact; answers with its id. */
export async function newContact(project: Pick<TestProject, 'api'>, email: string, fields: object = {}): Promise<string> {
  return must(await unlessBusy(() => project.api.post('/contacts', { email, ...fields })), 200).contacts[0].id;
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into the record
export async function contactOf(project: Pick<TestProject, 'api'>, id: string): Promise<any> {
  return must(await project.api.get(`/contacts/${id}`), 200).contact;
}

export async function enrollmentOf(em: EntityManager, id: string): Promise<EnrollmentRow> {
  return (await row(em, sql<EnrollmentRow>`select * from enrollments where id = ${id}`))!;
}

/** Waits until the enrollment is as wanted; says how it was when the time is over. */
export async function enrollmentBecomes(
  em: EntityManager,
  id: string,
  wanted: (enrollment: EnrollmentRow) => boolean,
  patience: Patience = { timeoutMs: 30_000 },
): Promise<EnrollmentRow> {
  let last: EnrollmentRow | undefined;
  return eventually(async () => {
    last = await enrollmentOf(em, id);
    return wanted(last) && last;
  }, patience).catch(() => {
    throw new Error(`the enrollment did not become as wanted: ${JSON.stringify(last)}`);
  });
}

/** Waits until the enrollment is no longer active. */
export async function enrollmentEnds(em: EntityManager, id: string, patience?: Patience): Promise<EnrollmentRow> {
  return enrollmentBecomes(em, id, ({ status }) => status !== 'active', patience);
}

/** Every node visited, in order, as "node outcome". */
export async function traceOf(em: EntityManager, id: string): Promise<string[]> {
  const steps = await rows(
    em,
    sql<EnrollmentStepRow>`select node_id, outcome from enrollment_steps where enrollment_id = ${id} order by step`,
  );
  return steps.map(({ node_id, outcome }) => `${node_id} ${outcome}`);
}

/** The body of an answer that has to be this one. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
export function must({ status, body }: { status: number; body: any }, expected: number): any {
  if (status !== expected) throw new Error(`answered ${status} instead of ${expected}: ${JSON.stringify(body)}`);
  return body;
}
