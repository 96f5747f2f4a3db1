import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Page } from 'playwright-core';
import { buildConsole } from '../local/console-build.ts';
import { startBrowser } from '../test/support/browser.ts';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { fillContacts, fillSends } from './support/filling.ts';
import { percentile, progress, report } from './support/report.ts';

/**
 * How long the lists of the console take to show over a large project, in a real browser, and how smoothly a large graph pans:
 * node bench/console.ts [--contacts 1000000] [--sends 5000000] [--runs 100000] [--nodes 200] [--times 15]
 */
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    sends: { type: 'string', default: '5000000' },
    runs: { type: 'string', default: '100000' },
    nodes: { type: 'string', default: '200' },
    times: { type: 'string', default: '15' },
  },
});
const [contacts, sends, runs, nodes, times] = [values.contacts, values.sends, values.runs, values.nodes, values.times].map(Number) as [
  number,
  number,
  number,
  number,
  number,
];
const LISTED = 300;
const SEQUENCE = 'large';
/** What is dragged in one movement, and how many of them. */
const DRAG_PX = 6;
const DRAGS = 180;

/** The part of the page that is there when a section has shown what it was opened for. */
const SHOWN: Readonly<Record<string, string>> = {
  Home: 'main .recharts-surface path',
  Contacts: rowOf('Contacts'),
  Sends: rowOf('Sends'),
  Templates: rowOf('Templates'),
  Campaigns: rowOf('Campaigns'),
  Sequences: rowOf('Sequences'),
  Segments: rowOf('Segments'),
  Suppressions: 'table[aria-label="Suppressions"] tbody tr button',
  Webhooks: rowOf('Webhook endpoints'),
};

