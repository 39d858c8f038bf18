import { type BroughtFile, userSetupLimits } from '@farhand/protocol/methods/setup'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { isRead } from '@farhand/runner/bring/agent-home-paths'
import type { McpServerEntry } from '@farhand/runner/catalogue/mcp-servers'
import type { AllowList } from './allow-list.ts'
import { findServers } from './find-servers.ts'
import type { Home } from './find-setup.ts'
import { readItem } from './read-item.ts'

export type Gathered = {
  files: BroughtFile[]
  contents: Map<BlobHash, Uint8Array>
  servers: { entry: McpServerEntry; secrets: string[] }[]
  /** Chosen items that are not brought, and why. */
  left: { what: string; why: string }[]
  /** Items that changed since they were chosen, and are brought as they are now. */
  changed: string[]
}

/**
 * Reads all chosen items as they are now. Items that fail the secret scan, or do not fit, are left out with a reason.
 */
export function gatherSetup(list: AllowList, here: Home): Gathered {
  const gathered: Gathered = { files: [], contents: new Map(), servers: [], left: [], changed: [] }
  const { files, contents, left, changed } = gathered
  let bytes = 0
  for (const [path, digest] of list.items) {
    const item = readItem({ path }, here)
    const size = 'files' in item ? item.files.reduce((sum, file) => sum + file.bytes.length, 0) : 0
    const why =
      'why' in item
        ? item.why.join('; ')
        : !item.files.every((file) => isRead(file.path))
          ? 'no known agent reads it there'
          : bytes + size > userSetupLimits.bytes || files.length + item.files.length > userSetupLimits.files
            ? 'with it the limit of 10 MiB or 500 files is exceeded'
            : null
    if (why !== null || 'why' in item) {
      left.push({ what: path, why: why ?? '' })
      continue
    }
    bytes += size
    if (item.digest !== digest) changed.push(path)
    for (const file of item.files) {
      contents.set(file.hash, file.bytes)
      const { hash, mode } = file
      files.push({ path: file.path as WorkspacePath, hash, mode, size: file.bytes.length })
    }
  }
  gatherServers(list, here, gathered)
  return gathered
}

function gatherServers(list: AllowList, here: Home, { servers, left }: Gathered): void {
  if (list.servers.size === 0) return
  const found = findServers(here).servers
  for (const [name, { agent, digest }] of list.servers) {
    const server = found.find((one) => one.name === name && one.agent === agent)
    const what = `the MCP server ${name}`
    if (!server) left.push({ what, why: `it is no longer in the settings of ${agent}` })
    else if ('why' in server.to) left.push({ what, why: server.to.why })
    // A changed server may be another program that the user has not approved.
    else if (server.digest !== digest)
      left.push({ what, why: 'it has changed since you added it: add it again' })
    else servers.push(server.to)
  }
}
