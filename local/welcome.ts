import { resolve } from 'node:path';
import type { Demo } from './demo-project.ts';

export interface Addresses {
  readonly api: string;
  /** undefined: there is none. */
  readonly smtp?: string | undefined;
  readonly temporalUi: string | null;
  readonly mailbox: string | null;
}

/** The beginning of each admin command, which finds this instance by its folder. */
function adminOn(dataDir: string): string {
  const admin = 'npm run -s admin --';
  return dataDir === resolve('.everpost') ? admin : `DATA_DIR='${dataDir.replaceAll("'", `'\\''`)}' ${admin}`;
}

type Row = readonly [name: string, value: string];
type Command = readonly [what: string, command: string];

/**
 * What `npm start` prints when everything runs: where things are, and what to do first. The demo project's key and secrets stand there at the
 * start that has made them alone, since what is printed is kept in logs and windows. `demo`: undefined when there is none. `dataDir`: absolute.
 */
export function welcome({ api, smtp, temporalUi, mailbox }: Addresses, demo: Demo | undefined, dataDir: string): string {
  const admin = adminOn(dataDir);
  const shown = demo?.isNew ? demo : undefined;
  const rows: readonly Row[] = [
    ['API', `${api}/api/v1`],
    ['API documentation', `${api}/docs`],
    ['Quick start', `${api}/docs/quick-start`],
    ['Console', shown ? consoleLink(api, shown.key) : `${api}/console`],
    ...(smtp ? [['SMTP', `${smtp}, the user is a project's slug, the password a key of it`] as const] : []),
    ...(temporalUi ? [['Temporal Web', temporalUi] as const] : []),
    ...(mailbox ? [['Mailbox', mailbox] as const] : []),
    ...(shown ? secretsOf(api, shown) : []),
    ...(demo && !shown ? [['Demo key, secrets', `${admin} demo`] as const] : []),
  ];
  return [
    '',
    'Everpost is running. Ctrl-C stops it; the next start goes on where it stopped.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(18)} ${value}`),
    '',
    ...(shown ? ['Key and secrets are printed this once;', `${admin} demo`, 'shows them again, and the link to the console.', ''] : []),
    ...(shown ? listed('Try it:', trial(api, shown.key)) : []),
    ...(demo ? [] : listed('A project that may send, unless you have one:', firstProject(admin))),
    '',
  ].join('\n');
}

/** The console with the key in it, of which the browser tells no server. */
export function consoleLink(api: string, key: string): string {
  return `${api}/console#key=${key}`;
}

/** Where reports about mails of a project may be sent to. */
export function inboundAddress(api: string, inboundId: string): string {
  return `${api}/api/v1/inbound/generic/${inboundId}`;
}

function secretsOf(api: string, { key, inboundId, inboundSecret, webhookSecret }: Demo): readonly Row[] {
  return [
    ['Demo key', key],
    ['Demo inbound', inboundAddress(api, inboundId)],
    ['Demo inboundSecret', inboundSecret],
    ['Demo webhookSecret', webhookSecret],
  ];
}

function listed(title: string, commands: readonly Command[]): string[] {
  return [title, ...commands.flatMap(([what, command]) => ['', `# ${what}`, command]), ''];
}

function firstProject(admin: string): readonly Command[] {
  return [
    ['the project, with its sender', `${admin} project create acme --from hello@acme.example --from-name Acme`],
    ['the domain of the sender, which the provider knows as yours', `${admin} domain add acme acme.example --verified`],
    ['a key, which is printed once', `${admin} key create acme --scopes '*'`],
  ];
}

function trial(api: string, key: string): readonly Command[] {
  const steps = [{ template: 'welcome' }, { template: 'announcement', delayMinutes: 0.5 }, { template: 'win-back', delayMinutes: 0.5 }];
  return [
    ['a contact', curl(api, key, '/contacts', { email: 'ada@example.com', firstName: 'Ada' })],
    [
      'an active sequence of three mails, half a minute apart',
      curl(api, key, '/sequences', { key: 'first-steps', name: 'First steps', status: 'active', trigger: 'signed_up', steps }),
    ],
    ['the event that enrolls the contact', curl(api, key, '/events', { type: 'signed_up', email: 'ada@example.com' })],
  ];
}

/** The bodies hold no single quote, so they can stand in one. */
function curl(api: string, key: string, path: string, body: object): string {
  return `curl -sS ${api}/api/v1${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}
