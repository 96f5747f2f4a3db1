import type { Route } from '../route.ts';
import * as contacts from './contacts.ts';
import * as health from './health.ts';
import * as send from './send.ts';
import * as sends from './sends.ts';

/** The whole API, in the order of its documentation. */
export const routes: readonly Route[] = [
  contacts.upsert,
  contacts.list,
  contacts.read,
  contacts.unsubscribe,
  send.send,
  sends.list,
  health.health,
  health.healthByPost,
  health.ready,
];
