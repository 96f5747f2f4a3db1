import { apiDocument, writeConsoleTypes } from '../local/console-types.ts';

// What the type check of the console needs: the API's routes as types.
await writeConsoleTypes(apiDocument());
