import type { ReadyConfig } from '../platform/config.ts';
import { createReceivers, type Receivers } from './receivers/receivers.ts';
import { createSendPace, NO_PACE, type SendPace } from './send-pace.ts';

/** How fast one process sends. */
export interface SendPaces {
  /** All that it submits. */
  readonly all: SendPace;
  /** To the receivers of mails. */
  readonly receivers: Receivers;
  /** What it submits to this provider, by its name. */
  of(provider: string): SendPace;
}

/** Shared by all that sends in a process. */
export function createSendPaces({
  sendRatePerSecond,
  emailProviders,
  emailReceivers,
}: Pick<ReadyConfig, 'sendRatePerSecond' | 'emailProviders' | 'emailReceivers'>): SendPaces {
  const paces = new Map(
    emailProviders.flatMap(({ name, ratePerSecond }) => (name && ratePerSecond ? [[name, createSendPace(ratePerSecond)] as const] : [])),
  );
  return {
    all: createSendPace(sendRatePerSecond),
    receivers: createReceivers(emailReceivers),
    of: (provider) => paces.get(provider) ?? NO_PACE,
  };
}
