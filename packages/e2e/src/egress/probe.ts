/** An attempt of a program in a sandbox to get out, and where to. */
export type Attempt =
  | { by: 'tcp'; host: string; port: number }
  | { by: 'udp'; host: string; port: number }
  | { by: 'name'; host: string }
  | { by: 'socket'; path: string }
  | { by: 'remove' | 'write'; path: string }
  /** Raw words to the proxy, or to the hub. */
  | { by: 'proxy' | 'hub'; words: string }

/**
 * A program for Node that makes each attempt and prints what came of it, as JSON: the first line that was answered, `open`
 * where a way out was found, or the code of an error.
 */
export function probe(socketFolder: string, attempts: Record<string, Attempt>): string {
  return `
    import dgram from 'node:dgram'
    import dns from 'node:dns/promises'
    import fs from 'node:fs'
    import net from 'node:net'
    const attempts = ${JSON.stringify(attempts)}
    const failed = (error) => error.code ?? error.message
    const line = (where, words) => new Promise((resolve) => {
      const socket = net.connect({ ...where, timeout: 30_000 })
      socket.on('error', (error) => resolve(failed(error)))
      socket.on('timeout', () => resolve('silence'))
      socket.on('close', () => resolve('closed'))
      socket.on('connect', () => (words === undefined ? resolve('open') : socket.write(words)))
      socket.on('data', (bytes) => resolve(String(bytes).split('\\r\\n')[0]))
    })
    const packet = ({ host, port }) => new Promise((resolve) => {
      const socket = dgram.createSocket('udp4')
      socket.on('error', (error) => resolve(failed(error)))
      socket.send('x', port, host, (error) => resolve(error ? failed(error) : 'open'))
    })
    const ways = {
      tcp: ({ host, port }) => line({ host, port }),
      udp: packet,
      name: ({ host }) => dns.lookup(host).then(() => 'open', failed),
      socket: ({ path }) => line({ path }),
      proxy: ({ words }) => line({ path: ${JSON.stringify(`${socketFolder}/proxy.sock`)} }, words),
      hub: ({ words }) => line({ path: ${JSON.stringify(`${socketFolder}/hub.sock`)} }, words),
      remove: async ({ path }) => { try { fs.rmSync(path); return 'open' } catch (error) { return failed(error) } },
      write: async ({ path }) => { try { fs.writeFileSync(path, ''); return 'open' } catch (error) { return failed(error) } },
    }
    const found = {}
    await Promise.all(Object.entries(attempts).map(async ([name, attempt]) => {
      found[name] = await ways[attempt.by](attempt)
    }))
    process.stdout.write(JSON.stringify(found) + '\\n', () => process.exit(0))
  `
}
