import { defineConfig } from 'vite';

/** Addresses are relative: the page works below any prefix of a proxy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  clearScreen: false,
  logLevel: 'warn',
  build: {
    target: 'es2024',
    // Those that know light-dark(): what older ones get in its place needs the scheme in our own styles, where Mantine sets it by a variable.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Everything is a file of its own: the page's policy takes neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
