import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';

/** The program as npm installs it. */
export const BIN = fileURLToPath(new URL('../../../cli/bin/everpost.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What comes by stdin. */
  readonly input?: string;
  /** More may come, as of a terminal or another program. */
  readonly isInputOpen?: boolean;
}

/** The command line as somebody with this key uses it, with a home and a working folder of its own. */
export interface CommandLine {
  readonly folder: string;
  /** One command, to its end. */
  run(command: string, options?: RunOptions): Promise<Ran>;
  /** The same, which has to end well, with its data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into data of many shapes
  json(command: string, options?: RunOptions): Promise<any>;
  /** One that goes on until it is told to end. */
  start(command: string, options?: RunOptions): Started;
}

export interface Started {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Ctrl-C. Answers with its exit code. */
  interrupt(): Promise<number | null>;
}

/** `words` is split at spaces; what is in double quotes stays together. */
function argumentsOf(words: string): string[] {
  return [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

/** Without a key: one that has not logged in. */
export async function commandLine(key?: string, url: string = testEnvironment().apiUrl): Promise<CommandLine> {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'cli-'));
  const start = (command: string, { cwd = folder, env = {}, input = '', isInputOpen = false }: RunOptions = {}): Started => {
    const child = spawn(process.execPath, [BIN, ...argumentsOf(command)], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CONFIG_HOME: join(folder, 'config'),
        ...(key === undefined ? {} : { EVERPOST_API_KEY: key }),
        EVERPOST_URL: url,
        ...env,
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    if (isInputOpen) child.stdin.write(input);
    else child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    afterFile(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    });
    return {
      process: child,
      stdout: () => stdout,
      stderr: () => stderr,
      async interrupt() {
        if (child.exitCode === null) child.kill('SIGINT');
        return ended;
      },
    };
  };
  const run: CommandLine['run'] = async (command, options) => {
    const started = start(command, options);
    const code = await new Promise<number | null>((resolve) => started.process.once('close', resolve));
    return { code, stdout: started.stdout(), stderr: started.stderr() };
  };
  return {
    ...{ folder, run, start },
    async json(command, options) {
      const { code, stdout, stderr } = await run(`${command} --json`, options);
      if (code !== 0) throw new Error(`everpost ${command} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
  };
}

/** A proxy's own answer. */
interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a proxy does with a request: lets it pass, or answers it itself, or breaks its connection. */
type Passing = 'passes' | 'breaks' | OwnAnswer;

/** The address of a proxy to the API. It asks about each request once all of that has come. */
export async function proxy(passing: (request: IncomingMessage) => Passing | Promise<Passing>): Promise<string> {
  const { apiUrl } = testEnvironment();
  const gateway = createServer(async (request, response) => {
    const { method = 'GET', url } = request;
    const { authorization = '' } = request.headers;
    const body = method === 'PUT' || method === 'POST' ? await text(request) : undefined;
    const how = await passing(request);
    if (how === 'breaks') return request.socket.destroy();
    if (how !== 'passes') return response.writeHead(how.status, how.headers ?? {}).end();
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${apiUrl}${url}`, { method, headers, ...(body && { body }) });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  afterFile(async () => void gateway.close());
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
}
