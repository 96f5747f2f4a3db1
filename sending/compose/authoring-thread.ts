import { simulate } from '../../domain/sequences/simulate.ts';
import { compileContent, compileWritten } from '../../domain/templates/compile.ts';
import type { CompileOptions } from '../../domain/templates/compile-html.ts';
import { compileOwn } from '../../domain/templates/compile-own.ts';
import { isCurrent } from '../../domain/templates/compiled-content.ts';
import { liquidFault } from '../../domain/templates/content-liquid.ts';
import { templateSchema } from '../../domain/templates/data-schema.ts';
import { LiquidFault } from '../../domain/templates/liquid.ts';
import { partOf } from '../../domain/templates/own-content.ts';
import { parseContent } from '../../domain/templates/parse-content.ts';
import { RenderFailed, renderMail } from '../../domain/templates/render.ts';
import { variablesIn } from '../../domain/templates/used-variables.ts';
import { spellingWarnings } from '../../domain/templates/variable-spelling.ts';
import type { Authored, AuthoringTask, AuthoringThreadData, GivenContent, Preview, PreviewRequest } from './authoring.ts';
import { inThread, startedWith } from './thread-task.ts';

const { mailMs } = startedWith<AuthoringThreadData>();

/** Answers one request of an author. */
export default inThread<AuthoringTask, unknown>(async (task, at) => {
  at(0);
  try {
    return { value: await answerTo(task), transfer: [] };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof LiquidFault)) throw error;
    // A text longer than V8 can hold, or tags nested deeper than its stack; Liquid that was stored and does not parse any more.
    const path = task.do === 'own' ? partOf(task.own) : 'content';
    return { value: failed(error instanceof RangeError ? 'too large' : error.message, path), transfer: [] };
  }
});

function answerTo(task: AuthoringTask): unknown {
  switch (task.do) {
    case 'compile':
      return compiled(task.given, { locale: task.locale });
    case 'own':
      return compileOwn(task.own);
    case 'preview':
      return previewed(task.request);
    case 'faults':
      return task.sources.map(liquidFault);
    case 'spelling':
      return task.texts.map(({ source, at, scope }) => spellingWarnings(variablesIn(source), at, scope));
    case 'schema':
      return templateSchema(task.request, task.request.subject, task.request.content);
    case 'simulate':
      return simulate(task.request);
    default:
      return task satisfies never;
  }
}

async function compiled(given: GivenContent, options: CompileOptions): Promise<Authored> {
  const parsed = parseContent(JSON.parse(given));
  if (parsed.issues) return { issues: parsed.issues };
  const made = await compileWritten(parsed.content, options);
  return 'issues' in made ? made : { content: parsed.content, compiled: made.compiled };
}

async function previewed({ template, isMarked = false, locale, subject, type, variables }: PreviewRequest<GivenContent>): Promise<Preview> {
  const made = 'given' in template ? await compiled(template.given, { isMarked, locale }) : template;
  if ('issues' in made) return made;
  const ready = isCurrent(made.compiled) ? made.compiled : await compileContent(made.content, { locale: made.compiled.locale });
  const before = process.threadCpuUsage();
  try {
    const mail = renderMail(ready, { subject, variables, type });
    const { user, system } = process.threadCpuUsage(before);
    // A mail that takes so long would not be sent.
    return (user + system) / 1000 > mailMs ? failed('too slow to render') : { mail };
  } catch (error) {
    if (error instanceof RenderFailed) return failed(error.message);
    throw error;
  }
}

function failed(message: string, path = 'content'): Preview {
  return { issues: [{ path, message }] };
}
