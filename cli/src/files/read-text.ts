import { isUtf8 } from 'node:buffer';
import { FileFailure } from '../failure.ts';

/** The text of a file. Throws a FileFailure with the line where it is not UTF-8. `file` names it there. */
export function textOfBytes(bytes: Buffer, file: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // No character of UTF-8 has the byte of a line feed in it.
  for (let line = 1, from = 0; ; line++) {
    const end = bytes.indexOf('\n', from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) throw new FileFailure(file, line, 'not UTF-8; save the file in that encoding');
    from = end + 1;
  }
}

/** Why a file cannot be read or written, for people. */
export function whyNot({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file stands where a folder should be';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not; give it the right to';
    case 'EROFS':
      return 'the disk is read-only';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ELOOP':
      return 'its links lead back to themselves';
    default:
      return message;
  }
}
