import { registerHooks } from 'node:module';

// openapi-typescript builds its output with the API of TypeScript, which version 7 does not have: this package has it in itself.
const shim = `import { ts } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default ts;`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: `data:text/javascript,${encodeURIComponent(shim)}`, shortCircuit: true } : next(specifier, context),
});
