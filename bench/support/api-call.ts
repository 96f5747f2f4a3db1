import type { BenchStack } from './bench-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Answer = any;

/** Calls the stack's API below /api/v1; throws for whatever is no success. */
export async function callApi(stack: Pick<BenchStack, 'apiUrl' | 'key'>, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${stack.apiUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
