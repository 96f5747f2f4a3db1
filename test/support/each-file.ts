import { afterAll } from 'vitest';
import { endOfFile } from './after-file.ts';

afterAll(endOfFile);
