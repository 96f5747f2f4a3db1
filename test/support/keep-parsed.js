import vm from 'node:vm';

/**
 * Jest reads each module anew for each test file, with `node:vm`, and V8 parses it anew. Here what V8 made of a text is kept for the next test
 * file of the same process, and V8 takes it instead of parsing; the module still runs in a realm of its own.
 */
const keptOf = new Map();

/** Of a text that was parsed before under this name; V8 itself compares no more than the length. */
function keptFor(name, text) {
  const kept = keptOf.get(name);
  return kept?.text === text ? kept.data : undefined;
}

vm.SourceTextModule = new Proxy(vm.SourceTextModule, {
  construct(target, [text, options], newTarget) {
    const name = options?.identifier;
    const cachedData = name && keptFor(name, text);
    if (cachedData) {
      try {
        return Reflect.construct(target, [text, { ...options, cachedData }], newTarget);
      } catch (error) {
        // V8 takes nothing that it made with other flags, and some are set while tests run: it is parsed, and kept anew.
        if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
    }
    const made = Reflect.construct(target, [text, options], newTarget);
    if (name) keptOf.set(name, { text, data: made.createCachedData() });
    return made;
  },
});

const { compileFunction } = vm;

vm.compileFunction = (text, parameters, options) => {
  const name = options?.filename && `function ${options.filename}`;
  const cachedData = name && keptFor(name, text);
  if (cachedData) {
    const compiled = compileFunction(text, parameters, { ...options, cachedData });
    // Parsed all the same.
    if (compiled.cachedDataRejected) keptOf.delete(name);
    return compiled;
  }
  const compiled = compileFunction(text, parameters, { ...options, produceCachedData: Boolean(name) });
  if (compiled.cachedData) keptOf.set(name, { text, data: compiled.cachedData });
  return compiled;
};
