import type { EntityManager } from '../../db/orm.ts';
import { fileById } from '../../db/queries/files/files.ts';
import { readBase64 } from '../../domain/base64.ts';
import { type Issue, invalidRequest } from '../../domain/errors.ts';
import { filenameProblem } from '../../domain/files/file.ts';
import {
  type Attachment,
  isExecutable,
  MAX_MAIL_MB,
  MAX_MAIL_OCTETS,
  mailedType,
  octetsInBase64,
  typeOfName,
} from '../../domain/sends/attachments.ts';
import type { SpooledFile } from '../../platform/objects/object-store.ts';
import type { FileStore } from '../files/file-store.ts';

/** A content that was decoded while it came; whoever made it disposes of its file. */
export class SpooledContent {
  readonly file: SpooledFile;

  constructor(file: SpooledFile) {
    this.file = file;
  }
}

/** A file as a call names it: with its content, in base64 or decoded already, or with the id of an uploaded file. */
export interface GivenAttachment {
  /** That of the uploaded file when omitted. */
  readonly filename?: string | null | undefined;
  readonly content?: string | SpooledContent | null | undefined;
  readonly path?: string | null | undefined;
  readonly contentType?: string | null | undefined;
  readonly contentId?: string | null | undefined;
}

export interface KeepAttachmentsDeps {
  readonly em: EntityManager;
  readonly files: Pick<FileStore, 'spool' | 'keep' | 'prolong'>;
  readonly project: { readonly id: string; readonly executables: boolean };
}

/** What is known of a file before anything of it is kept. */
interface LookedUp {
  readonly given: GivenAttachment;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** Of an uploaded one. */
  readonly sha256: string | undefined;
}

/**
 * Keeps the files of a mail until then at least: from its row on they are found by their hash, wherever they came from. `ownOctets`: of the content
 * that the call brings beside them. Throws invalid_request for what cannot be a file of this project's mail; nothing is kept then.
 */
export async function keepAttachments(
  { em, files, project }: KeepAttachmentsDeps,
  given: readonly GivenAttachment[],
  { until, ownOctets }: { readonly until: Date; readonly ownOctets: number },
): Promise<Attachment[]> {
  const lookedUp: LookedUp[] = [];
  for (const [index, attachment] of given.entries()) lookedUp.push(await lookUp(em, project.id, attachment, index));
  refuseProblems(lookedUp, project.executables);
  const octets = lookedUp.reduce((sum, { size }) => sum + octetsInBase64(size), ownOctets);
  if (octets > MAX_MAIL_OCTETS)
    throw invalidRequest([
      { path: 'attachments', message: `at most ${MAX_MAIL_MB} MB in base64, with html and text; these have ${octets} bytes` },
    ]);
  const kept: Attachment[] = [];
  for (const [index, { given: attachment, filename, contentType, size, sha256 }] of lookedUp.entries()) {
    const { contentId } = attachment;
    const bytes = sha256 === undefined ? await keepContent({ em, files, project }, attachment, until) : { size, sha256 };
    if (sha256 !== undefined && !(await files.prolong(em, project.id, sha256, until))) throw noSuchFile(index);
    kept.push({ filename, contentType, ...(contentId ? { contentId } : {}), ...bytes });
  }
  return kept;
}

async function lookUp(em: EntityManager, projectId: string, given: GivenAttachment, index: number): Promise<LookedUp> {
  const { path, content, contentType } = given;
  const uploaded = path ? ((await fileById(em, projectId, path)) ?? raise(noSuchFile(index))) : undefined;
  const filename = given.filename ?? uploaded?.filename ?? '';
  const type = mailedType(contentType ?? uploaded?.contentType ?? typeOfName(filename));
  const size = uploaded?.size ?? (content instanceof SpooledContent ? content.file.size : decodedLength(content ?? ''));
  return { given, filename, contentType: type, size, sha256: uploaded?.sha256 };
}

function refuseProblems(lookedUp: readonly LookedUp[], mayBeExecutable: boolean): void {
  const issues = lookedUp.flatMap(({ filename }, index): Issue[] => {
    const message = filenameProblem(filename) ?? (!mayBeExecutable && isExecutable(filename) ? EXECUTABLE : undefined);
    return message === undefined ? [] : [{ path: `attachments[${index}].filename`, message }];
  });
  if (issues.length > 0) throw invalidRequest(issues);
}

const EXECUTABLE = 'the name of a program, which this project does not send (`project set --executables on`)';

async function keepContent(
  { em, files, project }: KeepAttachmentsDeps,
  { content }: GivenAttachment,
  until: Date,
): Promise<Pick<Attachment, 'size' | 'sha256'>> {
  if (content instanceof SpooledContent) return files.keep(em, project.id, content.file, until);
  await using file = await files.spool(piecesOf(content ?? ''), MAX_MAIL_OCTETS);
  return await files.keep(em, project.id, file, until);
}

async function* piecesOf(base64: string): AsyncGenerator<Uint8Array> {
  yield readBase64(base64);
}

function decodedLength(base64: string): number {
  return (base64.length / 4) * 3 - (/={0,2}$/.exec(base64)?.[0].length ?? 0);
}

function noSuchFile(index: number) {
  return invalidRequest([{ path: `attachments[${index}].path`, message: 'no such file in this project: POST /files answers with an id' }]);
}

function raise(error: Error): never {
  throw error;
}
