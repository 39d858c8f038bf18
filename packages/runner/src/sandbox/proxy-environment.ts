type Environment = Readonly<Record<string, string>>

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
