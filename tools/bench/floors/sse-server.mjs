import { createServer } from 'node:http'

// The floor for idle readers: an answer that stays open, and nothing else kept for it.
/** @type {Set<import('node:http').ServerResponse>} */
const readers = new Set()

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  response.write(': live\n\n')
  readers.add(response)
  response.on('close', () => readers.delete(response))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(JSON.stringify({ port: address.port }))
})
