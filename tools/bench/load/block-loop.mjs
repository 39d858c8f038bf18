import { isMainThread } from 'node:worker_threads'

// Preloaded into a link: blocks its event loop for as many milliseconds as it is told to over the IPC channel.
// SIGSTOP would not do: it stops the threads that should go on meanwhile.
if (isMainThread) {
  process.on('message', (ms) => {
    process.send?.('blocked from now on', () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms))
    })
  })
  process.channel?.unref()
}
