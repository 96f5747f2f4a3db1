import { createRequire } from 'node:module';

/** Run as a process, because the mailbox takes over signals and cannot be started twice in one: folder, SMTP port, page port. */
const [mailDirectory, smtp, web] = process.argv.slice(2);

interface Mailbox {
  listen(): Promise<void>;
}

// The package has no types.
const createMailbox = createRequire(import.meta.url)('maildev') as (options: object) => Mailbox;
const mailbox = createMailbox({ smtp: Number(smtp), web: Number(web), ip: '127.0.0.1', mailDirectory, silent: true });
await mailbox.listen();
