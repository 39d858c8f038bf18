import path from 'node:path'

/** What the user types to call `farhand`, and to start a hub, from the folder they are in. */
export type CommandNames = { farhand: string; hub: string }

/** How this process was started: its environment, the file that Node runs, and the user's folder. */
export type Call = {
  env: Readonly<Record<string, string | undefined>>
  script: string | undefined
  cwd: string
}

/**
 * Hints must name a command that works where the user reads them. `npx farhand` works only inside the clone: the package is
 * not in the registry, so elsewhere npx would install a stranger's package, or nothing. A process cannot see the alias by which it was
 * started, so an alias sets FARHAND_CALLED to its own name.
 */
export function commandNames({ env, script = '', cwd }: Call): CommandNames {
  // A hub in the background has another working folder, but still the environment of the user's npx or npm.
  const isIn = (root: string) => [cwd, env.INIT_CWD].some((folder) => folder && isInside(root, folder))
  const started = /^(.+)[\\/]tools[\\/]start\.cjs$/.exec(script)?.[1]
  if (started !== undefined) {
    if (isIn(started)) return { farhand: 'npx farhand', hub: 'npm start --' }
    return called(`node ${quoted(path.join(started, 'packages/farhand/bin/farhand.cjs'))}`)
  }
  const root = rootOfNpx(env, script)
  if (root !== undefined && isIn(root)) return called('npx farhand')
  if (isInstalled(script) || (root === undefined && isOnPath(script, env.PATH))) return called('farhand')
  return called(alias(env.FARHAND_CALLED) ?? (isLauncher(script) ? `node ${quoted(script)}` : quoted(script)))
}

/** The command without any path of this machine: pages show it to visitors who have not signed in. */
export const publicCommandName = (farhand: string): string =>
  /^[\w-]{1,40}$/.test(farhand) || farhand === 'npx farhand'
    ? farhand
    : farhand.startsWith('node ')
      ? 'npx farhand'
      : 'farhand'

const called = (farhand: string): CommandNames => ({ farhand, hub: `${farhand} hub` })

/** The folder whose `node_modules` has the command, if npx or an npm script started it from there. */
function rootOfNpx(env: Call['env'], script: string): string | undefined {
  const root = /^(.+)[\\/]node_modules[\\/]\.bin[\\/]farhand$/.exec(script)?.[1]
  // On Windows npm makes no symlink, but a script that starts the file by its full path.
  if (root !== undefined || env.npm_command === undefined) return root
  return /^(.+)[\\/]node_modules[\\/]farhand[\\/]bin[\\/][^\\/]+$/.exec(script)?.[1]
}

const isInstalled = (script: string) => /[\\/]node_modules[\\/]farhand[\\/]bin[\\/][^\\/]+$/.test(script)

const isLauncher = (script: string) => path.basename(script) === 'farhand.cjs'

/** Also true without a script name, as in tests, and without a PATH: then `farhand` is the best guess. */
const isOnPath = (script: string, paths: string | undefined) =>
  script === '' ||
  (!isLauncher(script) &&
    (paths === undefined ||
      paths.split(path.delimiter).some((one) => one !== '' && path.resolve(one) === path.dirname(script))))

function isInside(root: string, folder: string): boolean {
  const way = path.relative(root, folder)
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
}

const alias = (name: string | undefined) => (name && /^[\w-]{1,40}$/.test(name) ? name : null)

const quoted = (script: string) =>
  /^[\w@%+=:,./\\-]+$/.test(script) ? script : `'${script.replaceAll("'", `'\\''`)}'`
