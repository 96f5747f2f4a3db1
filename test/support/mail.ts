import { testEnvironment } from './environment.ts';
import { eventually, type Patience } from './eventually.ts';
import type { SinkBehaviour, SinkMessage } from './smtp-sink.ts';

/** Every message that the sink has for the address, or for all of "@domain", oldest first. */
export async function mailNow(address: string): Promise<SinkMessage[]> {
  return sink<SinkMessage[]>(`/messages?to=${encodeURIComponent(address)}`);
}

/** How many those are. */
export async function mailCount(address: string): Promise<number> {
  return sink<number>(`/count?to=${encodeURIComponent(address)}`);
}

/** How many messages for it have come whole and wait for their answer. */
export async function heldCount(address: string): Promise<number> {
  return sink<number>(`/held?to=${encodeURIComponent(address)}`);
}

/** Waits until the messages for the address are as wanted; by default until there is one. Says what had come when the time is over. */
export async function mailTo(
  address: string,
  wanted: (messages: SinkMessage[]) => boolean = (messages) => messages.length > 0,
  patience: Patience = {},
): Promise<SinkMessage[]> {
  let last: SinkMessage[] = [];
  return eventually(async () => {
    last = await mailNow(address);
    return wanted(last) && last;
  }, patience).catch(() => {
    const subjects = last.map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1] ?? '(no subject)');
    throw new Error(`mail to ${address} did not become as wanted; ${last.length} came: ${subjects.join(' | ')}`);
  });
}

/** What the sink does from now on with mail to the address, or to all of "@domain". */
export async function scriptMail(address: string, behaviour: SinkBehaviour): Promise<void> {
  await sink(`/behaviour?to=${encodeURIComponent(address)}`, JSON.stringify(behaviour));
}

async function sink<T>(path: string, body?: string): Promise<T> {
  const response = await fetch(`${testEnvironment().sinkUrl}${path}`, body === undefined ? {} : { method: 'POST', body });
  if (!response.ok) throw new Error(`the sink answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
