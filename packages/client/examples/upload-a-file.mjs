// Puts a file into the workspace of a run: contents are blobs, named by their hash, and an event names the blob.
//   HUB=http://127.0.0.1:7717 TOKEN=... node upload-a-file.mjs run_4fJ2... picture.png
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { addressOf, findRun, hashOf, post, uploadBlobs } from '@farhand/client'

const hub = { url: process.env.HUB ?? 'http://127.0.0.1:7717', token: process.env.TOKEN ?? '' }
const [id, file] = process.argv.slice(2)
const at = addressOf(await findRun(hub, id))

const { size } = await stat(file)
const contents = await openAsBlob(file)
const hash = await hashOf(new Uint8Array(await contents.arrayBuffer()))

// Sends nothing that the hub has already: after a crash, call it again.
const { refused } = await uploadBlobs(hub, at, [{ hash, size, open: () => contents }])
if (refused.length > 0) throw refused[0].why

// `was` is what was there before, as far as we know: nothing.
const change = { path: path.basename(file), action: 'created', hash, size, mode: '100644', was: null }
const { lastEventId } = await post(hub, at, { jsonrpc: '2.0', method: '_posthog/file_sync', params: change })
console.log(`${change.path} is in the run as of event ${lastEventId}`)
