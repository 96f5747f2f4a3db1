import type { Demo } from './demo-project.ts';

export interface Addresses {
  readonly api: string;
  readonly temporalUi: string | null;
  readonly mailbox: string | null;
}

/** What `npm start` prints when everything runs: where things are, the demo project's key and secrets, and three commands to copy. */
export function welcome({ api, temporalUi, mailbox }: Addresses, { key, inboundId, inboundSecret, webhookSecret }: Demo): string {
  const rows: [string, string][] = [
    ['API', `${api}/api/v1`],
    ['API documentation', `${api}/docs`],
    ['Quick start', `${api}/docs/quick-start`],
    ['Console', `${api}/console#key=${key}`],
    ...(temporalUi ? [['Temporal Web', temporalUi] satisfies [string, string]] : []),
    ...(mailbox ? [['Mailbox', mailbox] satisfies [string, string]] : []),
    ['Demo key', key],
    ['Demo inbound', `${api}/api/v1/inbound/generic/${inboundId}`],
    ['Demo inboundSecret', inboundSecret],
    ['Demo webhookSecret', webhookSecret],
  ];
  const steps = [{ template: 'welcome' }, { template: 'announcement', delayMinutes: 0.5 }, { template: 'win-back', delayMinutes: 0.5 }];
  const commands: [string, string][] = [
    ['a contact', curl(api, key, '/contacts', { email: 'ada@example.com', firstName: 'Ada' })],
    [
      'an active sequence of three mails, half a minute apart',
      curl(api, key, '/sequences', { key: 'first-steps', name: 'First steps', status: 'active', trigger: 'signed_up', steps }),
    ],
    ['the event that enrolls the contact', curl(api, key, '/events', { type: 'signed_up', email: 'ada@example.com' })],
  ];
  return [
    '',
    'Everpost is running. Ctrl-C stops it; the next start goes on where it stopped.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(18)} ${value}`),
    '',
    'Try it:',
    ...commands.flatMap(([what, command]) => ['', `# ${what}`, command]),
    '',
    '',
  ].join('\n');
}

/** The bodies hold no single quote, so they can stand in one. */
function curl(api: string, key: string, path: string, body: object): string {
  return `curl -sS ${api}/api/v1${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}
