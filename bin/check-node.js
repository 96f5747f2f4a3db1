// JavaScript, so that a Node which is too old for the rest can read it.
const NEEDED = [24, 2];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `everpost: this is Node ${process.versions.node}, it needs ${NEEDED.join('.')} or newer. npm ci brings one along, which npm start takes: ` +
      'run npm ci without --omit and --ignore-scripts, then npm start\n',
  );
  process.exit(1);
}
