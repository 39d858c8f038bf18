import { pathToFileURL } from 'node:url'

// Not an import by name: the package lives in the cache, not in the workspace.
const { DurableStreamTestServer } = await import(pathToFileURL(process.argv[2] ?? '').href)
const dataDir = process.argv[3]
const server = new DurableStreamTestServer({
  port: 0,
  host: '127.0.0.1',
  ...(dataDir === undefined ? {} : { dataDir }),
})
const started = await server.start()
const port = typeof started === 'string' ? Number(new URL(started).port) : server.port
console.log(JSON.stringify({ port }))
