import { fileURLToPath } from 'node:url'
import { type Child, type Children, printedPort } from '../children.ts'
import { node, withProbe } from '../node-program.ts'

/** Starts one of the bare servers of this folder: plain JavaScript, because the hub runs as a built file too. */
export async function startFloor(
  children: Children,
  name: 'append-server' | 'sse-server',
  args: readonly string[] = [],
): Promise<{ child: Child; port: number }> {
  const program = fileURLToPath(new URL(`${name}.mjs`, import.meta.url))
  const probed = name === 'sse-server'
  const child = children.start(
    node,
    [...(probed ? withProbe : []), program, ...args],
    probed ? { extra: ['ipc'] } : {},
  )
  return { child, port: await printedPort(child) }
}
