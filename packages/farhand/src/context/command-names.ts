import path from 'node:path'

/** The words with which the user can call the command again, from where they called it now. */
export type CommandNames = { farhand: string; hub: string }

/** How this process was called: its environment, the file that Node runs, and the folder that the user is in. */
export type Call = {
  env: Readonly<Record<string, string | undefined>>
  script: string | undefined
  cwd: string
}

/**
 * A hint must name what works where it is read. `npx farhand` does so in the clone only: the name is not in the registry, so
 * anywhere else npx would install a stranger's package, or nothing. An alias cannot be seen from in here; one that sets
 * FARHAND_CALLED to its name says that this will work.
 */
export function commandNames({ env, script = '', cwd }: Call): CommandNames {
  // A hub in the background has another folder, and still the environment of the npx or npm that was typed.
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

/** The command in few words that name no folder of this machine: pages are shown to people who have not signed in. */
export const publicCommandName = (farhand: string): string =>
  /^[\w-]{1,40}$/.test(farhand) || farhand === 'npx farhand'
    ? farhand
    : farhand.startsWith('node ')
      ? 'npx farhand'
      : 'farhand'

const called = (farhand: string): CommandNames => ({ farhand, hub: `${farhand} hub` })

/** The folder whose `node_modules` has the command, if npx, or a script of a package there, found it in it. */
function rootOfNpx(env: Call['env'], script: string): string | undefined {
  const root = /^(.+)[\\/]node_modules[\\/]\.bin[\\/]farhand$/.exec(script)?.[1]
  // Windows has no links: there npm puts a command beside it that starts the file by its whole path.
  if (root !== undefined || env.npm_command === undefined) return root
  return /^(.+)[\\/]node_modules[\\/]farhand[\\/]bin[\\/][^\\/]+$/.exec(script)?.[1]
}

const isInstalled = (script: string) => /[\\/]node_modules[\\/]farhand[\\/]bin[\\/][^\\/]+$/.test(script)

const isLauncher = (script: string) => path.basename(script) === 'farhand.cjs'

/** A script that is not there by its name, as in tests, is on no PATH; without a PATH there is nothing better to say. */
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
