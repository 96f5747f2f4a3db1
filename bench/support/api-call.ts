import type { BenchProject } from './bench-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Answer = any;

/** Calls the API with the project's key, below /api/v1; throws for whatever is no success. */
export async function callApi(project: Pick<BenchProject, 'apiUrl' | 'key'>, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${project.apiUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
