import process from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromLinkThread, LinkThreadData, ToLinkThread } from '@farhand/device/device-process/link-thread'
import { warmDiskWorker } from '@farhand/sync/disk/disk-worker'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { ProcessContext } from '../../context/command-context.ts'
import { keepFolder } from './keep-folder.ts'
// A folder loads these when it begins; here they are loaded before it is known which one that is.
import '@farhand/client/post/post'
import '@farhand/sync/disk/open-disk-folder'
import '@farhand/sync/engine/folder-sync'
import '@farhand/sync/hub/device-life'
import '@farhand/sync/hub/open-hub-folder'
import '@farhand/sync/state/memory-file'

/** What a thread gets of the process that it is in. */
export type ThreadContext = Omit<ProcessContext, 'stop'> & { state: string }

// The program of a thread that keeps one folder in sync, until it is told to stop or the link ends.
warmDiskWorker()
const port = parentPort!
const { beat, context } = workerData as LinkThreadData<ThreadContext>
const beats = new Int32Array(beat)
const stop = new AbortController()
const beatMs = 2_000

// The keychain is asked by this command in a process of its own, and a thread does not know how it was started.
process.argv[1] = context.self[1] ?? ''
setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref()
port.on('message', (message: ToLinkThread) => {
  if (message.is === 'stop') stop.abort()
  else if (message.is === 'start') void keep(message)
  else {
    new StateFolder(context.state).tokens.moveToKeychain()
    port.close()
  }
})

async function keep(start: Extract<ToLinkThread, { is: 'start' }>): Promise<void> {
  const tell = (told: FromLinkThread) => port.postMessage(told)
  const end = await keepFolder(
    start,
    context.state,
    {
      ...context,
      stop: stop.signal,
      out() {},
      note: (text) => void process.stderr.write(text),
      ...{ color: false, columns: Number.POSITIVE_INFINITY, isPiped: true, terminal: false },
      unread: new AbortController().signal,
      ...{ ask: null, askHidden: null, lines: null, keyed: null, input: null, isTyping: null },
      onInterrupt: () => () => {},
    },
    tell,
  )
  tell({ is: 'ended', end })
  port.close()
}
