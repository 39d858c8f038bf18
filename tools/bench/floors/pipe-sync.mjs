import { fdatasyncSync, openSync, readSync, writeSync } from 'node:fs'

// The floor for latency: bytes come through a pipe, are made durable and go out through pipes, with no event loop
// between. Messages come one at a time, as the pace leaves 5 ms between them.
const file = openSync(process.argv[2] ?? '', 'a')
const readers = Number(process.argv[3])
const firstReader = 3
const buffer = Buffer.alloc(64 * 1024)

for (;;) {
  const size = readSync(0, buffer)
  if (size === 0) break
  writeSync(file, buffer, 0, size)
  fdatasyncSync(file)
  for (let reader = 0; reader < readers; reader++) writeSync(firstReader + reader, buffer, 0, size)
}
