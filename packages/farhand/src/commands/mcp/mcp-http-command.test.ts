import { statSync } from 'node:fs'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'

/** Starts the command until `end` is called, and gives what it has printed as JSON. */
async function begin(state: string) {
  const stop = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  const line = await new Promise<string>((out, reject) => {
    const words = ['mcp', '--http', '--port', '0', '--json', '--state', state]
    ended = runHere(words, { stop: stop.signal, out, cwd: state })
    ended.catch(reject)
  })
  const end = async () => {
    stop.abort()
    await ended
  }
  onTestFinished(end)
  return { ...(JSON.parse(line) as { url: string; token: string }), end }
}

it('serves all tools at the address that it prints, with a token that only the user can read and that stays the same', async () => {
  const state = await temporaryFolder()
  const first = await begin(state)
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${first.token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(first.url), { requestInit: { headers } }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'cloud_agent',
    ...['follow', 'answer', 'control', 'list', 'files', 'read', 'download'].map(
      (one) => `cloud_agent_${one}`,
    ),
  ])
  await client.close()
  await first.end()
  expect(statSync(path.join(state, 'mcp-token')).mode & 0o077).toBe(0)
  expect((await begin(state)).token).toBe(first.token)
})

it('says which port is taken, and refuses what is no port', async () => {
  const state = await temporaryFolder()
  const { url } = await begin(state)
  const serve = (port: string) => runHere(['mcp', '--http', '--port', port, '--state', state], { cwd: state })
  await expect(serve(new URL(url).port)).rejects.toMatchObject({ exit: 'portTaken' })
  await expect(serve('eighty')).rejects.toMatchObject({ exit: 'usage' })
})
