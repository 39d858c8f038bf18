import { open } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'

// The floor for durable appends: node:http, one file, one fdatasync for all that arrived meanwhile. It checks nothing.
const file = await open(process.argv[2]!, 'a')
let waiting: { line: Buffer; response: ServerResponse }[] = []
let flushing = false
let lastId = 0

async function flush(): Promise<void> {
  flushing = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    await file.appendFile(Buffer.concat(batch.map(({ line }) => line)))
    await file.datasync()
    for (const { response } of batch) {
      const body = `{"lastEventId":${++lastId},"ids":[${lastId}]}`
      response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
    }
  }
  flushing = false
}

const newline = Buffer.from('\n')
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    parts.push(newline)
    waiting.push({ line: Buffer.concat(parts), response })
    if (!flushing) void flush()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(JSON.stringify({ port: address.port }))
})
