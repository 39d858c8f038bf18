import { openSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import process from 'node:process'

// The whole path of a socket has to fit into 104 bytes, or a few more; what is longer is cut, or refused.
const mostBytes = 100

/**
 * A path by which a socket can be connected to, however deep it lies: by way of its folder, which stays open as long as this
 * process lives. The folder has to be there.
 */
export function shortSocketPath(path: string): string {
  if (Buffer.byteLength(path) <= mostBytes || process.platform !== 'linux') return path
  return `/proc/self/fd/${openSync(dirname(path), 'r')}/${basename(path)}`
}
