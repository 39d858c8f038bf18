import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { blobHashOf } from '../memory/memory-snapshots.ts'
import type { RunUnderTest } from '../runner-under-test.ts'

/** Brings these files and servers for the agent of a run, as a user's command does; what ends with .sh can be run. */
export async function bring(run: RunUnderTest, files: Record<string, string>, mcpServers: object[] = []) {
  const items = Object.entries(files).map(([path, text]) => {
    const bytes = Buffer.from(text)
    return {
      path,
      hash: blobHashOf(bytes),
      mode: path.endsWith('.sh') ? '755' : '644',
      size: bytes.length,
      bytes,
    }
  })
  const sources = items.map(({ hash, size, bytes }) => ({ hash, size, open: () => bytes }))
  await uploadBlobs(run.user, run.at, sources)
  await run.say('_posthog/user_setup', { items: items.map(({ bytes: _, ...item }) => item), mcpServers })
}
