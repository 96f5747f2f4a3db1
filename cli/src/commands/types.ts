import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type DataField, type DescribedTemplate, type TypeOptions, templatesModule } from '@everpost/client/types';
import type { Command, Given } from '../command.ts';
import { EXIT, Failure, UsageFailure } from '../failure.ts';
import { workFolder } from '../files/folder.ts';
import { whyNot } from '../files/read-text.ts';
import { readTemplate, templateKeys } from '../files/template-files.ts';
import { counted } from '../output.ts';

type Demand = NonNullable<TypeOptions['demand']>;
const DEMANDS = ['required', 'used'] as const satisfies readonly Demand[];

async function fromFiles({ cwd, text }: Given): Promise<DescribedTemplate[]> {
  const folder = workFolder(resolve(cwd, text('dir') ?? 'everpost'), cwd);
  const keys = await templateKeys(folder);
  if (keys.length === 0) throw new Failure(`there are no templates in ${folder.root}; pull some first, or say where they are: --dir`);
  const models = await Promise.all(keys.map((key) => readTemplate(folder, key)));
  return models.flatMap((model, at) =>
    model ? [{ key: keys[at] ?? '', name: model.name, dataSchema: model.dataSchema as unknown as readonly DataField[] }] : [],
  );
}

async function fromServer({ api, text, out }: Given, demand: Demand): Promise<DescribedTemplate[]> {
  const query = { brand: text('brand') };
  const { templates } = await api.call('templates.list', { query });
  const described: DescribedTemplate[] = [];
  // One after the other: all at once would be refused for their rate.
  await out.each(templates, 'reading templates', async ({ key, name }) => {
    const { declared, dataSchema } = await api.call('templates.schema', { path: [key], query });
    described.push({ key, name, dataSchema: demand === 'used' ? dataSchema : declared });
  });
  return described;
}

function notWritten(path: string, file: string, error: NodeJS.ErrnoException): Failure {
  const hasNoFolder = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  const hint = error.code === 'EISDIR' ? '; name a file in it' : '';
  const why = hasNoFolder ? `there is no folder ${dirname(file)}; make it` : `${whyNot(error)}${hint}`;
  return new Failure(`${path} cannot be written: ${why}, or say another file with --out`);
}

/** What the head of a file says that it was written with. */
function demandIn(module: string | undefined): Demand | undefined {
  const [, said] = /^\/\/ Written by `npx everpost types --demand (\w+)`/.exec(module ?? '') ?? [];
  return DEMANDS.find((one) => one === said);
}

async function run(given: Given): Promise<number | undefined> {
  const { text, flag, choice, out, cwd } = given;
  const asked = choice('demand', DEMANDS);
  const isOfFiles = flag('from-files');
  if (isOfFiles && asked === 'used')
    throw new UsageFailure('--demand used: only the server knows what templates use; leave out --from-files, or --demand');
  const path = text('out') ?? 'everpost.d.ts';
  const file = resolve(cwd, path);
  const before =
    path === '-'
      ? undefined
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return undefined;
          throw notWritten(path, file, error);
        });
  const demand = asked ?? (isOfFiles ? undefined : demandIn(before)) ?? 'required';
  const templates = isOfFiles ? await fromFiles(given) : await fromServer(given, demand);
  const declaration = templatesModule(templates, { demand });
  if (path === '-') {
    process.stdout.write(declaration);
    return undefined;
  }
  const isSame = before === declaration;
  if (flag('check')) {
    out.data({ file: path, upToDate: isSame }, () =>
      out.line(
        isSame ? `${path} is up to date` : `${path} is not what the templates declare; write it anew: the same command without --check`,
      ),
    );
    return isSame ? undefined : EXIT.refused;
  }
  await writeFile(file, declaration).catch((error: NodeJS.ErrnoException) => {
    throw notWritten(path, file, error);
  });
  out.data({ file: path, templates: templates.length }, () =>
    out.line(`wrote ${path}, with the data of ${counted(templates.length, 'template')}`),
  );
  return undefined;
}

export const types: Command = {
  name: 'types',
  summary: 'Write the data of each template as TypeScript types',
  options: {
    out: { type: 'string', value: '<file>', description: 'where to (everpost.d.ts); - is stdout' },
    'from-files': { type: 'boolean', description: 'of the templates in files, and not of the server' },
    dir: { type: 'string', value: '<folder>', description: 'where these files are (everpost)' },
    brand: { type: 'string', value: '<slug>', description: "whose templates; those of the project's default brand when omitted" },
    demand: {
      type: 'string',
      value: '<which>',
      description:
        'what a call cannot leave out: variables that are marked required (required), or all that the template uses, too (used); that of the file when omitted',
    },
    check: { type: 'boolean', description: 'write nothing; exit code 1 where the file is not what the templates declare' },
  },
  details: 'For everpost.templates.typed<Templates>() of @everpost/client: a variable that is missing is an error when it is compiled.',
  run,
};
