import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RunUnderTest, rehearsalAgent } from './runner-under-test.ts'

const secret = { name: 'DEPLOY_KEY', value: 'correct/horse~~battery??staple+4711' }

function allIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

it('W41 an agent that prints a secret in wrapped base64, spaced hex or words of hex leaves none of it in the log or the journal', async () => {
  const run = await RunUnderTest.begin(rehearsalAgent, 'own hub')
  await run.start(undefined, undefined, { secrets: [secret], env: { DEPLOY_KEY: secret.value } })
  const print = (by: string) => `run \`printf %s "$DEPLOY_KEY" | ${by}\``
  const ways = [
    'base64 -w 10',
    'base64 -w 1',
    "od -An -v -tx1 | tr -d ' \\n' | sed 's/../& /g'",
    'od -An -v -tx1',
    "od -An -v -tx1 -w4 | tr a-f A-F | tr ' ' ':'",
    'od -An -v -tx2',
  ]
  const said = await run.turn(ways.map(print).join('. '))
  expect(JSON.stringify(said).split('[secret DEPLOY_KEY]').length).toBeGreaterThan(ways.length)

  await run.stop()
  await run.hub.kill('SIGTERM')
  const kept = allIn(join(run.hub.data, 'logs')) + allIn(join(run.state, 'runner/journal'))
  const letters = kept.replaceAll('\\n', '').replace(/[^A-Za-z0-9+/]/g, '')
  const bytes = Buffer.from(secret.value)
  // Parts of it would be enough: nothing of 9 bytes is there either.
  for (let at = 0; at + 9 <= bytes.length; at += 3) {
    const part = bytes.subarray(at, at + 9)
    expect(letters).not.toContain(part.toString('base64'))
    expect(letters.toLowerCase()).not.toContain(part.toString('hex'))
    const words = bytes.subarray(at - (at % 2), at - (at % 2) + 8)
    expect(letters.toLowerCase()).not.toContain(Buffer.from(words).swap16().toString('hex'))
  }
})
