type Environment = Readonly<Record<string, string>>

export type GitWays = {
  /** What the addresses of the door begin with, up to `/git/`. */
  door: string
  /** A header that git shows there, and nowhere else. */
  shows?: string | undefined
  /** The beginnings of addresses that go through it. */
  remotes: readonly string[]
}

/**
 * An environment in which git reaches these remotes through the door, under the addresses they have, and never waits for
 * somebody to type a password. Nothing is written into anybody's settings.
 */
export function gitEnvironment(env: Environment, { door, shows, remotes }: GitWays): Record<string, string> {
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0
  const settings = [
    [`http.${door}.proxy`, ''],
    // Not in the address: that is an argument of programs that git starts, which everyone on the machine can read.
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

/**
 * An environment whose programs connect by way of the proxy at this port of the loopback. Other proxies that it names are
 * outside and cannot be reached.
 */
export function proxyEnvironment(env: Environment, port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`
  const inBothCases = (name: string, value: string) => ({ [name]: value, [name.toLowerCase()]: value })
  return {
    ...env,
    ...inBothCases('HTTP_PROXY', proxy),
    ...inBothCases('HTTPS_PROXY', proxy),
    ...inBothCases('ALL_PROXY', proxy),
    ...inBothCases('NO_PROXY', here),
    // These look at none of the above by themselves: Node's own fetch, and newer yarns.
    NODE_USE_ENV_PROXY: '1',
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
  }
}
