type Environment = Readonly<Record<string, string>>

export type GitWays = {
  /** The beginning of the local git URLs, up to `/git/`. */
  door: string
  /** A header that git sends there, and nowhere else. */
  shows?: string | undefined
  /** The URL prefixes that are rewritten to it. */
  remotes: readonly string[]
}

/**
 * An environment in which git reaches these remotes through the egress proxy, under their usual URLs, and never waits
 * for a password. No settings file is written.
 */
export function gitEnvironment(env: Environment, { door, shows, remotes }: GitWays): Record<string, string> {
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0
  const settings = [
    [`http.${door}.proxy`, ''],
    // Not in the URL: every user of the machine can read a program's arguments.
    ...(shows === undefined ? [] : [[`http.${door}.extraHeader`, shows]]),
    ...remotes.flatMap((remote) => {
      const { protocol, host, hostname, pathname } = new URL(remote)
      const instead = `${door}${protocol.slice(0, -1)}/${host}${pathname}`
      const written = [`${protocol}//${host}${pathname}`, `ssh://git@${hostname}${pathname}`]
      return [...written, `git@${hostname}:${pathname.slice(1)}`].map((address) => [
        `url.${instead}.insteadOf`,
        address,
      ])
    }),
  ] as [string, string][]
  const config = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, key],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ])
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    ...env,
    ...Object.fromEntries(config),
    GIT_CONFIG_COUNT: String(before + settings.length),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
  }
}

const here = 'localhost,127.0.0.1,::1'

/** An environment whose programs use the proxy on this loopback port. Other proxies in it are outside and unreachable. */
export function proxyEnvironment(env: Environment, port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`
  const inBothCases = (name: string, value: string) => ({ [name]: value, [name.toLowerCase()]: value })
  return {
    ...env,
    ...inBothCases('HTTP_PROXY', proxy),
    ...inBothCases('HTTPS_PROXY', proxy),
    ...inBothCases('ALL_PROXY', proxy),
    ...inBothCases('NO_PROXY', here),
    // Node's own fetch and newer yarns ignore the variables above.
    NODE_USE_ENV_PROXY: '1',
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
  }
}
