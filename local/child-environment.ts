/** What programs need to find their files and to write times and texts as the user expects. */
const ANY_PROGRAM = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'];
/** How much memory programs in Go may take before they collect their garbage: a server that does it seldom takes less of the CPU. */
const GO_MEMORY = ['GOGC', 'GOMEMLIMIT'];
/** The way out of the machine. */
const NETWORK = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'];

/** For a program that works on this machine only: nothing of what Everpost is told, so none of its secrets. */
export function childEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return pick(env, (name) => ANY_PROGRAM.includes(name) || GO_MEMORY.includes(name));
}

/** The same for a program that fetches something: with the way out. `prefixes` are those of its own variables. */
export function fetchingEnvironment(prefixes: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return pick(
    env,
    (name) => ANY_PROGRAM.includes(name) || NETWORK.includes(name.toUpperCase()) || prefixes.some((prefix) => name.startsWith(prefix)),
  );
}

function pick(env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)));
}
