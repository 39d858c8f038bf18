import path from 'node:path'

/** The words with which someone can call the command again, from where they called it now. */
export type CalledAs = { farhand: string; hub: string }

/**
 * In a clone there is no `farhand` on the PATH: a hint must name what will work. An alias cannot be seen from in here;
 * one that sets FARHAND_CALLED to its name says that this will.
 */
export function calledAs(
  env: Readonly<Record<string, string | undefined>>,
  script: string | undefined,
): CalledAs {
  if (env.npm_lifecycle_event === 'start') return { farhand: 'npx farhand', hub: 'npm start --' }
  const farhand =
    env.npm_lifecycle_event !== undefined || env.npm_command === 'exec'
      ? 'npx farhand'
      : script && path.basename(script) === 'farhand.cjs' && !isInstalled(script)
        ? (alias(env.FARHAND_CALLED) ?? `node ${quoted(script)}`)
        : 'farhand'
  return { farhand, hub: `${farhand} hub` }
}

// Windows has no links: there npm puts a command beside it that starts the file by its whole path.
const isInstalled = (script: string) => /[\\/]node_modules[\\/]farhand[\\/]bin[\\/][^\\/]+$/.test(script)

const alias = (name: string | undefined) => (name && /^[\w-]{1,40}$/.test(name) ? name : null)

const quoted = (script: string) =>
  /^[\w@%+=:,./\\-]+$/.test(script) ? script : `'${script.replaceAll("'", `'\\''`)}'`
