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
 * The whole environment of an agent: what every program needs, the variables that its catalogue entry names, and nothing
 * else, so that it does not see other secrets of the user's shell, Farhand's tokens among them. The user's values count before the entry's.
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
  // The agent has no terminal: programs must not draw.
  return { ...Object.fromEntries(passed), TERM: 'dumb', ...Object.fromEntries(own) }
}

/**
 * The whole environment of an agent in a sandbox: `given` is what the sandbox and the project provide, not the user's
 * shell. All that the agent keeps is in its own folder, which moves with the run (W38).
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
 * What agents may see of the hub's environment: for runs of the owner everything, for other users' runs only settings
 * such as the address of the model. What could be a key is left out, and so is an address with a password in it.
 */
export function sharedEnvironment(env: Environment, getsKeys: boolean): Environment {
  if (getsKeys) return env
  const isShown = ([name, value]: [string, string | undefined]) =>
    isPlainSetting.test(name) && !value?.includes('@')
  return Object.fromEntries(Object.entries(env).filter(isShown))
}

/** The folders and files that an agent finds in its own folder, by full paths. */
export function placesBelow(
  stateFolder: string,
  { folders, files }: Pick<AgentEntry, 'folders' | 'files'>,
): { folders: string[]; files: Record<string, string>; links: Record<string, string> } {
  const at = (name: string) => `${stateFolder}/${name}`
  const put = Object.entries(files).map(([name, text]) => [at(name), text])
  return { folders: folders.map(at), files: Object.fromEntries(put), links: {} }
}
