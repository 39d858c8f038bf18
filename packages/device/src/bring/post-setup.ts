import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import type { BroughtFile } from '@farhand/protocol/methods/setup'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { McpServerEntry } from '@farhand/runner/catalogue/mcp-servers'

export type Setup = {
  files: readonly BroughtFile[]
  contents: ReadonlyMap<BlobHash, Uint8Array>
  servers: readonly McpServerEntry[]
}

/** Stores the setup and posts it to the run, in place of the previous one; resolves when both are durable. */
export async function postSetup(
  hub: Hub,
  at: RunAddress,
  { files, contents, servers }: Setup,
  options: CallOptions,
): Promise<void> {
  const sources = [...contents].map(([hash, bytes]) => ({ hash, size: bytes.length, open: () => bytes }))
  const { refused } = await uploadBlobs(hub, at, sources, options)
  if (refused[0]) throw refused[0].why
  const params = { items: files, ...(servers.length > 0 && { mcpServers: servers }) }
  await post(hub, at, event('user_setup', params), options)
}
