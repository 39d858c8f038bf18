import type { NetworkInterfaceInfo } from 'node:os'

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

// Between this machine and what runs on it: nobody else is there.
const isInside = (name: string) => /^(docker|br-|veth|virbr|podman|cni|lo$)/.test(name)

/**
 * Where a hub that listens there is reached: first at the address for whoever sits at this machine, or the one that its
 * operator gave it; then, if it listens everywhere, at those of the machine in its networks.
 */
export function hubUrls(
  { host, publicUrl }: { host: string; publicUrl?: string | undefined },
  port: number,
  interfaces: Interfaces,
): [string, ...string[]] {
  if (publicUrl) return [publicUrl]
  const isAnywhere = host === '0.0.0.0' || host === '::'
  if (!isAnywhere) return [`http://${host.includes(':') ? `[${host}]` : host}:${port}`]
  const others = Object.entries(interfaces)
    .filter(([name]) => !isInside(name))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(
      ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
    )
    .map(({ address }) => `http://${address}:${port}`)
  return [`http://127.0.0.1:${port}`, ...new Set(others)]
}
