import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { farhandBin, temporaryFolder } from '../../farhand-under-test.ts'

/** The least that is an agent: it says what a package of its own and its settings say. */
const agent = `
import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'
const { colour } = await import(['own', 'package'].join('-'))
const settings = readFileSync(process.env.HOME + '/.config/mine/settings.txt', 'utf8')
const said = (sessionId) => ({ sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I see ' + colour + ' and ' + settings } } })
const send = (frame) => console.log(JSON.stringify({ jsonrpc: '2.0', ...frame }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'session/prompt') send({ method: 'session/update', params: said(params.sessionId) })
  const results = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's' }, 'session/prompt': { stopReason: 'end_turn' } }
  if (id !== undefined) send({ id, result: results[method] ?? {} })
})
`

it('an agent of one’s own works in a sandbox beside its packages, behind a script and with its settings, where its entry names them; else it is said what it can read', async ({
  skip,
}) => {
  if (!existsSync('/usr/bin/bwrap')) return skip('bubblewrap is not installed')
  const home = await temporaryFolder()
  const put = (name: string, text: string, mode = 0o644) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text, { mode })
  }
  put('agents/mine/main.mjs', agent)
  put('agents/mine/node_modules/own-package/package.json', '{"type":"module","exports":"./index.js"}')
  put('agents/mine/node_modules/own-package/index.js', "export const colour = 'green'\n")
  put('bin/mine', `#!/bin/sh\nexec node ${home}/agents/mine/main.mjs "$@"\n`, 0o755)
  put('.config/mine/settings.txt', 'marmalade')
  put('project/README.md', '# Project\n')
  const env = { HOME: home, PATH: `${home}/bin:${process.env.PATH}`, LANG: 'C.UTF-8' }
  const farhand = async (...words: string[]) => {
    const options = { cwd: path.join(home, 'project'), env, timeout: 110_000 }
    const done = await promisify(execFile)(process.execPath, [farhandBin, ...words], options).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    )
    return done.stdout + done.stderr
  }
  onTestFinished(async () => void (await farhand('hub', 'stop')))
  const run = () => farhand('run', '--agent', 'mine', '--sandbox', 'bubblewrap', 'Hello')
  const entry = { id: 'mine', name: 'Mine', command: 'mine' }
  const state = '.local/state/farhand/agents.json'
  put(state, JSON.stringify([entry]))
  expect(await run()).toMatch(/can read, besides the system, only .*bin\/mine\b[\s\S]*"readable"/)
  put(state, JSON.stringify([{ ...entry, readable: ['~/agents/mine', '~/.config/mine'] }]))
  expect(await run()).toContain('I see green and marmalade')
})
