import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { chain } from '../../domain/sequences/graphs.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  await setBrand(await database(), project.id, 'second', { from_email: `second@${project.domain}` }, false);
});

const mail = (id: string, template: string, config: object = {}) => ({ id, kind: 'send_email', config: { template, ...config } });
const data = { resetUrl: 'https://example.com/reset' };

let made = 0;
async function draft(on: TestProject = project): Promise<string> {
  const key = `warned-${++made}`;
  must(await on.api.post('/sequences', { key, name: key, steps: [{ template: 'welcome' }] }), 201);
  return key;
}

const NOT_ENABLED = (path: string, before = '') => ({
  path,
  message: expect.stringMatching(new RegExp(`^${before}the template newsletter is not enabled for the brand`)),
});

describe('a sequence that is activated', () => {
  test('by PUT names each mail whose template is not enabled for its brand and each required field that nobody gives', async () => {
    const graph = chain(
      mail('a', 'welcome'),
      mail('b', 'newsletter'),
      mail('c', 'welcome', { brand: 'second' }),
      mail('d', 'password-reset', { data: { name: 'Ada' } }),
      mail('e', 'password-reset', { data }),
    );
    const answer = must(await project.api.put(`/sequences/${await draft()}`, { ...graph, status: 'active' }), 200);
    expect(answer.warnings).toEqual([
      NOT_ENABLED('nodes[2].config.template', 'b: '),
      { path: 'nodes[3].config.template', message: expect.stringContaining('c: the template welcome is not enabled for the brand second') },
      { path: 'nodes[4].config.data.resetUrl', message: expect.stringContaining('d: password-reset requires resetUrl') },
    ]);
  });

  test('says so as long as it is active, and nothing as a draft or when all is well', async () => {
    const key = await draft();
    const put = async (graph: object) => must(await project.api.put(`/sequences/${key}`, graph), 200).warnings;
    const wrong = chain(mail('b', 'newsletter'));
    expect(await put(wrong)).toBeUndefined();
    expect(await put({ ...wrong, status: 'active' })).toHaveLength(1);
    expect(await put(wrong)).toHaveLength(1);
    expect(await put({ ...wrong, status: 'paused' })).toBeUndefined();
    expect(await put({ ...chain(mail('a', 'welcome'), mail('e', 'password-reset', { data })), status: 'active' })).toBeUndefined();
  });

  test('names segments, sequences and topics that there are not, and none that there are', async () => {
    const other = await draft();
    const { segment } = must(await project.api.post('/segments', { label: 'Real One', filter: { tags: ['a'] } }), 201);
    must(await project.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const hasTopic = (key: string) => ({ field: `contact.topics.${key}`, op: 'eq', value: true });
    const inSegment = (label: string) => ({
      any: [{ segment: label }, { field: 'attributes.segment', op: 'eq', value: 'Nobody' }, hasTopic('news'), hasTopic('nwes')],
    });
    const goal = (id: string, label: string) => ({ id, kind: 'goal', config: { condition: inSegment(label) } });
    const into = (id: string, sequenceKey: string) => ({ id, kind: 'subflow', config: { sequenceKey } });
    const graph = {
      status: 'active',
      nodes: [
        { id: 'start', kind: 'trigger', config: {} },
        ...[goal('real', 'real one'), goal('unreal', 'No Such'), into('there', other), into('nowhere', 'nope')],
        { id: 'end', kind: 'exit', config: {} },
      ],
      edges: [
        ...[
          { from: 'start', to: 'real' },
          { from: 'real', to: 'unreal' },
          { from: 'unreal', to: 'there' },
        ],
        ...[
          { from: 'there', to: 'nowhere' },
          { from: 'nowhere', to: 'end' },
        ],
      ],
    };
    expect(segment.label).toBe('Real One');
    expect(must(await project.api.put(`/sequences/${await draft()}`, graph), 200).warnings).toEqual([
      { path: 'nodes[1].config.condition.any[3].field', message: 'real: no topic has the key nwes: it is missing for everybody' },
      { path: 'nodes[2].config.condition.any[0].segment', message: 'unreal: no segment is called No Such: nobody is in it' },
      { path: 'nodes[2].config.condition.any[3].field', message: 'unreal: no topic has the key nwes: it is missing for everybody' },
      { path: 'nodes[4].config.sequenceKey', message: 'nowhere: no sequence has the key nope: runs pass this node by' },
    ]);
  });

  test('by PATCH says what PUT says, and nothing while it is paused', async () => {
    const key = await draft();
    must(await project.api.put(`/sequences/${key}`, chain(mail('b', 'newsletter'))), 200);
    const become = async (status: string) => must(await project.api.call('PATCH', `/sequences/${key}`, { status }), 200).warnings;
    expect(await become('active')).toEqual([NOT_ENABLED('nodes[1].config.template', 'b: ')]);
    expect(await become('paused')).toBeUndefined();
  });

  test('by POST names the steps', async () => {
    const steps = [{ template: 'welcome' }, { template: 'newsletter', delayMinutes: 5 }, { template: 'password-reset', delayMinutes: 5 }];
    const create = async (key: string, status: string) =>
      must(await project.api.post('/sequences', { key, name: key, status, steps }), 201).warnings;
    expect(await create('by-post', 'active')).toEqual([
      NOT_ENABLED('steps[1].template'),
      { path: 'steps[2].data.resetUrl', message: expect.stringContaining('password-reset requires resetUrl') },
    ]);
    expect(await create('by-post-draft', 'draft')).toBeUndefined();
  });

  test('names mails that have no sender', async () => {
    const own = await newProject();
    await enableTemplates(own, 'welcome');
    await setBrand(await database(), own.id, 'bare', {}, false);
    must(await own.api.put('/templates/welcome', { brand: 'bare' }), 200);
    const graph = { ...chain(mail('a', 'welcome', { brand: 'bare' })), status: 'active' };
    expect(must(await own.api.put(`/sequences/${await draft(own)}`, graph), 200).warnings).toEqual([
      {
        path: 'nodes[1].config.template',
        message: expect.stringMatching(/^a: the brand bare has no sender address yet; PUT \/templates\/\S+ with/),
      },
    ]);
  });
});

describe('variables that no node sees', () => {
  const read = {
    contact: '{{ contact.firstName }}',
    alone: '{{ firstName }}',
    attribute: '{{ attributes.plan }}',
    typo: '{{ evnt.plan }}',
  };
  const seen =
    '{{ contact.first_name }} {{ contact.attributes.plan }} {{ event.order.total }} {% for tag in contact.tags %}{{ tag }}{% endfor %}';
  const call = (config: object) => ({ id: 'call', kind: 'webhook', config: { url: 'https://x.example/hook', ...config } });
  const update = (config: object) => ({ id: 'up', kind: 'update_contact', config });
  const wrong = chain(
    call({ url: `https://x.example/${read.contact}`, headers: { 'X-Who': read.alone }, body: { who: [read.attribute, '{{ now }}'] } }),
    update({ set: { firstName: read.contact, attributes: { deep: read.typo } }, addTags: ['{{ brand.name }}'] }),
    mail('m', 'welcome', { subject: `{{ startURL }} {{ given.x }} ${read.alone}`, data: { given: 1, name: read.contact } }),
  );
  const warnings = [
    ['nodes[1].config.url', 'call: contact.firstName is no variable; did you mean contact.first_name?'],
    ['nodes[1].config.headers.X-Who', 'call: firstName is no variable here; did you mean contact.first_name?'],
    ['nodes[1].config.body.who[0]', 'call: attributes.plan is no variable here; did you mean contact.attributes.plan?'],
    ['nodes[1].config.body.who[1]', 'call: now is no variable here; known: contact, event, enrollment'],
    ['nodes[2].config.set.firstName', 'up: contact.firstName is no variable; did you mean contact.first_name?'],
    ['nodes[2].config.set.attributes.deep', 'up: evnt.plan is no variable here; did you mean event.plan?'],
    ['nodes[2].config.addTags[0]', 'up: brand.name is no variable here; known: contact, event, now'],
    ['nodes[3].config.data.name', expect.stringMatching(/^m: data is shown as it is, its Liquid does not run/)],
    ['nodes[3].config.subject', 'm: startURL is no field of the data; did you mean startUrl?'],
    ['nodes[3].config.subject', 'm: use contact.first_name: firstName is empty unless the data has it'],
  ].map(([path, message]) => ({ path, message }));

  test('are named with the right spelling wherever a graph takes Liquid, whatever its status, and by simulate', async () => {
    const key = await draft();
    expect(must(await project.api.put(`/sequences/${key}`, wrong), 200).warnings).toEqual(warnings);
    expect(must(await project.api.put(`/sequences/${key}`, { ...wrong, status: 'active' }), 200).warnings).toEqual(warnings);
    expect(must(await project.api.call('PATCH', `/sequences/${key}`, { status: 'paused' }), 200).warnings).toEqual(warnings);
    expect(must(await project.api.post(`/sequences/${key}/simulate`, { contact: {} }), 200).warnings).toEqual(warnings);
  });

  test('are told from those that it sees', async () => {
    const right = chain(
      call({ url: `https://x.example/${seen}`, body: { in: '{{ enrollment.node_id }}' } }),
      update({ set: { firstName: seen, attributes: { at: '{{ now }}' } } }),
      mail('m', 'welcome', { subject: `${seen} {{ name }} {{ given.deep }} {{ brand.name }} {{ now }}`, data: { given: { deep: 1 } } }),
    );
    expect(must(await project.api.put(`/sequences/${await draft()}`, right), 200)).not.toHaveProperty('warnings');
  });

  test('are named of the subjects of steps', async () => {
    const steps = [{ template: 'welcome' }, { template: 'welcome', subject: read.contact, delayMinutes: 5 }];
    const made = must(await project.api.post('/sequences', { key: 'spelled', name: 'Spelled', steps }), 201);
    expect(made.warnings).toEqual([
      { path: 'steps[1].subject', message: 'contact.firstName is no variable; did you mean contact.first_name?' },
    ]);
  });
});

describe('a sequence that is simulated', () => {
  test('says the same as a draft, for the brand of the contact', async () => {
    const key = await draft();
    must(await project.api.put(`/sequences/${key}`, chain(mail('a', 'welcome'), mail('b', 'newsletter'))), 200);
    const contactId = await newContact(project, project.address(), { brand: 'second' });
    const simulate = async (body: object) => must(await project.api.post(`/sequences/${key}/simulate`, body), 200);
    const made = await simulate({ contact: {} });
    expect(made.warnings).toEqual([NOT_ENABLED('nodes[2].config.template', 'b: ')]);
    expect(made.sends).toEqual(['welcome', 'newsletter']);
    expect((await simulate({ contactId })).warnings.map(({ path }: { path: string }) => path)).toEqual([
      'nodes[1].config.template',
      'nodes[2].config.template',
    ]);
  });

  test('and a project without a brand is told of that', async () => {
    const bare = await newProject({ noBrand: true });
    const em = await database();
    // Sequences need a brand to be made with, so it is taken away again.
    await setBrand(em, bare.id, 'gone', { from_email: `a@${bare.domain}` }, true);
    const key = await draft(bare);
    await em.getConnection().execute('delete from brands where project_id = ?', [bare.id]);
    const { warnings } = must(await bare.api.post(`/sequences/${key}/simulate`, { contact: {} }), 200);
    expect(warnings).toEqual([
      { path: 'nodes[1].config.template', message: 'send_1: this project has no brand yet; an operator makes one with `brand set`' },
    ]);
  });

  test('fails at a mail without its required data, as the real run does', async () => {
    const key = await draft();
    const graph = chain(mail('d', 'password-reset'), mail('e', 'password-reset', { data }), mail('a', 'welcome'));
    must(await project.api.put(`/sequences/${key}`, graph), 200);
    const { path, sends, warnings } = must(await project.api.post(`/sequences/${key}/simulate`, { contact: {} }), 200);
    expect(path[1]).toEqual({ nodeId: 'd', kind: 'send_email', detail: 'would fail: render_failed: required data is missing: resetUrl' });
    expect(sends).toEqual(['password-reset', 'welcome']);
    expect(warnings).toEqual([{ path: 'nodes[1].config.data.resetUrl', message: expect.stringContaining('resetUrl') }]);
  });
});

test('a loop whose waits add up to less than a minute is named, also of a draft, and one that waits longer is not', async () => {
  const key = await draft();
  const put = async (minutes: number) => {
    const nodes = [
      { id: 'trigger', kind: 'trigger' },
      { id: 'b', kind: 'branch', config: { when: { field: 'attributes.done', op: 'exists' } } },
      { id: 'pause', kind: 'wait_delay', config: { minutes } },
      { id: 'exit', kind: 'exit' },
    ];
    const edges = [
      { from: 'trigger', to: 'b' },
      { from: 'b', to: 'exit', branchKey: 'true' },
      { from: 'b', to: 'pause', branchKey: 'false' },
      { from: 'pause', to: 'b' },
    ];
    return must(await project.api.put(`/sequences/${key}`, { nodes, edges }), 200).warnings;
  };
  expect(await put(0.0001)).toEqual([
    {
      path: 'nodes[2].config.minutes',
      message:
        'pause: the waits of the loop b → pause → b add up to 0.006 seconds, less than a minute: a run that took more than 60 steps within a ' +
        'minute stays a minute at each wait, email and call, and ends after 10,000 steps',
    },
  ]);
  expect(await put(0)).toEqual([
    {
      path: 'nodes[2].config.minutes',
      message: withoutWait('pause', 'b → pause → b'),
    },
  ]);
  expect(await put(1)).toBeUndefined();
});

test('a yearly date of a sequence that is entered once only is named at its trigger, also of a draft', async () => {
  const key = await draft();
  const put = async (reentry: string, every: object, enabled = true) => {
    const config = { attribute: 'birthday', ...every, at: '09:00', timezone: 'UTC' };
    const graph = { ...chain(mail('a', 'welcome')), reentry, triggers: [{ kind: 'date', config, enabled }] };
    return must(await project.api.put(`/sequences/${key}`, graph), 200).warnings;
  };
  const yearly = { every: 'year' };
  expect(await put('once_ever', yearly)).toEqual([
    {
      path: 'nodes[0]',
      message:
        'trigger: a contact enters once only, so that later years of birthday enroll nobody: choose the reentry once_active or always',
    },
  ]);
  expect(await put('once_active', yearly)).toBeUndefined();
  expect(await put('once_ever', {})).toBeUndefined();
  expect(await put('once_ever', yearly, false)).toBeUndefined();
});

const withoutWait = (nodeId: string, loop: string): string =>
  `${nodeId}: the loop ${loop} can be gone round without a wait: a run that does so ends after 500 steps, and stays a minute at each email and ` +
  'call once it took more than 60 steps within a minute';

test.each([
  ['calls only', { kind: 'webhook', config: { url: 'https://example.com/' } }],
  ['waits for another run only, which may not be entered', { kind: 'subflow', config: { sequenceKey: 'other', mode: 'wait' } }],
])('a loop that %s is named', async (_, node) => {
  const nodes = [
    { id: 'trigger', kind: 'trigger' },
    { id: 'n', ...node },
  ];
  const edges = nodes.map(({ id }) => ({ from: id, to: 'n' }));
  const { warnings } = must(await project.api.put(`/sequences/${await draft()}`, { nodes, edges }), 200);
  expect(warnings).toEqual([{ path: 'nodes[1]', message: withoutWait('n', 'n → n') }]);
});
