import type { NetworkInterfaceInfo } from 'node:os'

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

// Networks between this machine and its own containers: no other machine can reach the hub there.
const isInside = (name: string) => /^(docker|br-|veth|virbr|podman|cni|lo$)/.test(name)

/**
 * The URLs under which a hub is reached. First the operator's public URL or the address for this machine; then, if the hub
 * listens on all interfaces, this machine's addresses in its networks.
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
