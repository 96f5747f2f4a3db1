import type { Route } from '../route.ts';
import * as contacts from './contacts.ts';
import * as enrollments from './enrollments.ts';
import * as events from './events.ts';
import * as health from './health.ts';
import * as send from './send.ts';
import * as sends from './sends.ts';
import * as sequences from './sequences.ts';

/** The whole API, in the order of its documentation. */
export const routes: readonly Route[] = [
  contacts.upsert,
  contacts.list,
  contacts.read,
  contacts.unsubscribe,
  send.send,
  sends.list,
  sequences.create,
  sequences.list,
  sequences.read,
  enrollments.enroll,
  enrollments.enrollBulk,
  enrollments.cancel,
  events.accept,
  health.health,
  health.healthByPost,
  health.ready,
];
