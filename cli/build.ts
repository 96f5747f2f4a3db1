import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Builds the commands to plain JavaScript in `dist/`: one file, and one for what is loaded only when it is asked for. */
export async function buildCli(outDir: string = join(HERE, 'dist')): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await build({
    root: HERE,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: [/^@everpost\//] },
    build: {
      // Packages of others are dependencies; the client is built in, since both are made of one document.
      ssr: 'src/main.ts',
      target: 'node20',
      outDir,
      emptyOutDir: false,
      minify: false,
      rollupOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' } },
    },
  });
}

if (import.meta.main) await buildCli();
