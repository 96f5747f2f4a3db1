import { eventually, type Patience } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** An action over runs, as the API answers it. */
export interface ShownAction {
  readonly id: string;
  readonly action: string;
  readonly status: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly workflow_id: string;
}

/** Asks for actions over the runs of a sequence. */
export function actionsOn(project: Pick<TestProject, 'api'>, key: string) {
  const path = `/sequences/${key}/enrollments/actions`;
  const read = async (id: string): Promise<ShownAction> => must(await project.api.get(`${path}/${id}`), 200).action;
  /** Waits for its end. */
  const ended = (id: string, patience?: Patience): Promise<ShownAction> =>
    eventually(async () => {
      const action = await read(id);
      return action.status !== 'running' && action;
    }, patience);
  const ask = (body: object, query = '') => project.api.post(`${path}${query}`, body);
  const begin = async (body: object): Promise<ShownAction> => must(await ask(body), 202).action;
  return {
    ...{ path, read, ended, ask, begin },
    count: async (body: object): Promise<number> => must(await ask(body, '?dryRun=1'), 200).count,
    /** Begins it and waits for its end. */
    act: async (body: object): Promise<ShownAction> => ended((await begin(body)).id),
    cancel: (id: string) => project.api.post(`${path}/${id}/cancel`, {}),
  };
}