progress('building the console');
await buildConsole();
const stack = await startBenchStack({ progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const filling = { database, project: stack, progress };
  await fillContacts(filling, contacts);
  await fillSends(filling, sends, 0.1);
  await fillTheRest();
  await database.query('vacuum analyze');
  const browser = await startBrowser();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(60_000);
    const base = `${stack.apiUrl}/console`;
    await page.goto(`${base}/home#key=${stack.key}`);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const clicked: Record<string, object> = {};
    for (const [section, shown] of Object.entries(SHOWN)) {
      progress(`opening ${section}`);
      clicked[section] = await sampled(async () => {
        await page.goto(`${base}/${section === 'Segments' ? 'campaigns' : 'segments'}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        return clickUntil(page, `nav a[href$="/${section.toLowerCase()}"]`, shown);
      });
    }
    const { contacts: some } = await callApi(stack, 'GET', '/contacts?q=person-4242');
    const pages: Record<string, readonly [path: string, shown: string]> = {
      'a search of contacts': ['/contacts?q=person-4242', rowOf('Contacts')],
      'contacts by tag': ['/contacts?tag=group-7', rowOf('Contacts')],
      'a search of sends': ['/sends?q=person-4242', rowOf('Sends')],
      'a contact with the timeline': [`/contacts/${some[0].id}`, 'main time'],
      'runs of a sequence': [`/sequences/${SEQUENCE}/runs`, rowOf('Runs')],
      'the graph with its counts': [`/sequences/${SEQUENCE}`, '.react-flow__node'],
    };
    const opened: Record<string, object> = {};
    for (const [label, [path, shown]] of Object.entries(pages)) {
      progress(`opening ${label}`);
      opened[label] = await sampled(async () => {
        await page.goto('about:blank');
        const started = performance.now();
        await page.goto(base + path, { waitUntil: 'commit' });
        await page.locator(shown).first().waitFor();
        return performance.now() - started;
      });
    }
    progress('panning');
    await page.goto(`${base}/sequences/${SEQUENCE}`);
    await page.locator('.react-flow__node').first().waitFor();
    await page.waitForLoadState('networkidle');
    const readable = await pan(page);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForTimeout(500);
    const whole = await pan(page);
    report('console', {
      goal: 'a list shows in under 300 ms, the graph pans at 30 frames a second',
      ...{ contacts, sends, runs, nodes },
      clicked,
      openedFromNothing: opened,
      panning: { readable, whole },
    });
  } finally {
    await browser.close();
  }
} finally {
  await database.end();
  await stack.stop();
}

function rowOf(label: string): string {
  return `table[aria-label="${label}"] tbody tr a`;
}

async function sampled(once: () => Promise<number>): Promise<object> {
  const samples: number[] = [];
  for (let i = 0; i < times; i++) samples.push(await once());
  return { p50Ms: percentile(samples, 0.5), p95Ms: percentile(samples, 0.95), maxMs: percentile(samples, 1) };
}

/** From the click until what it opens is painted, by the clock of the page. */
function clickUntil(page: Page, link: string, shown: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const started = performance.now();
    document.querySelector(${JSON.stringify(link)}).click();
    const look = () => {
      if (document.querySelector(${JSON.stringify(shown)})) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
      else if (performance.now() - started > 30000) reject(new Error(${JSON.stringify(`${shown} did not show`)}));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Drags the graph about; every frame that the page paints meanwhile is counted. */
async function pan(page: Page): Promise<object> {
  const box = (await page.locator('.react-flow__pane').boundingBox())!;
  const drawn = await page.locator('.react-flow__node').count();
  await page.evaluate(`(() => {
    const own = (globalThis.paints = []);
    const count = (at) => {
      own.push(at);
      if (own === paints) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  })()`);
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= DRAGS; i++) {
    const forth = i <= DRAGS / 2 ? i : DRAGS - i;
    await page.mouse.move(box.x + 20 + forth * DRAG_PX, box.y + box.height / 2 - forth * 2);
  }
  await page.mouse.up();
  const frames = await page.evaluate<number[]>('paints');
  const gaps = frames.slice(1).map((at, index) => at - frames[index]!);
  const seconds = (frames.at(-1)! - frames[0]!) / 1000;
  return {
    nodesDrawn: drawn,
    framesPerSecond: Number((gaps.length / seconds).toFixed(1)),
    p95FrameMs: percentile(gaps, 0.95),
    longestFrameMs: percentile(gaps, 1),
  };
}

/** What the other lists show, and a sequence of many nodes with runs at each. */
async function fillTheRest(): Promise<void> {
  progress('filling in the rest');
  for (let i = 0; i < LISTED / 10; i++) {
    await callApi(stack, 'POST', '/segments', { label: `Segment ${i}`, filter: { tags: [`group-${i}`] } });
    await callApi(stack, 'PUT', `/sequences/sequence-${i}`, graphOf(4, `Sequence ${i}`));
  }
  for (let i = 0; i < 10; i++) await callApi(stack, 'POST', '/webhooks', { url: `https://hooks.example.com/${i}` });
  await callApi(stack, 'PUT', `/sequences/${SEQUENCE}`, graphOf(nodes, 'The large one'));
  const ofProject = [stack.projectId];
  await database.query(
    `insert into suppressions (project_id, email, reason, created_at)
     select $1, 'gone-' || n || '@to.example', 'manual', now() - make_interval(secs => n) from generate_series(1, 5000) n`,
    ofProject,
  );
  await database.query(
    `insert into campaigns (id, project_id, name, template, type, brand_id, subject, has_own_subject, audience, status, created_at, sent_at)
     select uuid_v7(), $1, 'Campaign ' || n, 'welcome', 'marketing', b.slug, 'News', true, '{"mode":"entire"}', 'sent', now() - make_interval(hours => n), now()
     from brands b, generate_series(1, $2::integer) n`,
    [stack.projectId, LISTED],
  );
  await database.query(
    `insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, status, current_node_id, started_at)
     select uuid_v7(), $1, s.id, s.version, c.id, case when n % 5 = 0 then 'active' else 'completed' end,
            case when n % 5 = 0 then 'n' || n % $4 end, now() - make_interval(secs => n)
     from sequences s, (select id, row_number() over () as n from contacts where project_id = $1 limit $2) c
     where s.project_id = $1 and s.key = $3`,
    [stack.projectId, runs, SEQUENCE, nodes - 2],
  );
  await database.query(
    `insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, outcome)
     select e.id, n, 'n' || n, 1, 'send_email', 'sent' from enrollments e, generate_series(1, 12) n where e.project_id = $1`,
    ofProject,
  );
}

/** A tree of branches whose ways all end in the same exit. */
function graphOf(size: number, name: string): object {
  const inner = Array.from({ length: size - 2 }, (_, index) => index);
  const below = (index: number): number[] => [2 * index + 1, 2 * index + 2].filter((each) => each < inner.length);
  const branch = (index: number) => ({ when: { field: 'attributes.plan', op: 'eq', value: `plan ${index}` } });
  return {
    name,
    status: 'draft',
    triggers: [],
    nodes: [
      { id: 'start', kind: 'trigger' },
      ...inner.map((index) =>
        below(index).length === 2
          ? { id: `n${index}`, kind: 'branch', config: branch(index) }
          : { id: `n${index}`, kind: 'send_email', config: { template: 'welcome' } },
      ),
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'n0' },
      ...inner.flatMap((index) => {
        const [left, right] = below(index);
        if (left === undefined) return [{ from: `n${index}`, to: 'end' }];
        if (right === undefined) return [{ from: `n${index}`, to: `n${left}` }];
        return [
          { from: `n${index}`, to: `n${left}`, branchKey: 'true' },
          { from: `n${index}`, to: `n${right}`, branchKey: 'false' },
        ];
      }),
    ],
  };
}
