import type { AgentEntry } from '@farhand/runner/catalogue/agent-entry'

type Environment = Readonly<Record<string, string | undefined>>

const always = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
  // Without these nothing starts on Windows.
  'SYSTEMROOT',
  'COMSPEC',
  'PATHEXT',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
  'TMP',
])

/**
 * The whole environment of an agent: what every program needs, what this one is known to want, and nothing else. What
 * lies around in a shell, our own tokens among it, is nobody else's business. What its user has set counts for more
 * than what everybody is given.
 */
export function agentEnvironment(
  { passes, env: set }: Pick<AgentEntry, 'passes' | 'env'>,
  env: Environment,
  stateFolder: string,
): Record<string, string> {
  const isPassed = (name: string) =>
    always.has(name.toUpperCase()) || /^(LC|XDG)_/.test(name) || passes.includes(name)
  const passed = Object.entries(env).filter(
    (one): one is [string, string] => one[1] !== undefined && isPassed(one[0]),
  )
  const own = Object.entries(set)
    .filter(([name]) => !passes.includes(name) || env[name] === undefined)
    .map(([name, value]) => [name, value.replaceAll('{state}', stateFolder)])
  // There is no terminal: what asks for one shall not draw on it.
  return { ...Object.fromEntries(passed), TERM: 'dumb', ...Object.fromEntries(own) }
}

/**
 * The whole environment of an agent in a sandbox, where nothing of a person lies around: `given` is what the sandbox and
 * the project have for it. All that it keeps is below its own folder, from where it travels with the run (W38).
 */
export function sandboxEnvironment(
  { sandboxEnv, ...entry }: Pick<AgentEntry, 'passes' | 'env' | 'sandboxEnv'>,
  given: Environment,
  stateFolder: string,
): Record<string, string> {
  const own = Object.entries(sandboxEnv).map(([name, value]) => [
    name,
    value.replaceAll('{state}', stateFolder),
  ])
  return { ...agentEnvironment(entry, given, stateFolder), ...Object.fromEntries(own) }
}

const isPlainSetting =
  /^(PATH|PATHEXT|HOME|LOCALAPPDATA|FARHAND_STATE|XDG_\w+)$|_(URL|HOST|API_BASE|ENDPOINT|MODEL|PROVIDER|REGION|PROXY)$/i

/**
 * What runs of this hub's users see of its environment: an owner all that their agent wants, others only where its model
 * is. What could be a key is left out, and so is an address with a password in it.
 */
export function sharedEnvironment(env: Environment, getsKeys: boolean): Environment {
  if (getsKeys) return env
  const isShown = ([name, value]: [string, string | undefined]) =>
    isPlainSetting.test(name) && !value?.includes('@')
  return Object.fromEntries(Object.entries(env).filter(isShown))
}

/** The folders and files that an agent finds below its own folder, by whole paths. */
export function placesBelow(
  stateFolder: string,
  { folders, files }: Pick<AgentEntry, 'folders' | 'files'>,
): { folders: string[]; files: Record<string, string>; links: Record<string, string> } {
  const at = (name: string) => `${stateFolder}/${name}`
  const put = Object.entries(files).map(([name, text]) => [at(name), text])
  return { folders: folders.map(at), files: Object.fromEntries(put), links: {} }
}
