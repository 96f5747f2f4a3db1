import type { WebhookConfig } from './kinds/webhook.ts';
import { renderJson, renderText } from './liquid-value.ts';
import { OverBudget, WalkBudget } from './walk-budget.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/** For the texts of one call; it is rendered outside of any transaction. */
const CALL_LIMITS = { milliseconds: 50, characters: MAX_BODY_BYTES, memory: 1_000_000 };

/** The request of a webhook node. */
export interface WebhookCall {
  readonly method: NonNullable<WebhookConfig['method']>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; empty for GET. */
  readonly body: string;
}

/** `problem`: why there is no call to make, which no later try could change. */
export function webhookCall(config: WebhookConfig, variables: object): WebhookCall | { readonly problem: string } {
  const { method = 'POST', url, headers = {} } = config;
  const budget = new WalkBudget(CALL_LIMITS);
  try {
    const body = method === 'GET' ? '' : JSON.stringify(config.body === undefined ? variables : renderJson(config.body, variables, budget));
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) return { problem: 'the body is larger than 1 MB' };
    return {
      method,
      url: renderText(url, variables, budget),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, renderText(value, variables, budget)])),
      body,
    };
  } catch (error) {
    if (error instanceof OverBudget) return { problem: error.message };
    throw error;
  }
}
