import { type DeliverySeen, type EndpointSeen, groupBy, type Hook, type Observed, type Promised } from '../observed.ts';

/** 11.4. */
const MOST_ATTEMPTS = 6;
/** An attempt that had begun when its endpoint was disabled or deleted: it lasts 15 s, and its process may have been stopped for 25. */
const LATE_MS = 40_000;
/** Clocks of the database and of a process are read at different moments. */
const TOLERANCE_MS = 20;

const isTaken = ({ status }: Pick<Hook, 'status'>): boolean => status !== null && status >= 200 && status < 300;

function arrivedAt({ hooks }: Observed, { path }: EndpointSeen): ReadonlyMap<string, readonly Hook[]> {
  return groupBy(
    hooks.filter((hook) => hook.path === path),
    ({ id }) => id,
  );
}

/** Looks at each delivery with the calls that came for it. */
function eachDelivery(find: (delivery: DeliverySeen, calls: readonly Hook[], observed: Observed) => string | undefined): Promised['find'] {
  return (observed) =>
    observed.endpoints.flatMap((endpoint) => {
      const arrived = arrivedAt(observed, endpoint);
      return endpoint.deliveries.flatMap((delivery) => {
        const message = find(delivery, arrived.get(delivery.id) ?? [], observed);
        return message === undefined ? [] : [{ about: [delivery.id, endpoint.path, delivery.event_type], message }];
      });
    });
}

/** docs/contract/webhooks.md 6 to 17. */
export const WEBHOOK_PROMISES: readonly Promised[] = [
  {
    promise: 'every delivery is settled: by a 2xx, or by six attempts',
    source: 'docs/contract/webhooks.md 13, 14',
    find: eachDelivery(({ status, attempts, attempt_log }, calls) => {
      if (status === 'delivered') return calls.some(isTaken) ? undefined : 'it is delivered, and no call was answered with 2xx';
      if (status === 'pending') return `it is pending after ${attempts} attempts`;
      if (attempts !== MOST_ATTEMPTS) return `it failed after ${attempts} attempts`;
      const taken = attempt_log.find((attempt) => attempt.status !== null && attempt.status >= 200 && attempt.status < 300);
      return taken ? `it failed, and attempt ${taken.number} was answered ${taken.status}` : undefined;
    }),
  },
  {
    promise: 'no delivery is made more often than its attempts say, and none has more than six',
    source: 'docs/contract/webhooks.md 13, 14',
    find: eachDelivery(({ attempts, attempt_log }, calls) => {
      if (attempts > MOST_ATTEMPTS) return `it had ${attempts} attempts`;
      if (attempt_log.map(({ number }) => number).join() !== attempt_log.map((_, index) => index + 1).join())
        return 'its log has an attempt twice or not at all';
      if (calls.length <= attempts) return undefined;
      const came = calls.map(({ at, status }) => `${new Date(at).toISOString()} ${status ?? 'unanswered'}`);
      const counted = attempt_log.map(({ at, status, error }) => `${at} ${status ?? error}`);
      return `${calls.length} calls came, ${attempts} attempts are counted: came ${came.join(', ')}; counted ${counted.join(', ')}`;
    }),
  },
  {
    promise: 'the pauses between attempts are kept',
    source: 'docs/contract/webhooks.md 13: 1, 2, 4 … times the base',
    find: eachDelivery(({ attempt_log }, _, { retryBaseSeconds }) => {
      const early = attempt_log.flatMap((attempt, index) => {
        const next = attempt_log[index + 1];
        // One that was cut off by the end of its process is made again at once.
        if (!next || attempt.error?.startsWith('cut off')) return [];
        const gap = Date.parse(next.at) - Date.parse(attempt.at);
        const planned = retryBaseSeconds * 1000 * 2 ** (attempt.number - 1);
        return gap < planned - TOLERANCE_MS ? [`attempt ${next.number} came ${gap} ms after the one before, not ${planned}`] : [];
      });
      return early[0];
    }),
  },
  {
    promise: 'every attempt has the same body, and is signed',
    source: 'docs/contract/webhooks.md 8, 10',
    find: eachDelivery(({ payload }, calls) => {
      const bodies = new Set(calls.map(({ body }) => body));
      if (bodies.size > 1) return `${bodies.size} different bodies came`;
      if (calls.some(({ isSigned }) => !isSigned)) return 'its signature is wrong';
      const [body] = bodies;
      // Key by key: the order of fields within is that of the text.
      return body === undefined || body === JSON.stringify(payload) ? undefined : 'its payload is not the body that came';
    }),
  },
  {
    promise: 'nothing comes that is no delivery of the endpoint',
    source: 'docs/contract/webhooks.md 10',
    find: (observed) =>
      observed.endpoints
        .filter((endpoint) => !isDeleted(observed, endpoint))
        .flatMap((endpoint) => {
          const known = new Set(endpoint.deliveries.map(({ id }) => id));
          return [...arrivedAt(observed, endpoint).keys()]
            .filter((id) => !known.has(id))
            .map((id) => ({ about: [id, endpoint.path], message: 'there is no such delivery' }));
        }),
  },
  {
    promise: 'each event is told once to each endpoint, under one id to all',
    source: 'docs/contract/webhooks.md 7, 8',
    find({ endpoints }) {
      const twice = endpoints.flatMap(({ path, deliveries }) =>
        [...groupBy(deliveries, nameOf)]
          .filter(([, same]) => same.length > 1)
          .map(([name, same]) => ({ about: [name, path, ...same.map(({ id }) => id)], message: `${same.length} deliveries` })),
      );
      const everywhere = groupBy(
        endpoints.flatMap(({ deliveries }) => deliveries),
        nameOf,
      );
      const ids = [...everywhere].flatMap(([name, same]) => {
        const different = new Set(same.map(({ payload }) => payload.id));
        return different.size > 1 ? [{ about: [name, ...different], message: 'one event has several ids' }] : [];
      });
      return [...twice, ...ids];
    },
  },
  {
    promise: 'everything that happened is told, and nothing else',
    source: 'docs/contract/webhooks.md 7',
    find(observed) {
      const wanted = new Set(expectedEvents(observed));
      return observed.endpoints
        .filter(({ isSteady }) => isSteady)
        .flatMap(({ path, events, deliveries }) => {
          const told = new Set(deliveries.map(nameOf));
          const concerns = (name: string): boolean => events === null || events.includes(name.split(' ')[0]!);
          const missing = [...wanted]
            .filter((name) => concerns(name) && !told.has(name))
            .map((name) => ({ about: [name, path], message: 'it was not told' }));
          const settled = /^(email\.sent|sequence\.completed|campaign\.completed) /;
          const invented = [...told]
            .filter((name) => settled.test(name) && !wanted.has(name))
            .map((name) => ({ about: [name, path], message: 'it was told and has not happened' }));
          return [...missing, ...invented];
        });
    },
  },
  {
    promise: 'nothing goes to an endpoint that was deleted, or is disabled',
    source: 'docs/contract/webhooks.md 16',
    find: (observed) =>
      observed.endpoints.flatMap((endpoint) => {
        const calls = observed.calls.filter(({ path }) => path === `/webhooks/${endpoint.id}`);
        const ends = calls.filter(({ kind, status, body }) => status === 200 && (kind === 'delete endpoint' || body?.enabled === false));
        return ends.flatMap(({ answeredAt }) => {
          const until = Math.min(
            ...calls.filter(({ body, sentAt }) => body?.enabled === true && sentAt > answeredAt).map(({ sentAt }) => sentAt),
          );
          return observed.hooks
            .filter(({ path, at }) => path === endpoint.path && at > answeredAt + LATE_MS && at < until)
            .map(({ id, at }) => ({ about: [id, endpoint.path], message: `a call came ${at - answeredAt} ms after the answer` }));
        });
      }),
  },
];

