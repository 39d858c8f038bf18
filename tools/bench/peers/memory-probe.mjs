// Preloaded into a server under test: collects garbage when asked over the IPC channel, then says what is left.
// Without the collection a heap figure is mostly luck.
process.on('message', async () => {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.send?.({ heapUsed: process.memoryUsage().heapUsed })
})
process.channel?.unref()
