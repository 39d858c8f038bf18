import * as fs from 'node:fs'
import { createServer } from 'node:http'

// The floor for durable appends: node:http, one file, one write to the disk for all that arrived meanwhile. It checks
// nothing. All that makes the hub's log quick belongs in here too, or the hub is compared with something slow.
const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = fs.constants
const writeIsDurable = process.platform === 'linux' && O_DSYNC !== undefined
const file = fs.openSync(
  process.argv[2] ?? '',
  O_WRONLY | O_CREAT | O_APPEND | (writeIsDurable ? O_DSYNC : 0),
)

/** @typedef {{ line: Buffer, response: import('node:http').ServerResponse }} Waiting */
/** @type {Waiting[]} */
let waiting = []
let flushing = false
let lastId = 0

function flush() {
  const batch = waiting
  waiting = []
  const bytes = Buffer.concat(batch.map(({ line }) => line))
  fs.write(file, bytes, 0, bytes.length, null, (error, written) => {
    if (error || written < bytes.length) throw error ?? new Error('the disk took only a part')
    if (writeIsDurable) answer(batch)
    else fs.fdatasync(file, (failed) => (failed ? fail(failed) : answer(batch)))
  })
}

/** @param {Error} error */
function fail(error) {
  throw error
}

/** @param {Waiting[]} batch */
function answer(batch) {
  for (const { response } of batch) {
    const body = `{"lastEventId":${++lastId},"ids":[${lastId}]}`
    response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
  }
  if (waiting.length > 0) setImmediate(flush)
  else flushing = false
}

const newline = Buffer.from('\n')
const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    parts.push(newline)
    waiting.push({ line: Buffer.concat(parts), response })
    if (flushing) return
    flushing = true
    setImmediate(flush)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(JSON.stringify({ port: address.port }))
})
