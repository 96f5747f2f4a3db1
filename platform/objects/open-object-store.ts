import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ConfigError } from '../config-error.ts';
import type { Logger } from '../logger.ts';
import type { AwsCredentials } from '../sigv4.ts';
import { createFolderStore } from './folder-store.ts';
import { type ObjectStore, ObjectStoreFailure } from './object-store.ts';
import { createS3Store, S3Refusal } from './s3-store.ts';
import { readS3Url, type S3Place } from './s3-url.ts';

export interface ObjectStoreSettings {
  /** undefined: a folder in dataDir. */
  readonly filesUrl: URL | undefined;
  readonly dataDir: string;
  readonly awsCredentials: AwsCredentials | undefined;
}

/** The folder of the objects. */
export function objectFolder(dataDir: string): string {
  return join(dataDir, 'files');
}

/**
 * Opens the store and tries it: an object is put, read and removed. Throws ConfigError for what a person has to mend. One that cannot be reached
 * now is told to the log, since nothing else stands still for it.
 */
export async function openObjectStore({ filesUrl, dataDir, awsCredentials }: ObjectStoreSettings, log: Logger): Promise<ObjectStore> {
  const place = filesUrl && readS3Url(filesUrl, awsCredentials);
  const store = place ? createS3Store(place) : createFolderStore(objectFolder(dataDir));
  const tried = place ? createS3Store(place, ANSWER_MS) : store;
  try {
    await tryOut(tried, dataDir);
  } catch (error) {
    if (!(error instanceof ObjectStoreFailure)) throw error;
    if (place && error instanceof S3Refusal && error.status < 500) {
      await store.close();
      throw refused(place, error);
    }
    log.warn('files.unavailable', { store: store.name, reason: error.message });
  } finally {
    if (tried !== store) await tried.close();
  }
  return store;
}

/** A start does not wait long for a store that does not answer. */
const ANSWER_MS = 5_000;
/** Which no object of a project has. */
const CHECK = 'check';

async function tryOut(store: ObjectStore, dataDir: string): Promise<void> {
  const bytes = Buffer.from('everpost');
  const id = randomUUID();
  const path = join(dataDir, `files-check-${id}`);
  const file = {
    path,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
  const key = `${CHECK}/${id}`;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(path, bytes);
    await store.put(key, file);
    const found = await store.open(key);
    if (!found || !(await buffer(found)).equals(bytes)) throw new ObjectStoreFailure('what was put there is not what is read');
    await store.remove(key);
  } catch (error) {
    throw error instanceof ObjectStoreFailure ? error : new ObjectStoreFailure((error as Error).message, { cause: error });
  } finally {
    await file[Symbol.asyncDispose]();
  }
}

function refused({ bucket, region, base }: S3Place, error: S3Refusal): ConfigError {
  const says = `${base.host} says ${[error.code || `status ${error.status}`, error.reason].filter(Boolean).join(': ')}`;
  return new ConfigError(`FILES_URL: ${meaning(error, bucket, region)}; ${says}`);
}

function meaning({ code, status }: S3Refusal, bucket: string, region: string): string {
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket "${bucket}"; make it, or name another`;
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'InvalidToken':
    case 'ExpiredToken':
      return 'the credentials are not right; look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN';
    case 'AccessDenied':
      return `the credentials may not put, get and delete objects in the bucket "${bucket}"`;
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
      return `the bucket "${bucket}" is not in the region ${region}; name its own in region=…`;
    case 'RequestTimeTooSkewed':
      return 'the clock of this machine is wrong';
    default:
      return status < 400 ? `the bucket "${bucket}" is somewhere else` : `the bucket "${bucket}" cannot be used`;
  }
}
