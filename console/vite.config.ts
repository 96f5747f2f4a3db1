import { defineConfig } from 'vite';

/** Addresses are relative: the page works below any prefix of a proxy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  clearScreen: false,
  logLevel: 'warn',
  build: {
    target: 'es2024',
    // Everything is a file of its own: the page's policy takes neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