function isDeleted({ calls }: Observed, { id }: EndpointSeen): boolean {
  return calls.some(({ kind, path }) => kind === 'delete endpoint' && path === `/webhooks/${id}`);
}

/** What the event is about. Each of these happens once to it under this load: nobody resubscribes. */
function nameOf({ event_type, payload: { data } }: DeliverySeen): string {
  return `${event_type} ${data.send_id ?? data.enrollment_id ?? data.id}`;
}

/** What has to be told, by what the API answered and shows. */
function expectedEvents({ calls, sends, enrollments, campaigns }: Observed): string[] {
  const contacts = calls
    .filter(({ kind, status }) => kind === 'contacts' && status === 200)
    .flatMap(({ answer }) => answer.contacts as { id: string }[]);
  const left = calls.filter(({ kind, status, path }) => kind === 'unsubscribe' && status === 200 && path.startsWith('/contacts/'));
  return [
    ...contacts.map(({ id }) => `contact.subscribed ${id}`),
    ...left.map(({ path }) => `contact.unsubscribed ${path.split('/')[2]}`),
    ...sends.filter(({ status }) => status === 'sent').map(({ id }) => `email.sent ${id}`),
    ...enrollments.filter(({ status }) => status === 'completed').map(({ id }) => `sequence.completed ${id}`),
    ...campaigns.filter(({ status }) => status === 'sent').map(({ id }) => `campaign.completed ${id}`),
  ];
}
