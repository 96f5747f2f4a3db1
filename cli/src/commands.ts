import type { Command } from './command.ts';
import { contactsCommands } from './commands/contacts.ts';
import { contentCommands } from './commands/content.ts';
import { doctor } from './commands/doctor.ts';
import { login, logout } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { send } from './commands/send.ts';
import { sendsTail } from './commands/sends-tail.ts';
import { simulate } from './commands/simulate.ts';
import { types } from './commands/types.ts';
import { webhooksListen } from './commands/webhooks-listen.ts';

/** All of them, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  login,
  logout,
  doctor,
  send,
  sendsTail,
  ...contactsCommands,
  ...contentCommands,
  simulate,
  types,
  webhooksListen,
  mcp,
];
