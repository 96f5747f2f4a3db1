/** Says in one line what is being done, to a person who waits for it. */
export type Progress = (line: string) => void;

/** On standard error, since standard output is for what a command answers. */
export const progressToStderr: Progress = (line) => process.stderr.write(`… ${line}\n`);
